/* A refusal under way: what was expected, what was found, by which rule. */
#ifndef KD_PLUGIN_REFUSAL_H
#define KD_PLUGIN_REFUSAL_H

#include "base/error.h"

#include <stdbool.h>

struct kd_refusal {
    struct kd_error error;
    char expected[96];
    char found[96];
};

/* Fills the three texts; returns code. The rule is a sentence that says what to do. */
int kd_refuse(struct kd_refusal *refusal, int code, const char *rule, const char *expected,
              const char *found_fmt, ...) KD_PRINTF(5, 6);

#endif
