/*
 * The plugin interface of kindred, ABI 1.0.
 *
 * A plugin is one shared object that exports one data symbol, `kindred_plugin`. The host reads it
 * and checks it before it calls anything; the host's functions come in as tables, so a plugin links
 * against nothing of the host. Every struct here is append only: a member added at the end raises
 * KD_ABI_MINOR and gets a line in the ledger below, anything else raises KD_ABI_MAJOR. Sizes travel
 * with the structs, so either side may be the newer one; KD_HAS asks.
 *
 * Threads: filter and map run on the I/O thread and must not block; describe, init and fini run on
 * the main thread; convert, relate, reconcile and deleted run on a worker, for one key at a time
 * and for different keys at once, so `self` needs its own locking where it changes.
 * Ownership: arguments are borrowed for the call. Memory from kd_ctx dies with the call. Nothing is
 * freed across the border.
 *
 * Ledger
 *   1.0  everything below
 */
#ifndef KINDRED_PLUGIN_H
#define KINDRED_PLUGIN_H

#include <kindred/object.h>
#include <kindred/relations.h>
#include <kindred/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KD_PLUGIN_MAGIC 0x4b444e31u /* "KDN1" */
#define KD_ABI_MAJOR 1u
#define KD_ABI_MINOR 0u

/* True when `table`, which begins with or carries struct_size, is large enough for `member`. */
#define KD_HAS(table, member)                                                                      \
    ((table)->struct_size >=                                                                       \
     __builtin_offsetof(__typeof__(*(table)), member) + sizeof((table)->member))

/* Capabilities a plugin may demand in required_caps. A bit the host does not know refuses it. */
#define KD_CAP_CACHE_READ (UINT64_C(1) << 0) /* kd_ctx get and list */
#define KD_CAPS_ALL (KD_CAP_CACHE_READ)

#define KD_SCOPE_NAMESPACED 0u
#define KD_SCOPE_CLUSTER 1u

/* Flags of a kind. */
#define KD_KIND_OBSERVER 1u      /* does not own the kind's resources: relate or reconcile only */
#define KD_KIND_METADATA_ONLY 2u /* metadata is all that is ever asked for (secrets) */

/* Event types. */
#define KD_EVENT_ADDED 1u
#define KD_EVENT_MODIFIED 2u
#define KD_EVENT_DELETED 3u

/* Event flags. */
#define KD_EVENT_INITIAL 1u /* part of the first list, or of what a late subscriber is given */
#define KD_EVENT_NEW_UID 2u /* same name, another object: the old one is gone */
#define KD_EVENT_FINAL_UNKNOWN 4u /* a delete found by a list; the last state may be older */

/* What changed, from the section hashes. Noise paths and the resource version are left out. */
#define KD_CHANGED_LABELS 1u
#define KD_CHANGED_ANNOTATIONS 2u
#define KD_CHANGED_METADATA 4u /* other metadata: owners, finalizers, deletionTimestamp, ... */
#define KD_CHANGED_SPEC 8u
#define KD_CHANGED_STATUS 16u
#define KD_CHANGED_REST 32u
#define KD_CHANGED_ALL 63u

struct kd_event {
    uint32_t struct_size;
    uint32_t type;    /* KD_EVENT_* */
    uint32_t changed; /* KD_CHANGED_*; all bits for an add or a delete */
    uint32_t flags;   /* KD_EVENT_INITIAL, ... */
    struct kd_ref ref;
    struct kd_str resource_version;
};

/* Types of a setting. The host writes each into the plugin's settings struct at `offset`. */
#define KD_OPTION_STRING 1u   /* struct kd_str, NUL-terminated too, lives as long as the entry */
#define KD_OPTION_INT 2u      /* int64_t */
#define KD_OPTION_BOOL 3u     /* uint32_t, 0 or 1 */
#define KD_OPTION_DURATION 4u /* int64_t nanoseconds; written "5s" in the config file */
#define KD_OPTION_STRINGS 5u  /* struct kd_strs */

struct kd_strs {
    const struct kd_str *items;
    uint64_t n;
};

struct kd_option {
    const char *key;
    uint32_t type; /* KD_OPTION_* */
    uint32_t offset;
    const char *value; /* the default, written as in the config file; NULL: zero or empty */
    int64_t min;       /* for KD_OPTION_INT and KD_OPTION_DURATION when min < max */
    int64_t max;
    const char *help; /* one line */
};

/* An index on a path: the cache finds objects by the string at that path. */
struct kd_index {
    const char *name; /* "spec.nodeName" */
    const char *path; /* "/spec/nodeName" */
};

struct kd_ctx;
struct kd_result;
struct kd_requests;

/* Labels and owners before and after a change of a watched kind; KD_JSON_NONE where not there. */
struct kd_map_event {
    uint32_t struct_size;
    uint32_t reserved;
    const struct kd_event *event;
    struct kd_value old_labels;
    struct kd_value new_labels;
    struct kd_value old_owners;
    struct kd_value new_owners;
};

/* Another kind whose changes re-queue this one. */
struct kd_watch {
    const char *group;
    const char *version;
    const char *kind;
    const char *resource;
    uint32_t scope;
    uint32_t flags;
    /*
     * Mandatory. I/O thread, one call at a time; must not block. Names the keys of this kind that a
     * change of the watched object concerns. `event` and `out` are borrowed for the call. It cannot
     * fail: what it does not name is not queued.
     */
    void (*map)(void *self, const struct kd_map_event *event, struct kd_requests *out);
};

/* What a filter says. */
#define KD_FILTER_DROP 0u
#define KD_FILTER_QUEUE 1u

#define KD_DELETED_FINAL_UNKNOWN 1u /* flag of deleted: the final state was not seen */

/* One kind that a plugin serves. */
struct kd_kind {
    uint32_t struct_size;
    uint32_t flags;       /* KD_KIND_* */
    const char *group;    /* "" for the core group */
    const char *version;  /* "v1" */
    const char *kind;     /* "Deployment" */
    const char *resource; /* "deployments" */
    uint32_t scope;       /* KD_SCOPE_* */
    uint32_t n_fields;
    const char *const
        *fields; /* paths read by number, "/spec/nodeName"; also what mode "fields" keeps */
    const char *const *noise; /* paths whose change alone means nothing, "*" for any element */
    uint32_t n_noise;
    uint32_t n_indexes;
    const struct kd_index *indexes;
    uint32_t index_size; /* element stride */
    uint32_t watch_size; /* element stride */
    const struct kd_watch *watches;
    uint32_t n_watches;
    uint32_t n_short_names;
    const char *const *short_names; /* as kubectl knows them: "po" */
    /*
     * Optional; NULL queues every event. I/O thread, one call at a time; must not block.
     * KD_FILTER_* for the key of `event`, which is borrowed for the call. An object that is gone
     * leaves the graph whatever is said here, unless the kind has a reconcile of its own.
     */
    uint32_t (*filter)(void *self, const struct kd_event *event);
    /*
     * Optional; NULL: the host's default, which is all of the object. Worker; may block for as long
     * as reconcile_timeout. Changes parts of `res`, which holds the default. Everything is borrowed
     * for the call. 0; KD_ETERMINAL: no retry; any other KD_E*: retry with back-off. After an error
     * the graph keeps what it had. Not called for observers.
     */
    int32_t (*convert)(void *self, struct kd_ctx *ctx, const struct kd_object *obj,
                       struct kd_resource *res);
    /*
     * Optional; NULL: none. Worker, after convert; may block as it may. Adds to `out` all relations
     * that the object gives rise to: they replace those of the call before. Everything is borrowed
     * for the call, what is added is copied. Errors as convert's; then the old relations stay.
     */
    int32_t (*relate)(void *self, struct kd_ctx *ctx, const struct kd_object *obj,
                      struct kd_relations *out);
    /*
     * Optional; replaces the host's own way of get, convert, relate, write. Worker; may block as
     * convert may. `key` may be gone from the cache: ctx->ops->get tells. Everything is borrowed
     * for the call. `result` is zeroed by the host. Errors as convert's.
     */
    int32_t (*reconcile)(void *self, struct kd_ctx *ctx, const struct kd_key *key,
                         struct kd_result *result);
    /*
     * Optional. Worker, before anything else is done for the key; may block as convert may. `last`
     * is the last known state of an object that is gone, or that another of its name has replaced;
     * borrowed for the call. flags: KD_DELETED_*. Errors as convert's: without KD_ETERMINAL the
     * same state is shown again.
     */
    int32_t (*deleted)(void *self, struct kd_ctx *ctx, const struct kd_object *last,
                       uint32_t flags);
};

/* Outcome of reconcile beside its return value: 0 done, KD_ETERMINAL no retry, else retry. */
struct kd_result {
    uint32_t struct_size;
    uint32_t reserved;
    /* Above zero: come again after so long, at least 10 ms. Ignored with an error. */
    int64_t requeue_after_ns;
};

/* Log levels. */
#define KD_LOG_DEBUG 0u
#define KD_LOG_INFO 1u
#define KD_LOG_WARN 2u
#define KD_LOG_ERROR 3u

/*
 * What a callback may ask of the host: on the thread and during the call that was given it. What it
 * returns is the host's and valid until that call returns. None of it blocks on a peer or a disk.
 */
struct kd_ctx_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /*
     * Scratch memory, 16-byte aligned, not zeroed; the host frees it after the call. NULL past its
     * bound, 256 MiB a call: the callback then returns KD_ENOMEM.
     */
    void *(*alloc)(struct kd_ctx *ctx, uint64_t size);
    /* Logs one line, to which plugin, kind and key are added. level is KD_LOG_*; text is copied. */
    void (*log)(struct kd_ctx *ctx, uint32_t level, const char *text);
    /* The wall clock, in nanoseconds since 1970. */
    int64_t (*now)(struct kd_ctx *ctx);
    /*
     * KD_CAP_CACHE_READ. Object `key` of the callback's own kind, as the cache has it now. 0,
     * KD_ENOENT: there is none, KD_ENOMEM: past the bound on scratch memory, KD_EPARSE: it is no
     * object that can be read. *ret is set with 0 only.
     */
    int32_t (*get)(struct kd_ctx *ctx, const struct kd_key *key, const struct kd_object **ret);
    /*
     * KD_CAP_CACHE_READ. Keys of the callback's own kind whose declared index `index` has `value`.
     * The array is scratch memory. 0, with *ret_n 0 when there are none; KD_ENOENT for an index
     * that the kind does not declare, KD_ENOMEM. The results are set with 0 only.
     */
    int32_t (*list)(struct kd_ctx *ctx, const char *index, struct kd_str value,
                    const struct kd_key **ret, uint64_t *ret_n);
};

struct kd_ctx {
    const struct kd_ctx_ops *ops;
    void *host;
};

static inline void *kd_ctx_alloc(struct kd_ctx *ctx, uint64_t size)
{
    return ctx->ops->alloc(ctx, size);
}

static inline void kd_ctx_log(struct kd_ctx *ctx, uint32_t level, const char *text)
{
    ctx->ops->log(ctx, level, text);
}

/* Where map puts the keys that it wants queued. */
struct kd_requests_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* Queues `key`, which is copied; one that is not there costs one look. During map only. */
    void (*add)(struct kd_requests *out, const struct kd_key *key);
};

struct kd_requests {
    const struct kd_requests_ops *ops;
    void *host;
};

/* The host as init receives it; valid until fini returns. */
struct kd_host {
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor;
    uint64_t caps;
    const char *version; /* the host's own version */
    /* Logs one line, to which the plugin is added. Any thread; does not block; text is copied. */
    void (*log)(const struct kd_host *host, uint32_t level, const char *text);
    void *opaque;
};

/* Where describe puts kinds that come from settings. The host copies each with its strings. */
struct kd_kind_sink {
    uint32_t struct_size;
    uint32_t reserved;
    /*
     * Adds one kind; it is copied with all that it points to. 0 or the KD_E* of the rule that it
     * breaks, after which nothing more is taken and describe returns the code. During describe
     * only.
     */
    int32_t (*add)(struct kd_kind_sink *sink, const struct kd_kind *kind);
    void *host;
};

struct kd_plugin {
    uint32_t magic; /* KD_PLUGIN_MAGIC; the first 32 bytes are frozen for all majors */
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor;
    uint16_t min_host_minor;
    uint16_t reserved0;
    uint64_t required_caps;
    const char *name; /* [a-z0-9-], 1 to 63 characters */
    const char *version;
    const struct kd_kind *kinds;
    uint32_t n_kinds;
    uint32_t kind_size;
    const struct kd_option *options;
    uint32_t n_options;
    uint32_t option_size;
    uint32_t settings_size;
    uint32_t flags;
    /*
     * Optional and pure: kinds that come from settings. Main thread, before init; must not block,
     * and is run by `kindred check` too. Both arguments are borrowed for the call. 0 or negative
     * KD_E*, which refuses the entry.
     */
    int32_t (*describe)(const void *settings, struct kd_kind_sink *sink);
    /*
     * Optional. Main thread, once per config entry, before any other callback of it. The start
     * waits for it, and says so after two seconds. host and settings are valid until fini returns.
     * *self, the plugin's own, goes into every callback; NULL when it is not set. 0; else negative
     * KD_E*, with the reason in err->text: the entry is refused, and fini is not called.
     */
    int32_t (*init)(const struct kd_host *host, const void *settings, void **self,
                    struct kd_error *err);
    /*
     * Optional. Main thread, after the last callback of an entry whose init returned 0; entries in
     * reverse order. Frees what self holds. The stop waits for it. Code and data of the file stay
     * until the process ends.
     */
    void (*fini)(void *self);
};

#if defined(__GNUC__)
#define KD_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define KD_PLUGIN_EXPORT
#endif

/* The head and sizes that every plugin fills in the same way. */
#define KD_PLUGIN_HEAD(name_lit, version_lit)                                                      \
    .magic = KD_PLUGIN_MAGIC, .struct_size = sizeof(struct kd_plugin), .abi_major = KD_ABI_MAJOR,  \
    .abi_minor = KD_ABI_MINOR, .min_host_minor = 0, .name = (name_lit), .version = (version_lit)

#define KD_ARRAY(member, count, array)                                                             \
    .member = (array), .count = (uint32_t)(sizeof(array) / sizeof((array)[0]))

extern KD_PLUGIN_EXPORT const struct kd_plugin kindred_plugin;

#ifdef __cplusplus
}
#endif

#endif
