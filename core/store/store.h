/*
 * The graph: resources and relations in SQLite, written by one thread in batches, read by any. A
 * batch is one transaction. Putting the same object twice writes nothing. See docs/architecture.md.
 *
 * Threads: put, remove and each_* from any thread; a write call copies, queues and returns, and
 * waits only while KD_MAX_STORE_QUEUE changes are ahead (never call it on the I/O thread). Queries
 * run on the caller's thread with a read connection of their own, and see the last committed batch.
 */
#ifndef KD_STORE_STORE_H
#define KD_STORE_STORE_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "informer/record.h"

#include <kindred/relations.h>
#include <stdbool.h>

struct kd_store;
struct kd_fence;
struct kd_metrics;

/* KD_EBUSY: another live process holds the file. KD_ECONFIG: folder missing or not writable. */
int kd_store_open(const struct kd_store_settings *settings, const struct kd_clock *clock,
                  struct kd_metrics *metrics, struct kd_store **ret,
                  struct kd_error *reterr) KD_MUST_USE;
/* Writes what is queued, then closes. */
void kd_store_close(struct kd_store *store);

struct kd_relation {
    struct kd_str type;
    struct kd_ref subject;
    struct kd_ref object;
    const struct kd_attr *attrs;
    uint32_t n_attrs;
};

/*
 * What one object is and gives rise to, as one plugin instance sees it. Replaces what the same
 * instance said about the same object before. With `owner` it carries the resource too.
 */
struct kd_put {
    struct kd_ref ref; /* with uid: another uid than the stored one is a new object */
    struct kd_str instance;
    bool owner;
    struct kd_record *record;   /* the object; a reference is taken. Owner only */
    struct kd_str version_text; /* resourceVersion. Owner only */
    struct kd_str labels;       /* JSON object or "" . Owner only */
    struct kd_str annotations;
    int64_t created_ns; /* creationTimestamp, wall clock; 0 unknown */
    struct kd_str data; /* "" where it equals the record */
    const struct kd_relation *relations;
    size_t n_relations;
};

/* 0, KD_ESHUTDOWN after close has begun, KD_EEXIST for _add when the resource is there. */
int kd_store_put(struct kd_store *store, const struct kd_put *put) KD_MUST_USE;
/* Waits for the write and fails when the resource exists; for tests and tools. */
int kd_store_add(struct kd_store *store, const struct kd_put *put) KD_MUST_USE;
/*
 * Removes the resource and every relation that it gave rise to. Not there: nothing happens. With a
 * uid in ref a resource of another uid stays.
 */
int kd_store_remove(struct kd_store *store, const struct kd_ref *ref) KD_MUST_USE;
/*
 * How far the graph is complete for a kind: it holds what the API server had at `version`, but for
 * the keys that are pending.
 */
struct kd_mark {
    struct kd_str group;
    struct kd_str kind;
    struct kd_str scope;   /* the caller's words for what is listed; other words, another mark */
    struct kd_str version; /* "": it is not known to be complete */
    const struct kd_key *pending;
    size_t n_pending;
};

/*
 * Replaces the kind's mark, in the order of the calls: it is never in the file without what was put
 * before it. Any thread, the I/O thread too: KD_EAGAIN instead of waiting; the next one may pass.
 */
int kd_store_mark(struct kd_store *store, const struct kd_mark *mark) KD_MUST_USE;
/* The last committed one; its texts and keys in the arena. KD_ENOENT: none. */
int kd_store_read_mark(struct kd_store *store, const char *group, const char *kind,
                       struct kd_arena *arena, struct kd_mark *ret) KD_MUST_USE;
/*
 * Takes back what one instance said about an object: its relations, and the resource where the
 * instance has put it. What others say stays. Never waits: KD_EAGAIN while the queue is full.
 */
int kd_store_forget(struct kd_store *store, const struct kd_ref *ref,
                    struct kd_str instance) KD_MUST_USE;
/* Waits until everything queued before is committed (or has failed for good). */
int kd_store_flush(struct kd_store *store) KD_MUST_USE;
/* The same for at most limit_ns, then KD_ETIMEOUT: a place that cannot be written may stay so. */
int kd_store_flush_for(struct kd_store *store, int64_t limit_ns) KD_MUST_USE;

/* One stored resource; strings live in the arena given to the query. */
struct kd_stored {
    struct kd_ref ref;
    struct kd_str version_text;
    struct kd_str labels;      /* JSON */
    struct kd_str annotations; /* JSON */
    struct kd_str data;        /* JSON, decoded */
    int64_t created_ns;
    int64_t updated_ns;
};

struct kd_stored_relation {
    struct kd_str type;
    struct kd_str attrs; /* JSON object of the attributes, without type */
    struct kd_ref subject;
    struct kd_ref object;
    bool resolved; /* both ends are in the graph and no known uid differs */
    uint64_t id;   /* grows with time; for paging */
};

/* Kind and group in a query: group NULL matches any group. */
struct kd_match {
    const char *group;
    const char *kind;
    const struct kd_str *ns;   /* NULL: any */
    const struct kd_str *name; /* NULL: any */
};

int kd_store_get(struct kd_store *store, const struct kd_match *match, struct kd_arena *arena,
                 struct kd_stored *ret) KD_MUST_USE; /* KD_ENOENT */
/*
 * Fills in uid and version of a node, as its resource has them, copied to the arena. KD_ENOENT, and
 * the node as it was, when the graph has no resource of that group, kind, ns and name.
 */
int kd_store_identify(struct kd_store *store, struct kd_arena *arena,
                      struct kd_ref *node) KD_MUST_USE;
/* Whether a relation of any type joins a node with another one whose resource is in the graph. */
int kd_store_is_related(struct kd_store *store, const struct kd_ref *node, bool *ret) KD_MUST_USE;
/*
 * Calls fn for each match in the order (kind, group, ns, name), after `after` when given. fn's
 * argument lives until fn returns; a negative return ends the walk and is returned. want_data:
 * decode data too.
 */
int kd_store_each(struct kd_store *store, const struct kd_match *match, const struct kd_ref *after,
                  bool want_data, int (*fn)(void *arg, const struct kd_stored *stored),
                  void *arg) KD_MUST_USE;
/* Relations with any of subject, object, type left open (NULL), by rising id above after_id. */
int kd_store_each_relation(struct kd_store *store, const struct kd_match *subject,
                           const struct kd_match *object, const char *type, uint64_t after_id,
                           int (*fn)(void *arg, const struct kd_stored_relation *relation),
                           void *arg) KD_MUST_USE;
/* Key, uid and version of every stored resource of a kind: for the sweep after a list. */
int kd_store_each_key(struct kd_store *store, const char *group, const char *kind,
                      int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str version_text),
                      void *arg) KD_MUST_USE;
/* Every record of a kind, as it was encoded; each dictionary and base is one object for all. */
int kd_store_each_kept(struct kd_store *store, const char *group, const char *kind,
                       int (*fn)(void *arg, const struct kd_kept *kept), void *arg) KD_MUST_USE;
/* The same for what one instance has said something about; without uid and version. */
int kd_store_each_said(struct kd_store *store, const char *group, const char *kind,
                       const char *instance,
                       int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str version_text),
                       void *arg) KD_MUST_USE;
/*
 * The next `max` pairs of object and instance after *at, which is moved past each for which fn
 * returned 0; a negative return ends the page and is returned. Returns their number; 0: the end.
 */
struct kd_said_at {
    int64_t node, instance; /* zeroed: the beginning */
};
int kd_store_walk_said(struct kd_store *store, struct kd_said_at *at, size_t max,
                       int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str instance),
                       void *arg) KD_MUST_USE;
/* Number of stored resources of a kind; cheap. */
uint64_t kd_store_count(struct kd_store *store, const char *group, const char *kind);
/* What SQLite has allocated in this process. Any thread. */
uint64_t kd_store_memory_bytes(void);

/* The change feed: one row per change, in commit order. */
enum kd_change_type { KD_CHANGE_PUT, KD_CHANGE_DELETE, KD_CHANGE_RELATE, KD_CHANGE_UNRELATE };

struct kd_change {
    uint64_t seq;
    enum kd_change_type type;
    struct kd_ref ref;                  /* for PUT and DELETE */
    struct kd_stored_relation relation; /* for RELATE and UNRELATE */
};

/* Last committed; inside of a view or a query's callback: that of the state which it shows. */
uint64_t kd_store_seq(struct kd_store *store);
/*
 * Between begin and end all queries of the calling thread see one state, which is that of *ret_seq:
 * a snapshot that joins kd_store_changes without gap or double. Hold it briefly; it may be nested.
 */
int kd_store_view_begin(struct kd_store *store, uint64_t *ret_seq) KD_MUST_USE;
void kd_store_view_end(struct kd_store *store);
/*
 * Changes above since, at most max. KD_ENOENT when since is older than what is kept, or above
 * kd_store_seq: take a snapshot. A change of an attribute that is no part of a relation's identity
 * is a RELATE of the same id.
 */
int kd_store_changes(struct kd_store *store, uint64_t since, size_t max,
                     int (*fn)(void *arg, const struct kd_change *change), void *arg) KD_MUST_USE;
/* Calls fn(arg, seq) on the writer's thread, without a lock, after each commit that changed
 * something. Subscribing is answered with the seq from which on nothing is missed. */
struct kd_store_subscription;
struct kd_store_subscription *kd_store_subscribe(struct kd_store *store,
                                                 void (*fn)(void *arg, uint64_t seq), void *arg,
                                                 uint64_t *ret_seq);
void kd_store_unsubscribe(
    struct kd_store_subscription *subscription); /* after it no call is under way */

/*
 * Looks the whole file over, which takes a while: problem is called for each that is found, with a
 * line for people. 0 when the look itself went well.
 */
int kd_store_check(struct kd_store *store, void (*problem)(void *arg, const char *text),
                   void *arg) KD_MUST_USE;
/*
 * A copy of the last committed state, while all goes on: a database file beside the store's, which
 * has no name any more. *ret_fd is the caller's to close.
 */
int kd_store_backup(struct kd_store *store, int *ret_fd, struct kd_error *reterr) KD_MUST_USE;

/*
 * A number that is kept with the graph under a name of the caller's; the write takes its turn among
 * the changes. KD_ENOENT where none was ever set.
 */
int kd_store_get_number(struct kd_store *store, const char *name, int64_t *ret) KD_MUST_USE;
int kd_store_set_number(struct kd_store *store, const char *name, int64_t number) KD_MUST_USE;

/*
 * From now on a batch is begun and committed only while the fence is open; else it is dropped, and
 * its changes count as lost. Before the first change. Borrowed.
 */
void kd_store_set_fence(struct kd_store *store, const struct kd_fence *fence);

/* For readiness: 0, or the error of the last batch with its text. */
int kd_store_health(struct kd_store *store, struct kd_error *reterr);

#endif
