/*
 * The layout of ABI 1.0, as its plugins were built with: offsets, the types of all functions, the
 * values of all constants. It is compiled against today's headers and never edited: what does not
 * compile here breaks plugins that are out there. A struct may have grown at its end, but for those
 * that carry no size of their own.
 */
#include <kindred/plugin.h>

#include <stddef.h>

#define FIXED(name, bytes) _Static_assert(sizeof(struct name) == (bytes), #name " has another size")
#define LEAST(name, bytes) _Static_assert(sizeof(struct name) >= (bytes), #name " has shrunk")
#define AT(name, member, offset)                                                                   \
    _Static_assert(offsetof(struct name, member) == (offset), #name "." #member " has moved")
#define CALL(name, member, ...)                                                                    \
    _Static_assert(_Generic(((struct name *)0)->member, __VA_ARGS__: 1, default: 0),               \
                   #name "." #member " has another type")
#define VALUE(name, value) _Static_assert((name) == (value), #name " has another value")

/* clang-format off: one line for each fact */

FIXED(kd_str, 16);
AT(kd_str, ptr, 0);
AT(kd_str, len, 8);

FIXED(kd_value, 24);
AT(kd_value, ptr, 0);
AT(kd_value, len, 8);
AT(kd_value, type, 16);
AT(kd_value, reserved, 20);

FIXED(kd_ref, 96);
AT(kd_ref, group, 0);
AT(kd_ref, version, 16);
AT(kd_ref, kind, 32);
AT(kd_ref, ns, 48);
AT(kd_ref, name, 64);
AT(kd_ref, uid, 80);

FIXED(kd_key, 32);
AT(kd_key, ns, 0);
AT(kd_key, name, 16);

FIXED(kd_error, 504);
AT(kd_error, code, 0);
AT(kd_error, reserved, 4);
AT(kd_error, text, 8);

FIXED(kd_iter, 32);
AT(kd_iter, pos, 0);
AT(kd_iter, end, 8);
AT(kd_iter, opaque, 16);

LEAST(kd_object_ops, 56);
AT(kd_object_ops, struct_size, 0);
AT(kd_object_ops, reserved, 4);
AT(kd_object_ops, field, 8);
CALL(kd_object_ops, field, void (*)(const struct kd_object *obj, uint32_t field,
     struct kd_value *ret));
AT(kd_object_ops, member, 16);
CALL(kd_object_ops, member, void (*)(const struct kd_object *obj, const struct kd_value *value,
     struct kd_str key, struct kd_value *ret));
AT(kd_object_ops, string, 24);
CALL(kd_object_ops, string, void (*)(const struct kd_object *obj, const struct kd_value *value,
     struct kd_str *ret));
AT(kd_object_ops, integer, 32);
CALL(kd_object_ops, integer, uint32_t (*)(const struct kd_value *value, int64_t *ret));
AT(kd_object_ops, iter_init, 40);
CALL(kd_object_ops, iter_init, void (*)(struct kd_iter *iter, const struct kd_value *value));
AT(kd_object_ops, iter_next, 48);
CALL(kd_object_ops, iter_next, uint32_t (*)(struct kd_iter *iter, struct kd_value *ret_key,
     struct kd_value *ret_value));

LEAST(kd_object, 248);
AT(kd_object, ops, 0);
AT(kd_object, ref, 8);
AT(kd_object, resource_version, 104);
AT(kd_object, root, 120);
AT(kd_object, labels, 144);
AT(kd_object, annotations, 168);
AT(kd_object, owners, 192);
AT(kd_object, created, 216);
AT(kd_object, host, 240);

FIXED(kd_attr, 48);
AT(kd_attr, key, 0);
AT(kd_attr, text, 16);
AT(kd_attr, number, 32);
AT(kd_attr, type, 40);
AT(kd_attr, flags, 44);

LEAST(kd_relations_ops, 16);
AT(kd_relations_ops, struct_size, 0);
AT(kd_relations_ops, reserved, 4);
AT(kd_relations_ops, add, 8);
CALL(kd_relations_ops, add, int32_t (*)(struct kd_relations *out, struct kd_str type,
     const struct kd_ref *subject, const struct kd_ref *object, const struct kd_attr *attrs,
     uint32_t n_attrs));

LEAST(kd_relations, 112);
AT(kd_relations, ops, 0);
AT(kd_relations, self, 8);
AT(kd_relations, host, 104);

LEAST(kd_resource_ops, 32);
AT(kd_resource_ops, struct_size, 0);
AT(kd_resource_ops, reserved, 4);
AT(kd_resource_ops, set_labels, 8);
CALL(kd_resource_ops, set_labels, int32_t (*)(struct kd_resource *res, struct kd_str json));
AT(kd_resource_ops, set_annotations, 16);
CALL(kd_resource_ops, set_annotations, int32_t (*)(struct kd_resource *res, struct kd_str json));
AT(kd_resource_ops, set_data, 24);
CALL(kd_resource_ops, set_data, int32_t (*)(struct kd_resource *res, struct kd_str json));

LEAST(kd_resource, 16);
AT(kd_resource, ops, 0);
AT(kd_resource, host, 8);

LEAST(kd_event, 128);
AT(kd_event, struct_size, 0);
AT(kd_event, type, 4);
AT(kd_event, changed, 8);
AT(kd_event, flags, 12);
AT(kd_event, ref, 16);
AT(kd_event, resource_version, 112);

FIXED(kd_strs, 16);
AT(kd_strs, items, 0);
AT(kd_strs, n, 8);

LEAST(kd_option, 48);
AT(kd_option, key, 0);
AT(kd_option, type, 8);
AT(kd_option, offset, 12);
AT(kd_option, value, 16);
AT(kd_option, min, 24);
AT(kd_option, max, 32);
AT(kd_option, help, 40);

LEAST(kd_index, 16);
AT(kd_index, name, 0);
AT(kd_index, path, 8);

LEAST(kd_map_event, 112);
AT(kd_map_event, struct_size, 0);
AT(kd_map_event, reserved, 4);
AT(kd_map_event, event, 8);
AT(kd_map_event, old_labels, 16);
AT(kd_map_event, new_labels, 40);
AT(kd_map_event, old_owners, 64);
AT(kd_map_event, new_owners, 88);

LEAST(kd_watch, 48);
AT(kd_watch, group, 0);
AT(kd_watch, version, 8);
AT(kd_watch, kind, 16);
AT(kd_watch, resource, 24);
AT(kd_watch, scope, 32);
AT(kd_watch, flags, 36);
AT(kd_watch, map, 40);
CALL(kd_watch, map, void (*)(void *self, const struct kd_map_event *event,
     struct kd_requests *out));

LEAST(kd_kind, 152);
AT(kd_kind, struct_size, 0);
AT(kd_kind, flags, 4);
AT(kd_kind, group, 8);
AT(kd_kind, version, 16);
AT(kd_kind, kind, 24);
AT(kd_kind, resource, 32);
AT(kd_kind, scope, 40);
AT(kd_kind, n_fields, 44);
AT(kd_kind, fields, 48);
AT(kd_kind, noise, 56);
AT(kd_kind, n_noise, 64);
AT(kd_kind, n_indexes, 68);
AT(kd_kind, indexes, 72);
AT(kd_kind, index_size, 80);
AT(kd_kind, watch_size, 84);
AT(kd_kind, watches, 88);
AT(kd_kind, n_watches, 96);
AT(kd_kind, n_short_names, 100);
AT(kd_kind, short_names, 104);
AT(kd_kind, filter, 112);
CALL(kd_kind, filter, uint32_t (*)(void *self, const struct kd_event *event));
AT(kd_kind, convert, 120);
CALL(kd_kind, convert, int32_t (*)(void *self, struct kd_ctx *ctx, const struct kd_object *obj,
     struct kd_resource *res));
AT(kd_kind, relate, 128);
CALL(kd_kind, relate, int32_t (*)(void *self, struct kd_ctx *ctx, const struct kd_object *obj,
     struct kd_relations *out));
AT(kd_kind, reconcile, 136);
CALL(kd_kind, reconcile, int32_t (*)(void *self, struct kd_ctx *ctx, const struct kd_key *key,
     struct kd_result *result));
AT(kd_kind, deleted, 144);
CALL(kd_kind, deleted, int32_t (*)(void *self, struct kd_ctx *ctx,
     const struct kd_object *last, uint32_t flags));

LEAST(kd_result, 16);
AT(kd_result, struct_size, 0);
AT(kd_result, reserved, 4);
AT(kd_result, requeue_after_ns, 8);

LEAST(kd_ctx_ops, 48);
AT(kd_ctx_ops, struct_size, 0);
AT(kd_ctx_ops, reserved, 4);
AT(kd_ctx_ops, alloc, 8);
CALL(kd_ctx_ops, alloc, void * (*)(struct kd_ctx *ctx, uint64_t size));
AT(kd_ctx_ops, log, 16);
CALL(kd_ctx_ops, log, void (*)(struct kd_ctx *ctx, uint32_t level, const char *text));
AT(kd_ctx_ops, now, 24);
CALL(kd_ctx_ops, now, int64_t (*)(struct kd_ctx *ctx));
AT(kd_ctx_ops, get, 32);
CALL(kd_ctx_ops, get, int32_t (*)(struct kd_ctx *ctx, const struct kd_key *key,
     const struct kd_object **ret));
AT(kd_ctx_ops, list, 40);
CALL(kd_ctx_ops, list, int32_t (*)(struct kd_ctx *ctx, const char *index, struct kd_str value,
     const struct kd_key **ret, uint64_t *ret_n));

LEAST(kd_ctx, 16);
AT(kd_ctx, ops, 0);
AT(kd_ctx, host, 8);

LEAST(kd_requests_ops, 16);
AT(kd_requests_ops, struct_size, 0);
AT(kd_requests_ops, reserved, 4);
AT(kd_requests_ops, add, 8);
CALL(kd_requests_ops, add, void (*)(struct kd_requests *out, const struct kd_key *key));

LEAST(kd_requests, 16);
AT(kd_requests, ops, 0);
AT(kd_requests, host, 8);

LEAST(kd_host, 40);
AT(kd_host, struct_size, 0);
AT(kd_host, abi_major, 4);
AT(kd_host, abi_minor, 6);
AT(kd_host, caps, 8);
AT(kd_host, version, 16);
AT(kd_host, log, 24);
CALL(kd_host, log, void (*)(const struct kd_host *host, uint32_t level, const char *text));
AT(kd_host, opaque, 32);

LEAST(kd_kind_sink, 24);
AT(kd_kind_sink, struct_size, 0);
AT(kd_kind_sink, reserved, 4);
AT(kd_kind_sink, add, 8);
CALL(kd_kind_sink, add, int32_t (*)(struct kd_kind_sink *sink, const struct kd_kind *kind));
AT(kd_kind_sink, host, 16);

LEAST(kd_plugin, 104);
AT(kd_plugin, magic, 0);
AT(kd_plugin, struct_size, 4);
AT(kd_plugin, abi_major, 8);
AT(kd_plugin, abi_minor, 10);
AT(kd_plugin, min_host_minor, 12);
AT(kd_plugin, reserved0, 14);
AT(kd_plugin, required_caps, 16);
AT(kd_plugin, name, 24);
AT(kd_plugin, version, 32);
AT(kd_plugin, kinds, 40);
AT(kd_plugin, n_kinds, 48);
AT(kd_plugin, kind_size, 52);
AT(kd_plugin, options, 56);
AT(kd_plugin, n_options, 64);
AT(kd_plugin, option_size, 68);
AT(kd_plugin, settings_size, 72);
AT(kd_plugin, flags, 76);
AT(kd_plugin, describe, 80);
CALL(kd_plugin, describe, int32_t (*)(const void *settings, struct kd_kind_sink *sink));
AT(kd_plugin, init, 88);
CALL(kd_plugin, init, int32_t (*)(const struct kd_host *host, const void *settings,
     void **self, struct kd_error *err));
AT(kd_plugin, fini, 96);
CALL(kd_plugin, fini, void (*)(void *self));

VALUE(KD_JSON_NONE, 0);
VALUE(KD_JSON_NULL, 1);
VALUE(KD_JSON_BOOL, 2);
VALUE(KD_JSON_NUMBER, 3);
VALUE(KD_JSON_STRING, 4);
VALUE(KD_JSON_ARRAY, 5);
VALUE(KD_JSON_OBJECT, 6);
VALUE(KD_ERROR_TEXT, 496);
VALUE(KD_EINVAL, -1);
VALUE(KD_ENOMEM, -2);
VALUE(KD_ENOENT, -3);
VALUE(KD_EEXIST, -4);
VALUE(KD_ETOOBIG, -5);
VALUE(KD_EPARSE, -6);
VALUE(KD_EIO, -7);
VALUE(KD_ENET, -8);
VALUE(KD_ETIMEOUT, -9);
VALUE(KD_ECANCELED, -10);
VALUE(KD_EHTTP, -11);
VALUE(KD_EAGAIN, -12);
VALUE(KD_EBUSY, -13);
VALUE(KD_EABI, -14);
VALUE(KD_ECONFIG, -15);
VALUE(KD_EPERM, -16);
VALUE(KD_ETERMINAL, -17);
VALUE(KD_EPLUGIN, -18);
VALUE(KD_ESTORE, -19);
VALUE(KD_EUNSUPPORTED, -20);
VALUE(KD_ESHUTDOWN, -21);
VALUE(KD_ATTR_STRING, 0);
VALUE(KD_ATTR_INT, 1);
VALUE(KD_ATTR_BOOL, 2);
VALUE(KD_ATTR_ANY, 1);
VALUE(KD_PLUGIN_MAGIC, 1262767665);
VALUE(KD_ABI_MAJOR, 1);
VALUE(KD_CAP_CACHE_READ, 1);
VALUE(KD_SCOPE_NAMESPACED, 0);
VALUE(KD_SCOPE_CLUSTER, 1);
VALUE(KD_KIND_OBSERVER, 1);
VALUE(KD_KIND_METADATA_ONLY, 2);
VALUE(KD_EVENT_ADDED, 1);
VALUE(KD_EVENT_MODIFIED, 2);
VALUE(KD_EVENT_DELETED, 3);
VALUE(KD_EVENT_INITIAL, 1);
VALUE(KD_EVENT_NEW_UID, 2);
VALUE(KD_EVENT_FINAL_UNKNOWN, 4);
VALUE(KD_CHANGED_LABELS, 1);
VALUE(KD_CHANGED_ANNOTATIONS, 2);
VALUE(KD_CHANGED_METADATA, 4);
VALUE(KD_CHANGED_SPEC, 8);
VALUE(KD_CHANGED_STATUS, 16);
VALUE(KD_CHANGED_REST, 32);
VALUE(KD_OPTION_STRING, 1);
VALUE(KD_OPTION_INT, 2);
VALUE(KD_OPTION_BOOL, 3);
VALUE(KD_OPTION_DURATION, 4);
VALUE(KD_OPTION_STRINGS, 5);
VALUE(KD_FILTER_DROP, 0);
VALUE(KD_FILTER_QUEUE, 1);
VALUE(KD_DELETED_FINAL_UNKNOWN, 1);
VALUE(KD_LOG_DEBUG, 0);
VALUE(KD_LOG_INFO, 1);
VALUE(KD_LOG_WARN, 2);
VALUE(KD_LOG_ERROR, 3);
