/*
 * The HTTP servers: health, metrics and api, on libevent's HTTP server, one loop and thread of
 * their own for all three. They only read. Long queries run on a small pool and answer through the
 * loop.
 */
#ifndef KD_SERVER_SERVER_H
#define KD_SERVER_SERVER_H

#include "config/settings.h"
#include "metrics/metrics.h"
#include "store/store.h"

struct kd_server;

#define KD_WHY_MAX 768 /* a sentence, cut to fit */

/* A row of /api/v1/kinds. Strings are owned by the snapshot's arena. */
struct kd_kind_row {
    struct kd_str name; /* unique, of its check: "pod" */
    struct kd_str kind, group, version, resource, plugin, plugin_version, state, resource_version;
    struct kd_str last_error;
    const char *const *short_names;
    size_t n_short_names;
    bool namespaced;
    uint64_t objects, stored, depth, delayed;
    uint64_t bytes, raw_bytes; /* of the cached objects, as kept and as JSON */
    bool ready;           /* its readiness check */
    struct kd_str reason; /* why not: "forbidden 403: ..." */
};

struct kd_plugin_row {
    struct kd_str name, file, version, abi, state, error, expected, found;
};

struct kd_check_row {
    struct kd_str name; /* "ping", "store", "kind-pod", ... */
    bool ok;
    struct kd_str reason; /* why it failed; of one that is ok a remark, or "" */
};

/* One reconcile that has ended, and whose are asked for. */
struct kd_run_row {
    struct kd_str plugin, controller, ns, name, id, reason, result, error;
    int64_t started_ns; /* wall clock */
    int64_t took_ns;
    int64_t requeue_ns;
    uint64_t failures; /* of the key before it */
};

struct kd_run_query {
    const char *group; /* NULL: any */
    const char *kind;
    struct kd_str ns; /* a NULL pointer: any */
    struct kd_str name;
};

/* Who calls, and what for. */
struct kd_caller {
    struct kd_str token;
    const char *verb; /* the method in lower case */
    struct kd_str path;
};

enum kd_ruling {
    KD_RULING_ALLOWED,
    KD_RULING_UNKNOWN, /* the cluster does not know the token */
    KD_RULING_DENIED,
    KD_RULING_NONE, /* it could not be asked */
};

typedef void kd_ruling_fn(void *arg, enum kd_ruling verdict, const char *why);

/*
 * What the servers ask of the manager. Any thread; must not block for long. Each allocates its rows
 * in the arena and returns their number.
 */
struct kd_server_source {
    void *arg;
    size_t (*kinds)(void *arg, struct kd_arena *arena, const struct kd_kind_row **ret);
    size_t (*plugins)(void *arg, struct kd_arena *arena, const struct kd_plugin_row **ret);
    size_t (*runs)(void *arg, struct kd_arena *arena, const struct kd_run_query *query,
                   const struct kd_run_row **ret);
    size_t (*live_checks)(void *arg, struct kd_arena *arena, const struct kd_check_row **ret);
    size_t (*ready_checks)(void *arg, struct kd_arena *arena, const struct kd_check_row **ret);
    /*
     * Optional: whether the API may answer now; false: why not, and who may instead ("" unknown).
     * process: what is asked is about this process, not about the graph.
     */
    bool (*may_answer)(void *arg, bool process, char why[KD_WHY_MAX], char leader[KD_WHY_MAX]);
    /* Optional: appends the configuration, without secrets, or a sentence about why not. */
    void (*config)(void *arg, struct kd_buf *out);
    /*
     * Whether a caller may, for listeners that ask; done comes once, from any thread, possibly
     * before this returns, or never when the process stops. The caller is borrowed for the call.
     */
    void (*judge)(void *arg, const struct kd_caller *caller, kd_ruling_fn *done, void *done_arg);
};

struct kd_server_settings {
    const struct kd_health_settings *health;
    const struct kd_http_settings *metrics;
    const struct kd_http_settings *api;
    int idle_seconds; /* after which a silent connection is closed; 0: 90 */
    unsigned max_connections; /* of a listener; 0: 400 */
    int64_t unfinished_ns;    /* for a request to be whole; 0: 32 s */
};

/*
 * Binds all three (each may be off) and starts the thread. KD_ECONFIG names the bind that failed; a
 * unix socket is made with mode 0660, a stale one is replaced, a live one is KD_EBUSY.
 */
int kd_server_start(const struct kd_server_settings *settings,
                    const struct kd_server_source *source, struct kd_metrics *metrics,
                    struct kd_store *store, struct kd_server **ret,
                    struct kd_error *reterr) KD_MUST_USE;
/* Any thread: answers that wait for changes look again, whether they may go on. */
void kd_server_wake(struct kd_server *server);
/* Ends running answers, closes, joins, removes the socket file. */
void kd_server_stop(struct kd_server *server);

#endif
