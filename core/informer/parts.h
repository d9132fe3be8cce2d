/*
 * The parts of an informer, for the files of this stage: reflectors bring objects, the intake puts
 * them into the table, subscriptions hand the events on. Everything here belongs to the I/O thread,
 * but for the table (see there) and what a lock guards.
 */
#ifndef KD_INFORMER_PARTS_H
#define KD_INFORMER_PARTS_H

#include "base/rand.h"
#include "informer/env.h"
#include "informer/informer.h"
#include "informer/shape.h"
#include "informer/table.h"
#include "metrics/metrics.h"

struct kd_reflector;
struct kd_training;

/* How an object arrived. */
enum kd_arrival {
    KD_ARRIVAL_LISTED,  /* a list that may not go back in time */
    KD_ARRIVAL_TRUE,    /* a list at an empty version: it is the truth, whatever its versions */
    KD_ARRIVAL_CHANGED, /* ADDED or MODIFIED */
    KD_ARRIVAL_DELETED,
};

struct kd_informer_metrics {
    struct kd_metrics *registry;
    struct kd_series *objects;
    struct kd_series *bytes;
    struct kd_series *raw_bytes;
    struct kd_series *lists;
    struct kd_series *watches;
    struct kd_series *skipped;
    struct kd_series *version;
    struct kd_series *queued;
    struct kd_series *latency;
    struct kd_family *errors;
    double told_objects; /* what this informer has added to the gauges, which others may share */
    double told_bytes;
    double told_raw_bytes;
    double told_queued;
};

struct kd_informer {
    uint32_t magic;
    struct kd_informer_env env;
    struct kd_informer_spec spec; /* a copy with everything it points to */
    struct kd_shape shape;
    struct kd_scratch scratch;
    struct kd_table table;
    struct kd_rand rand;
    struct kd_reflector **reflectors; /* one for each namespace, or one for all */
    size_t n_reflectors;
    bool ever_synced;

    struct kd_subscription *subscriptions;
    unsigned delivering; /* above zero while sinks run: subscriptions are not freed meanwhile */
    void *handover;      /* timer */

    struct kd_dict *dict;         /* NULL until there is one */
    struct kd_training *training; /* under way, or NULL */
    bool trained;                 /* tried once, whatever came of it */
    void *recoding;               /* timer */
    size_t recode_shard;

    int64_t skips_from_ns; /* when the count of logged skips began */
    unsigned skips_said;   /* since then */
    uint64_t skips_unsaid; /* since the last that was logged */

    struct kd_informer_metrics metrics;
    pthread_mutex_t status_lock; /* guards status */
    struct kd_informer_status status;
};

#define KD_INFORMER_MAGIC 0x4b49464fu

int kd_informer_new_in(const struct kd_informer_env *env, struct kd_metrics *metrics,
                       const struct kd_informer_spec *spec, struct kd_informer **ret,
                       struct kd_error *reterr) KD_MUST_USE;

/* spec.c: a deep copy, and its end. */
void kd_informer_spec_copy(struct kd_informer_spec *to, const struct kd_informer_spec *from);
void kd_informer_spec_release(struct kd_informer_spec *spec);

/* intake.c. What became of an object: 0, KD_EINVAL (it cannot be named and is left out), KD_ENOMEM,
 * KD_ETOOBIG, KD_EEXIST for a listed one that the cache, complete up to version `known` ("" when
 * nobody knows), should have if it were still there: the list is older than the cache. ret_version
 * receives its resource version, borrowed until the next call. */
int kd_intake(struct kd_informer *informer, struct kd_value object, enum kd_arrival arrival,
              const char *known, struct kd_str *ret_version) KD_MUST_USE;
/* Deletes what the complete list did not show. ns with a NULL pointer: everywhere. */
void kd_intake_sweep(struct kd_informer *informer, struct kd_str ns);
/* Deletes an object of which no last state has come. */
void kd_intake_forget(struct kd_informer *informer, struct kd_key key);
/* Counts and names an object that is left out. key may be NULL. */
void kd_intake_skipped(struct kd_informer *informer, const struct kd_key *key, uint64_t size,
                       const char *why);
/* index_upkeep.c: brings the indexes to the new record, whose text is the one in the scratch. old
 * may be NULL. */
int kd_indexes_update(struct kd_informer *informer, const struct kd_record *old,
                      struct kd_record *record) KD_MUST_USE;
void kd_indexes_drop(struct kd_informer *informer, const struct kd_record *gone);
/* The same content in another record. */
void kd_indexes_swap(struct kd_informer *informer, const struct kd_record *old,
                     struct kd_record *record);

/* subscription.c */
void kd_subscriptions_deliver(struct kd_informer *informer, const struct kd_informer_event *event);
void kd_subscriptions_synced(struct kd_informer *informer);
void kd_subscriptions_listed(struct kd_informer *informer);
void kd_subscriptions_handover(void *informer);
/* Starts the hand-over when a subscription waits for it. */
void kd_subscriptions_resume(struct kd_informer *informer);

/* A reflector has completed a list, its deletes are out. */
void kd_informer_list_done(struct kd_informer *informer);

/* train.c */
void kd_training_consider(struct kd_informer *informer);
void kd_training_cancel(struct kd_informer *informer);
void kd_recode_some(void *informer);
/* Gives an owner's first object its place in the family that the second one began. */
void kd_recode_unsettled(struct kd_informer *informer);

/* status.c: brings status and gauges up to date; once for each piece of input, not each event. */
void kd_status_publish(struct kd_informer *informer);

/* meter.c */
void kd_status_metrics(struct kd_informer *informer, struct kd_metrics *metrics);
void kd_status_withdraw(struct kd_informer *informer);
void kd_status_error(struct kd_informer *informer, const char *reason);

#endif
