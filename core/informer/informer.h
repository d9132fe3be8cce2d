/*
 * An informer: the cache of one kind and scope, kept by list and watch, shared by every subscriber.
 *
 * Threads: made, started, subscribed to and freed on the I/O loop's thread (or before it runs).
 * Reads (get, index, each, status) from any thread: a reader takes one of KD_TABLE_SHARDS locks
 * just to copy and ref a record pointer. Sink functions run on the I/O thread, without any lock,
 * and must not block.
 */
#ifndef KD_INFORMER_INFORMER_H
#define KD_INFORMER_INFORMER_H

#include "base/buf.h"
#include "base/loop.h"
#include "client/client.h"
#include "config/settings.h"
#include "informer/record.h"

struct kd_informer;
struct kd_subscription;
struct kd_metrics;

/* Everything is copied. Two specs are one informer when all but the subscribers' parts agree. */
struct kd_informer_spec {
    const char *group;
    const char *version;
    const char *kind;
    const char *resource;
    bool namespaced;
    struct kd_strlist namespaces; /* empty: all; else one list and watch for each, one table */
    const char *label_selector;   /* "" for none */
    const char *field_selector;
    const char *mode;          /* "full", "fields", "metadata" */
    const char *const *fields; /* kept in mode "fields" */
    size_t n_fields;
    const char *const *noise;
    size_t n_noise;
    const struct kd_index *indexes; /* "namespace" is always there */
    size_t n_indexes;
    int64_t list_page;
    int64_t watch_timeout_ns;
    bool stream_list;
    int64_t stream_deadline_ns;
    int64_t max_object_bytes;
};

struct kd_informer_event {
    uint32_t type;            /* KD_EVENT_* */
    uint32_t changed;         /* KD_CHANGED_* */
    uint32_t flags;           /* KD_EVENT_INITIAL, ... */
    struct kd_record *record; /* the new state; for a delete the last known one. Borrowed */
    struct kd_record *old;    /* before a change, else NULL. Borrowed */
};

/*
 * Where events go. A change of noise alone is not delivered. After the complete first list has been
 * delivered, synced is called once; a late subscriber gets adds with KD_EVENT_INITIAL for all that
 * is there, from the loop, and then synced. listed is called after each later complete list, once
 * its deletes are out. No sink function may stop or free the informer.
 */
struct kd_informer_sink {
    void *arg;
    void (*event)(void *arg, const struct kd_informer_event *event); /* mandatory */
    void (*synced)(void *arg);                                       /* optional */
    void (*listed)(void *arg);                                       /* optional */
};

enum kd_informer_state {
    KD_INFORMER_SYNCING,
    KD_INFORMER_SYNCED,
    KD_INFORMER_FORBIDDEN,
    KD_INFORMER_NOT_SERVED,
    KD_INFORMER_FAILING,
    KD_INFORMER_DISABLED,
};

struct kd_informer_status {
    enum kd_informer_state state;
    bool ever_synced;             /* the first complete list is in the cache */
    uint64_t objects;             /* in the cache */
    uint64_t bytes;               /* memory of the records */
    uint64_t raw_bytes;           /* their JSON without managedFields */
    int64_t last_event_ns;        /* monotonic, of the last progress */
    char version[KD_VERSION_MAX]; /* resource version up to which the cache is complete */
    char last_error[512];         /* "" when the last try went well */
    int last_code;                /* HTTP code of the last failure, 0 for none or no answer */
};

/* Borrows loop, client and metrics (may be NULL). KD_ECONFIG for a bad path. */
int kd_informer_new(struct kd_loop *loop, struct kd_client *client, struct kd_metrics *metrics,
                    const struct kd_informer_spec *spec, struct kd_informer **ret,
                    struct kd_error *reterr) KD_MUST_USE;
/* Stops; subscriptions must be gone. Records that others hold live on. */
void kd_informer_free(struct kd_informer *informer);
/* What it was made for; immutable. Borrowed. */
const struct kd_informer_spec *kd_informer_spec_of(const struct kd_informer *informer);
/* Starts listing; idempotent. */
void kd_informer_start(struct kd_informer *informer);
/* Ends requests and timers; the cache stays readable. */
void kd_informer_stop(struct kd_informer *informer);

/*
 * An informer that goes on where an earlier process left off. Before it is started and subscribed
 * to, by one thread: kd_informer_load for each object, then kd_informer_resume, after which
 * kd_informer_start asks for a watch and no list. kd_informer_empty takes back what was loaded.
 */

/* Where one object is asked for, and how; static. The path is appended. KD_ETOOBIG. */
int kd_informer_object_path(const struct kd_informer *informer, struct kd_key key,
                            struct kd_buf *out) KD_MUST_USE;
const char *kd_informer_accept(const struct kd_informer *informer);
/* References to what it needs are taken. KD_EPARSE, KD_EIO, KD_EINVAL for what is no such object,
 * KD_ENOMEM. */
int kd_informer_load(struct kd_informer *informer, const struct kd_kept *kept) KD_MUST_USE;
/* The object as it is now; and: it is gone. */
int kd_informer_renew(struct kd_informer *informer, struct kd_str json) KD_MUST_USE;
void kd_informer_forget(struct kd_informer *informer, struct kd_key key);
/* What was loaded is complete up to this version, which is neither empty nor too long. */
void kd_informer_resume(struct kd_informer *informer, struct kd_str version);
void kd_informer_empty(struct kd_informer *informer);

struct kd_subscription *kd_informer_subscribe(struct kd_informer *informer,
                                              const struct kd_informer_sink *sink);
void kd_informer_unsubscribe(struct kd_subscription *subscription); /* accepts NULL */

/* Any thread. A new reference, or NULL. */
struct kd_record *kd_informer_get(const struct kd_informer *informer, struct kd_key key);
void kd_informer_get_status(const struct kd_informer *informer, struct kd_informer_status *ret);
const char *kd_informer_state_name(enum kd_informer_state state); /* as /api/v1/kinds says it */
/*
 * Keys whose index has the value ("namespace" or a declared name), copied into the arena.
 * KD_ENOENT for an unknown index, KD_ENOMEM past the arena.
 */
int kd_informer_by_index(const struct kd_informer *informer, const char *index, struct kd_str value,
                         struct kd_arena *arena, struct kd_key **ret, size_t *ret_n) KD_MUST_USE;
/* Calls fn with a borrowed record for each, shard by shard, without holding a lock meanwhile. */
void kd_informer_each(const struct kd_informer *informer,
                      void (*fn)(void *arg, struct kd_record *record), void *arg);

#endif
