/*
 * Resources on their way to the terminal, in the format that was asked for: a table, JSON, YAML,
 * names or a template; as a list, as one object, or, for a watch, as events one after the other.
 */
#ifndef KD_CTL_SHOWING_H
#define KD_CTL_SHOWING_H

#include "ctl/jsonpath.h"
#include "ctl/session.h"
#include "ctl/view.h"

struct kd_ctl_showing {
    struct kd_ctl_session *session;
    bool single;                    /* one object, not a list; the first item is it */
    bool events;                    /* each item by itself, with what happened to it */
    const struct kd_ctl_view *view; /* of the first item; NULL before */
    struct kd_ctl_shape shape;
    uint64_t n;
    uint64_t n_tables; /* that stand before this one */
    struct kd_ctl_table table;
    struct kd_jsonpath path;
    struct kd_buf document; /* for a template, which wants all at once */
    struct kd_arena arena;  /* of the template */
};

/* Released in any case. KD_EINVAL for a template that cannot be read. */
int kd_ctl_showing_init(struct kd_ctl_showing *showing, struct kd_ctl_session *session,
                        struct kd_error *reterr) KD_MUST_USE;
void kd_ctl_showing_release(struct kd_ctl_showing *showing);

/* An item of /api/v1/resources. `event` is for a showing of events: "ADDED", "DELETED", ... */
void kd_ctl_showing_add(struct kd_ctl_showing *showing, const char *event, const struct kd_ref *ref,
                        struct kd_value item);
/* What follows is of another kind: a table of its own begins. */
void kd_ctl_showing_next(struct kd_ctl_showing *showing);
/* What was added so far is out; of a watch more may come. */
int kd_ctl_showing_end(struct kd_ctl_showing *showing, struct kd_error *reterr) KD_MUST_USE;

#endif
