#include "server/accept.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#define FULL 1000
#define WEIGHT_MAX_LEN 8

static int weight_of(struct kd_str text)
{
    char copy[WEIGHT_MAX_LEN + 1] = "";
    char *end = copy;
    if (text.len == 0 || text.len > WEIGHT_MAX_LEN) {
        return 0;
    }
    memcpy(copy, text.ptr, text.len);
    double weight = strtod(copy, &end);
    return *end == '\0' && weight >= 0 && weight <= 1 ? (int)(weight * FULL) : 0;
}

static bool contradicts(struct kd_str name, struct kd_str value, const char *parameter)
{
    struct kd_str wanted = kd_str_from(parameter);
    struct kd_str wanted_name = kd_str_cut(&wanted, '=');
    return parameter && kd_str_eq_nocase(name, wanted_name) && !kd_str_eq(value, wanted);
}

/* -1: the element is about something else. */
static int element_weight(struct kd_str element, const char *name, const char *parameter)
{
    int weight = FULL;
    struct kd_str rest = element;
    if (!kd_str_eq_nocase(kd_str_trim(kd_str_cut(&rest, ';')), kd_str_from(name))) {
        return -1;
    }
    while (rest.ptr) {
        struct kd_str value = kd_str_cut(&rest, ';');
        struct kd_str key = kd_str_trim(kd_str_cut(&value, '='));
        value = kd_str_trim(value);
        if (contradicts(key, value, parameter)) {
            return -1;
        }
        weight = kd_str_eq_nocase(key, KD_STR("q")) ? weight_of(value) : weight;
    }
    return weight;
}

int kd_accept_weight(const char *header, const char *name, const char *parameter)
{
    int best = -1;
    struct kd_str rest = kd_str_from(header ? header : "");
    while (rest.ptr && rest.len > 0) {
        int weight = element_weight(kd_str_cut(&rest, ','), name, parameter);
        best = weight > best ? weight : best;
    }
    return best;
}
