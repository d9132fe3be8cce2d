#include "base/str.h"
#include "ctl/cells.h"
#include "ctl/jsonpath_form.h"
#include "json/json.h"

#include <stdlib.h>

/* Who wants the values that a way leads to; false: no more of them. */
struct taker {
    void *arg;
    bool (*value)(void *arg, struct kd_value value);
};

/* A way that is being walked. */
struct walk {
    struct kd_value root;
    const struct taker *taker;
};

static bool follow(const struct walk *walk, const struct kd_jsonpath_step *step,
                   struct kd_value value);

static bool each_child(const struct walk *walk, const struct kd_jsonpath_step *next,
                       struct kd_value value)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value child;
    kd_json_iter_init(&iter, value);
    while (kd_json_iter_next(&iter, &key, &child)) {
        if (!follow(walk, next, child)) {
            return false;
        }
    }
    return true;
}

static int64_t count_of(struct kd_value list)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value child;
    int64_t n = 0;
    kd_json_iter_init(&iter, list);
    while (kd_json_iter_next(&iter, &key, &child)) {
        n++;
    }
    return n;
}

static bool each_in_range(const struct walk *walk, const struct kd_jsonpath_step *step,
                          const struct kd_jsonpath_step *next, struct kd_value list)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value child;
    if (list.type != KD_JSON_ARRAY) {
        return true;
    }
    int64_t n = count_of(list);
    int64_t from = !step->has_from ? 0 : step->from < 0 ? step->from + n : step->from;
    int64_t to = !step->has_to ? n : step->to < 0 ? step->to + n : step->to;
    kd_json_iter_init(&iter, list);
    for (int64_t i = 0; kd_json_iter_next(&iter, &key, &child); i++) {
        if (i >= from && i < to && (i - from) % step->by == 0 && !follow(walk, next, child)) {
            return false;
        }
    }
    return true;
}

/* The value itself, then what is below it. */
static bool each_below(const struct walk *walk, const struct kd_jsonpath_step *next,
                       struct kd_value value)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value child;
    if (!follow(walk, next, value)) {
        return false;
    }
    kd_json_iter_init(&iter, value);
    while (kd_json_iter_next(&iter, &key, &child)) {
        if (!each_below(walk, next, child)) { /* as deep as a document may be */
            return false;
        }
    }
    return true;
}

static bool take_first(void *arg, struct kd_value value)
{
    struct kd_value *first = arg;
    *first = value;
    return false;
}

/* The first value of a side; its type is KD_JSON_NONE when there is none. */
static struct kd_value side_value(const struct walk *walk, const struct kd_jsonpath_side *side,
                                  struct kd_value here)
{
    struct kd_value found = { 0 };
    const struct taker taker = { &found, take_first };
    const struct walk inner = { walk->root, &taker };
    if (side->is_literal) {
        return side->literal;
    }
    (void)follow(&inner, side->way.first,
                 side->way.from_root ? walk->root : here); /* at most one */
    return found;
}

static int sign_of(double a, double b)
{
    return a < b ? -1 : a > b;
}

static double number_of(struct kd_value value)
{
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&text, 512);
    (void)kd_buf_put(&text, value.ptr, value.len); /* what is longer is no number of this world */
    return kd_buf_puts(&text, "") == 0 && text.ptr ? strtod(text.ptr, NULL) : 0;
}

/* Order of two values of one type. */
static int order_of(struct kd_value a, struct kd_value b)
{
    KD_AUTO_BUF struct kd_buf left = { 0 };
    KD_AUTO_BUF struct kd_buf right = { 0 };
    if (a.type == KD_JSON_NUMBER) {
        return sign_of(number_of(a), number_of(b));
    }
    kd_buf_init(&left, SIZE_MAX / 2);
    kd_buf_init(&right, SIZE_MAX / 2);
    kd_ctl_cell_value(&left, a);
    kd_ctl_cell_value(&right, b);
    return kd_str_cmp(kd_buf_str(&left), kd_buf_str(&right));
}

static bool passes(const struct walk *walk, const struct kd_jsonpath_test *test,
                   struct kd_value here)
{
    struct kd_value left = side_value(walk, &test->left, here);
    if (test->compare == KD_TEST_EXISTS) {
        return left.type != KD_JSON_NONE;
    }
    struct kd_value right = side_value(walk, &test->right, here);
    if (left.type != right.type || left.type == KD_JSON_NONE) {
        return test->compare == KD_TEST_UNEQUAL && left.type != right.type;
    }
    int order = order_of(left, right);
    switch (test->compare) {
    case KD_TEST_EXISTS:
    case KD_TEST_EQUAL:
        return order == 0;
    case KD_TEST_UNEQUAL:
        return order != 0;
    case KD_TEST_LESS:
        return order < 0;
    case KD_TEST_AT_MOST:
        return order <= 0;
    case KD_TEST_GREATER:
        return order > 0;
    case KD_TEST_AT_LEAST:
        return order >= 0;
    }
    return false;
}

static bool each_passing(const struct walk *walk, const struct kd_jsonpath_step *step,
                         const struct kd_jsonpath_step *next, struct kd_value value)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value child;
    kd_json_iter_init(&iter, value);
    while (kd_json_iter_next(&iter, &key, &child)) {
        if (passes(walk, step->filter, child) && !follow(walk, next, child)) {
            return false;
        }
    }
    return true;
}

static bool take_step(const struct walk *walk, const struct kd_jsonpath_step *step,
                      const struct kd_jsonpath_step *next, struct kd_value value)
{
    struct kd_value child = { 0 };
    switch (step->type) {
    case KD_STEP_FIELD:
        return !kd_json_get(value, step->name, &child) || follow(walk, next, child);
    case KD_STEP_ALL:
        return each_child(walk, next, value);
    case KD_STEP_RANGE:
        return each_in_range(walk, step, next, value);
    case KD_STEP_DEEP:
        return each_below(walk, next, value);
    case KD_STEP_UNION:
        for (const struct kd_jsonpath_step *choice = step->choices; choice; choice = choice->next) {
            if (!take_step(walk, choice, next, value)) {
                return false;
            }
        }
        return true;
    case KD_STEP_FILTER:
        return each_passing(walk, step, next, value);
    }
    return true;
}

static bool follow(const struct walk *walk, const struct kd_jsonpath_step *step,
                   struct kd_value value)
{
    return step ? take_step(walk, step, step->next, value)
                : walk->taker->value(walk->taker->arg, value);
}

/* What is being written. */
struct filling {
    struct kd_value root;
    struct kd_buf *out;
    const struct kd_jsonpath_part *inner; /* of a range */
    bool first;
};

static bool put_value(void *arg, struct kd_value value)
{
    struct filling *filling = arg;
    (void)kd_buf_puts(filling->out, filling->first ? "" : " "); /* remembered, as all here */
    filling->first = false;
    kd_ctl_cell_value(filling->out, value);
    return !kd_buf_failed(filling->out);
}

static void put_parts(const struct kd_jsonpath_part *part, struct kd_value root,
                      struct kd_value here, struct kd_buf *out);

static bool put_inner(void *arg, struct kd_value value)
{
    struct filling *filling = arg;
    put_parts(filling->inner, filling->root, value, filling->out);
    return !kd_buf_failed(filling->out);
}

static void put_parts(const struct kd_jsonpath_part *part, struct kd_value root,
                      struct kd_value here, struct kd_buf *out)
{
    for (; part; part = part->next) {
        struct filling filling = { root, out, part->inner, true };
        const struct taker taker = { &filling,
                                     part->type == KD_PART_RANGE ? put_inner : put_value };
        const struct walk walk = { root, &taker };
        if (part->type == KD_PART_TEXT) {
            (void)kd_buf_put_str(out, part->text);
        } else {
            (void)follow(&walk, part->way.first, part->way.from_root ? root : here); /* all */
        }
    }
}

void kd_jsonpath_put(const struct kd_jsonpath *path, struct kd_value root, struct kd_buf *out)
{
    put_parts(path->first, root, root, out);
}
