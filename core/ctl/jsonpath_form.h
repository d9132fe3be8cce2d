/* What a template becomes: the form between reading and filling in. */
#ifndef KD_CTL_JSONPATH_FORM_H
#define KD_CTL_JSONPATH_FORM_H

#include "ctl/jsonpath.h"

#include <stdbool.h>

enum kd_jsonpath_step_type {
    KD_STEP_FIELD,
    KD_STEP_ALL,
    KD_STEP_RANGE,
    KD_STEP_DEEP, /* the value itself and all below it */
    KD_STEP_UNION,
    KD_STEP_FILTER,
};

/* One way on from a value. */
struct kd_jsonpath_step {
    enum kd_jsonpath_step_type type;
    struct kd_str name;                    /* FIELD */
    int64_t from, to, by;                  /* RANGE: [from, to), below 0 from the end */
    bool has_from, has_to;                 /* RANGE */
    struct kd_jsonpath_step *choices;      /* UNION: a list of fields and ranges */
    const struct kd_jsonpath_test *filter; /* FILTER */
    struct kd_jsonpath_step *next;
};

/* Where a path starts, and its steps. */
struct kd_jsonpath_way {
    bool from_root; /* $ */
    struct kd_jsonpath_step *first;
};

/* One side of a comparison. */
struct kd_jsonpath_side {
    bool is_literal;
    struct kd_value literal;
    struct kd_jsonpath_way way;
};

enum kd_jsonpath_compare {
    KD_TEST_EXISTS,
    KD_TEST_EQUAL,
    KD_TEST_UNEQUAL,
    KD_TEST_LESS,
    KD_TEST_AT_MOST,
    KD_TEST_GREATER,
    KD_TEST_AT_LEAST,
};

struct kd_jsonpath_test {
    enum kd_jsonpath_compare compare;
    struct kd_jsonpath_side left, right;
};

enum kd_jsonpath_part_type { KD_PART_TEXT, KD_PART_WAY, KD_PART_RANGE };

struct kd_jsonpath_part {
    enum kd_jsonpath_part_type type;
    struct kd_str text;
    struct kd_jsonpath_way way;
    struct kd_jsonpath_part *inner; /* of a RANGE, for each value of its way */
    struct kd_jsonpath_part *next;
};

#endif
