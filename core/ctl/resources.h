/* Walks over the resources that a question selects, page by page, one object in memory at a time.
 */
#ifndef KD_CTL_RESOURCES_H
#define KD_CTL_RESOURCES_H

#include "base/arena.h"
#include "ctl/session.h"

/* NULL leaves a part open. */
struct kd_ctl_query {
    const char *kind;
    const char *ns;
    const char *name;
    const char *labels;
    const char *fields;
    bool orphans;      /* only what is related to nothing */
    uint64_t *ret_seq; /* where the feed stood when the walk began; NULL: not wanted */
};

/* `item` is {"ref":{...},...}, borrowed for the call. A negative code with its text ends the walk.
 */
typedef int (*kd_ctl_item_fn)(void *arg, struct kd_value item, struct kd_error *reterr);

int kd_ctl_resources(struct kd_ctl_session *session, const struct kd_ctl_query *query,
                     kd_ctl_item_fn fn, void *arg, struct kd_error *reterr) KD_MUST_USE;

/* A "ref" member read out; texts point into the item or into the arena. */
struct kd_ref kd_ctl_ref_of(struct kd_value item, const char *member, struct kd_arena *arena);

#endif
