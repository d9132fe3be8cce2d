/*
 * The relations that one object gives rise to, collected during one run: copied into the scratch
 * arena, each once. Two are the same when type, subject, object (but for their version and uid) and
 * attributes agree, those marked KD_ATTR_ANY left out; of these, a flag is true when any says so.
 */
#ifndef KD_CONTROLLER_RELATION_SET_H
#define KD_CONTROLLER_RELATION_SET_H

#include "base/hmap.h"
#include "store/store.h"

#define KD_MAX_RELATION_ATTRS 64

struct kd_relation_set {
    struct kd_arena *arena;
    struct kd_relation *items; /* kept between runs */
    size_t n, cap;
    struct kd_hmap seen;
    int rc; /* the first KD_ETOOBIG or KD_ENOMEM: the set is not whole */
};

/* A zeroed set is empty; starts a run. */
void kd_relation_set_begin(struct kd_relation_set *set, struct kd_arena *arena);
/* Gives back what the run took, but for a small array. */
void kd_relation_set_end(struct kd_relation_set *set);
void kd_relation_set_release(struct kd_relation_set *set);
/* As kd_relations_ops.add; KD_ETOOBIG past a bound, KD_ENOMEM past the arena. */
int kd_relation_set_add(struct kd_relation_set *set,
                        const struct kd_relation *relation) KD_MUST_USE;

/* Fills in what relate receives. */
void kd_relations_bind(struct kd_relations *out, struct kd_relation_set *set,
                       const struct kd_ref *self);

#endif
