/* The query of a request, decoded strictly. */
#ifndef KD_SERVER_PARAMS_H
#define KD_SERVER_PARAMS_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

struct kd_param {
    struct kd_str name;
    struct kd_str value;
};

struct kd_params {
    struct kd_param *items;
    size_t n;
};

/* Splits "a=b&c": percent and plus decoded into the arena. KD_EINVAL names the bad part. */
int kd_params_parse(struct kd_str query, struct kd_arena *arena, struct kd_params *ret,
                    struct kd_error *reterr) KD_MUST_USE;
/* The first value of that name; {NULL, 0} when it is not there. */
struct kd_str kd_params_get(const struct kd_params *params, const char *name);
bool kd_params_has(const struct kd_params *params, const char *name);
/* A whole number from 0 to max, or `fallback` when absent or empty. KD_EINVAL names it. */
int kd_params_number(const struct kd_params *params, const char *name, uint64_t max,
                     uint64_t fallback, uint64_t *ret, struct kd_error *reterr) KD_MUST_USE;

#endif
