/*
 * The shape of a kind's records: what of an object is kept, what its hashes pass over and which
 * values are indexed. Made from the spec, then immutable. Taking an object goes in two steps, since
 * a relist repeats much that is known: who it is, and only then its content.
 */
#ifndef KD_INFORMER_SHAPE_H
#define KD_INFORMER_SHAPE_H

#include "informer/build.h"
#include "informer/informer.h"
#include "informer/outline.h"
#include "json/plan.h"

struct kd_shape {
    char *head; /* {"apiVersion":"v1","kind":"Pod" : list items have neither */
    bool metadata_only;
    struct kd_json_plan *keep;  /* mode "fields", else NULL */
    struct kd_json_plan *drop;  /* what metadata only leaves out, else NULL */
    struct kd_json_plan *noise; /* NULL without noise paths */
    struct kd_shape_index *indexes;
    size_t n_indexes;
    size_t max_json;
};

struct kd_shape_index {
    char *path;
    enum kd_section section; /* while its hash stays, so does the value */
    bool noisy;              /* unless noise of that section hides a change */
};

/* Memory for taking objects, one owner, used again and again. */
struct kd_scratch {
    struct kd_arena arena;
    struct kd_outline outline;
    struct kd_outline quiet; /* of the text without noise */
    struct kd_buf json;
    struct kd_buf edited;
    struct kd_buf stripped;
};

/* KD_ECONFIG for a mode or path that is none. */
int kd_shape_init(struct kd_shape *shape, const struct kd_informer_spec *spec,
                  struct kd_error *reterr) KD_MUST_USE;
void kd_shape_release(struct kd_shape *shape);

void kd_scratch_init(struct kd_scratch *scratch, const struct kd_shape *shape);
void kd_scratch_release(struct kd_scratch *scratch);

/*
 * Reads who the object is into parts (key, uid, version). KD_EINVAL without a usable name or
 * namespace, KD_ENOMEM. parts point into object and scratch until the next call.
 */
int kd_shape_identify(const struct kd_shape *shape, struct kd_scratch *scratch,
                      struct kd_value object, struct kd_record_parts *parts) KD_MUST_USE;
/* The other half: parts' owner, hashes and json, of the object that was identified last. */
int kd_shape_fill(const struct kd_shape *shape, struct kd_scratch *scratch, struct kd_value object,
                  struct kd_record_parts *parts) KD_MUST_USE;
/* Value of index number `index` in a text that went through kd_outline_read; empty when it is no
 * string. Borrowed from text or arena. */
struct kd_str kd_shape_value(const struct kd_shape *shape, size_t index,
                             const struct kd_outline *outline, struct kd_arena *arena);

/*
 * Name and namespace of an object of which only the first bytes are there; depth is the number of
 * brackets around its metadata's members (2, on a watch line 3). False when they are not in there.
 */
bool kd_head_key(struct kd_str head, unsigned depth, struct kd_arena *arena, struct kd_key *ret);

#endif
