#include "server/ask.h"

#include "base/limits.h"
#include "base/str.h"
#include "server/kindname.h"

int kd_ask_ways(struct kd_answer *answer, struct kd_traverse *search)
{
    struct kd_str direction = kd_params_get(&answer->params, "direction");
    struct kd_str predicate = kd_params_get(&answer->params, "predicate");
    bool both = direction.len == 0 || kd_str_is(direction, "both");
    search->directions = (both || kd_str_is(direction, "out") ? KD_FOLLOW_OUT : 0) |
                         (both || kd_str_is(direction, "in") ? KD_FOLLOW_IN : 0);
    search->predicate = predicate.len ? predicate.ptr : NULL;
    return search->directions ? 0
                              : kd_answer_fail(answer, 400, "direction must be out, in or both");
}

int kd_ask_depth(struct kd_answer *answer, uint64_t fallback, uint64_t *ret)
{
    struct kd_error error = { 0 };
    if (kd_params_number(&answer->params, "depth", KD_ASK_DEPTH_MAX, fallback, ret, &error) < 0) {
        return kd_answer_fail(answer, 400, "%s", error.text);
    }
    return 0;
}

int kd_ask_root(struct kd_answer *answer, const char *param, struct kd_traverse *search)
{
    struct kd_error error = { 0 };
    struct kd_match match;
    struct kd_str root = kd_params_get(&answer->params, param);
    if (kd_reference_parse(answer->context, root, &answer->arena, &match, &error) < 0) {
        return kd_answer_fail(answer, 400, "%s: %s", param, error.text);
    }
    int rc = kd_traverse_root(search, &match);
    if (rc == KD_ENOENT) {
        return kd_answer_fail(answer, 404, "\"" KD_STR_FMT "\" is not in the graph",
                              KD_STR_ARG(root));
    }
    return rc < 0 ? kd_ask_fail(answer, rc) : 0;
}

int kd_ask_fail(struct kd_answer *answer, int error)
{
    return error == KD_ETOOBIG
               ? kd_answer_fail(answer, 400,
                                "more than %d nodes: ask for a smaller depth, one direction or one "
                                "predicate",
                                KD_MAX_GRAPH_NODES)
               : error;
}
