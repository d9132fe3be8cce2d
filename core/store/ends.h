/* An end of a relation as read from the tables, and the reference that it is shown as. */
#ifndef KD_STORE_ENDS_H
#define KD_STORE_ENDS_H

#include "store/reader.h"

/* Texts are borrowed. */
struct kd_end {
    int64_t kind;
    struct kd_str ns;
    struct kd_str name;
    int64_t said_version; /* as it was mentioned; 0 and "": not said */
    struct kd_str said_uid;
    bool there; /* the graph has its resource: */
    int64_t version;
    struct kd_str uid;
};

/* Copied to the arena. What the mention leaves open comes from the resource. */
int kd_end_ref(struct kd_reader *reader, const struct kd_end *end, struct kd_arena *arena,
               struct kd_ref *ret) KD_MUST_USE;
/* The mention means another object than the one that is there. */
bool kd_end_differs(const struct kd_end *end);

#endif
