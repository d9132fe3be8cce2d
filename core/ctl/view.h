/* What people want to see of an object in one line: the columns of its kind. */
#ifndef KD_CTL_VIEW_H
#define KD_CTL_VIEW_H

#include "base/arena.h"
#include "ctl/text_table.h"

#include <stdbool.h>

struct kd_ctl_view; /* one kind's columns; static */

/* Never NULL: a kind without columns of its own has the general ones. */
const struct kd_ctl_view *kd_ctl_view_of(const struct kd_ref *ref);
/* For objects of several kinds: their kind is a column. */
const struct kd_ctl_view *kd_ctl_view_mixed(void);
/* Which columns there are besides the kind's own. */
struct kd_ctl_shape {
    bool event;
    bool namespaced;
    bool wide; /* the kind's further columns too */
};

/* Starts the table of this kind. */
void kd_ctl_view_begin(const struct kd_ctl_view *view, const struct kd_ctl_shape *shape,
                       struct kd_ctl_table *table);
/* Adds the row of an item of /api/v1/resources; `event` is for shape->event. */
void kd_ctl_view_row(const struct kd_ctl_view *view, const struct kd_ctl_shape *shape,
                     const char *event, struct kd_value item, int64_t wall_ns,
                     struct kd_ctl_table *table);
/* Whether the kind has a state worth a request: "Running", "3/3 ready". */
bool kd_ctl_view_has_summary(const struct kd_ctl_view *view);
/* Appends the state of an item; nothing when it has none. */
void kd_ctl_view_summary(const struct kd_ctl_view *view, struct kd_value item, struct kd_buf *out);

/* An age as in "45s", "12m", "3d4h": two units at most, the second one only near the first. */
void kd_ctl_age_put(struct kd_buf *out, int64_t age_ns);

#endif
