/*
 * Runs a plugin's relate over objects. What it says becomes one line for each relation, in the
 * order of the calls; the host would leave out what is said twice.
 */
#ifndef KD_TESTS_PLUGIN_RELATED_H
#define KD_TESTS_PLUGIN_RELATED_H

#include "host.h"

#include "base/str.h"
#include "plugin/object.h"

#define MAX_LINES 64

struct sink {
    struct kd_relations relations;
    char *lines[MAX_LINES];
    size_t n;
    size_t fail_at;  /* the add that fails; 0: none */
    bool no_scratch; /* the host gives no scratch memory */
};

/* Kind.group:version/namespace/name@uid; group and version are left out for the core group. */
static inline void put_ref(struct kd_buf *line, const struct kd_ref *ref)
{
    assert_int_equal(kd_buf_printf(line, KD_STR_FMT, KD_STR_ARG(ref->kind)), 0);
    if (ref->group.len > 0) {
        assert_int_equal(kd_buf_printf(line, "." KD_STR_FMT ":" KD_STR_FMT, KD_STR_ARG(ref->group),
                                       KD_STR_ARG(ref->version)),
                         0);
    }
    assert_int_equal(kd_buf_printf(line, "/" KD_STR_FMT "/" KD_STR_FMT, KD_STR_ARG(ref->ns),
                                   KD_STR_ARG(ref->name)),
                     0);
    if (ref->uid.len > 0) {
        assert_int_equal(kd_buf_printf(line, "@" KD_STR_FMT, KD_STR_ARG(ref->uid)), 0);
    }
}

static inline void put_attr(struct kd_buf *line, const struct kd_attr *attr)
{
    assert_int_equal(kd_buf_printf(line, " " KD_STR_FMT "=", KD_STR_ARG(attr->key)), 0);
    if (attr->type == KD_ATTR_STRING) {
        assert_int_equal(kd_buf_put_json(line, attr->text), 0);
    } else {
        assert_int_equal(kd_buf_printf(line, "%lld%s", (long long)attr->number,
                                       attr->flags & KD_ATTR_ANY ? "?" : ""),
                         0);
    }
}

static inline int32_t on_add(struct kd_relations *out, struct kd_str type,
                             const struct kd_ref *subject, const struct kd_ref *object,
                             const struct kd_attr *attrs, uint32_t n_attrs)
{
    struct sink *sink = out->host;
    struct kd_buf line;
    if (sink->fail_at && sink->n + 1 == sink->fail_at) {
        return KD_ETOOBIG;
    }
    kd_buf_init(&line, 4 * KD_KIB);
    assert_int_equal(kd_buf_printf(&line, KD_STR_FMT " ", KD_STR_ARG(type)), 0);
    put_ref(&line, subject);
    assert_int_equal(kd_buf_puts(&line, " -> "), 0);
    put_ref(&line, object);
    for (uint32_t i = 0; i < n_attrs; i++) {
        put_attr(&line, &attrs[i]);
    }
    assert_true(sink->n < MAX_LINES);
    sink->lines[sink->n++] = kd_buf_steal(&line);
    return 0;
}

static inline void sink_clear(struct sink *sink)
{
    for (size_t i = 0; i < sink->n; i++) {
        kd_free(sink->lines[i]);
    }
    sink->n = 0;
}

static inline void *on_alloc(struct kd_ctx *ctx, uint64_t size)
{
    struct kd_arena *arena = ctx->host;
    return arena ? kd_arena_alloc(arena, size) : NULL;
}

/* Runs relate of the instance's only kind over an object's text. */
static inline int32_t relate_text(const struct kd_instance *instance, struct kd_str json,
                                  struct sink *sink)
{
    static const struct kd_relations_ops ops = { .struct_size = sizeof(ops), .add = on_add };
    static const struct kd_ctx_ops ctx_ops = { .struct_size = sizeof(ctx_ops), .alloc = on_alloc };
    const struct kd_instance_kind *kind = &instance->kinds[0];
    struct kd_arena arena;
    struct kd_ctx ctx = { &ctx_ops, sink->no_scratch ? NULL : &arena };
    struct kd_object *object = NULL;
    kd_arena_init(&arena, KD_MIB);
    sink_clear(sink);
    assert_int_equal(kd_object_bind(kind, json, &arena, &object, NULL), 0);
    sink->relations = (struct kd_relations){ &ops, object->ref, sink };
    int32_t rc = kind->def.relate(instance->self, &ctx, object, &sink->relations);
    kd_arena_release(&arena);
    return rc;
}

/* The same over a file of data/. */
static inline int32_t relate_file(const char *path, const struct kd_instance *instance,
                                  struct sink *sink)
{
    struct kd_buf json;
    kd_buf_init(&json, KD_MIB);
    assert_int_equal(kd_file_read(path, &json, NULL), 0);
    int32_t rc = relate_text(instance, kd_buf_str(&json), sink);
    kd_buf_release(&json);
    return rc;
}

/* A macro, since only tests know where the data is. */
#define relate_data(instance, name, sink) relate_file(TEST_DATA "/" name, (instance), (sink))

static inline void assert_lines(const struct sink *sink, const char *const *want, size_t n)
{
    for (size_t i = 0; i < n && i < sink->n; i++) {
        assert_string_equal(sink->lines[i], want[i]);
    }
    assert_int_equal(sink->n, n);
}

#define ASSERT_LINES(sink, ...)                                                                    \
    assert_lines((sink), (const char *const[]){ __VA_ARGS__ },                                     \
                 KD_ARRAY_LEN(((const char *const[]){ __VA_ARGS__ })))

static inline const struct kd_instance *instance_of(struct host *host, const char *folder,
                                                    const char *name)
{
    host_copy_from(host, folder, name, name);
    assert_loaded(host_load_one(host, name));
    kd_plugins_init(host->plugins);
    return host_instance(host, 0);
}

#endif
