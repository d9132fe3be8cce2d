/*
 * A host of ABI 1.0, built with the headers beside it and never edited: it loads a plugin of any
 * later minor, calls what 1.0 knows, and every table that it hands over ends where the memory ends.
 * usage: host PLUGIN.so, which is made of tests/plugins/probe.c
 */
#include <kindred/plugin.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

static char said[4096];

static void say(const char *text)
{
    size_t len = strlen(said);
    (void)snprintf(said + len, sizeof(said) - len, "%s\n", text);
}

static void die(const char *text)
{
    (void)fprintf(stderr, "%s\n", text);
    exit(1);
}

/* A copy whose next byte is out of reach. */
static void *at_the_edge(const void *from, size_t size)
{
    char *pages =
        mmap(NULL, PAGE + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE) != 0) {
        die("no memory");
    }
    return memcpy(pages + PAGE - size, from, size);
}

/* The object's one field is field 0, "/spec/peer". */
static void field(const struct kd_object *obj, uint32_t number, struct kd_value *ret)
{
    (void)obj;
    *ret =
        number == 0 ? (struct kd_value){ "\"q\"", 3, KD_JSON_STRING, 0 } : (struct kd_value){ 0 };
}

static void member(const struct kd_object *obj, const struct kd_value *value, struct kd_str key,
                   struct kd_value *ret)
{
    (void)obj;
    (void)value;
    (void)key;
    *ret = (struct kd_value){ 0 };
}

static void string(const struct kd_object *obj, const struct kd_value *value, struct kd_str *ret)
{
    (void)obj;
    *ret = value->type == KD_JSON_STRING ? (struct kd_str){ value->ptr + 1, value->len - 2 }
                                         : (struct kd_str){ NULL, 0 };
}

static uint32_t integer(const struct kd_value *value, int64_t *ret)
{
    (void)value;
    (void)ret;
    return 0;
}

static void iter_init(struct kd_iter *iter, const struct kd_value *value)
{
    (void)value;
    memset(iter, 0, sizeof(*iter));
}

static uint32_t iter_next(struct kd_iter *iter, struct kd_value *key, struct kd_value *value)
{
    (void)iter;
    (void)key;
    (void)value;
    return 0;
}

static const struct kd_object *object;

static void *ctx_alloc(struct kd_ctx *ctx, uint64_t size)
{
    static char scratch[256];
    (void)ctx;
    return size <= sizeof(scratch) ? scratch : NULL;
}

static void ctx_log(struct kd_ctx *ctx, uint32_t level, const char *text)
{
    (void)ctx;
    (void)level;
    say(text);
}

static int64_t ctx_now(struct kd_ctx *ctx)
{
    (void)ctx;
    return 0;
}

static int32_t ctx_get(struct kd_ctx *ctx, const struct kd_key *key, const struct kd_object **ret)
{
    (void)ctx;
    (void)key;
    *ret = object;
    return 0;
}

static int32_t ctx_list(struct kd_ctx *ctx, const char *index, struct kd_str value,
                        const struct kd_key **ret, uint64_t *ret_n)
{
    (void)ctx;
    (void)value;
    (void)ret;
    say(index);
    *ret_n = 7;
    return 0;
}

static int32_t add(struct kd_relations *out, struct kd_str type, const struct kd_ref *subject,
                   const struct kd_ref *other, const struct kd_attr *attrs, uint32_t n_attrs)
{
    char line[128];
    (void)out;
    (void)subject;
    (void)other;
    (void)snprintf(line, sizeof(line), "%.*s %u %lld", (int)type.len, type.ptr, n_attrs,
                   (long long)attrs[0].number);
    say(line);
    return 0;
}

static int32_t set_part(struct kd_resource *res, struct kd_str json)
{
    (void)res;
    say(json.ptr[0] == '{' ? "part" : "no part");
    return json.ptr[0] == '{' ? 0 : KD_EPARSE;
}

static void host_log(const struct kd_host *host, uint32_t level, const char *text)
{
    (void)host;
    (void)level;
    say(text);
}

static void call_all(const struct kd_plugin *plugin, const struct kd_kind *probe,
                     const struct kd_kind *steady)
{
    const struct kd_ctx_ops ctx_ops = { sizeof(ctx_ops), 0,       ctx_alloc, ctx_log,
                                        ctx_now,         ctx_get, ctx_list };
    const struct kd_relations_ops relations_ops = { sizeof(relations_ops), 0, add };
    const struct kd_resource_ops resource_ops = { sizeof(resource_ops), 0, set_part, set_part,
                                                  set_part };
    const struct kd_host host = { sizeof(host), 1, 0, KD_CAPS_ALL, "1.0", host_log, NULL };
    const struct kd_event event = { .struct_size = sizeof(event), .changed = KD_CHANGED_STATUS };
    const struct kd_result none = { .struct_size = sizeof(none) };
    struct kd_ctx ctx = { at_the_edge(&ctx_ops, sizeof(ctx_ops)), NULL };
    struct kd_relations out = { at_the_edge(&relations_ops, sizeof(relations_ops)), object->ref,
                                NULL };
    struct kd_resource res = { at_the_edge(&resource_ops, sizeof(resource_ops)), NULL };
    struct kd_result *result = at_the_edge(&none, sizeof(none));
    struct kd_error error = { 0 };
    void *self = NULL;
    if (plugin->init(at_the_edge(&host, sizeof(host)), NULL, &self, &error) < 0 ||
        probe->filter(self, at_the_edge(&event, sizeof(event))) != KD_FILTER_DROP ||
        probe->convert(self, at_the_edge(&ctx, sizeof(ctx)), object,
                       at_the_edge(&res, sizeof(res))) < 0 ||
        probe->relate(self, at_the_edge(&ctx, sizeof(ctx)), object,
                      at_the_edge(&out, sizeof(out))) < 0 ||
        probe->deleted(self, at_the_edge(&ctx, sizeof(ctx)), object, 0) < 0 ||
        steady->reconcile(self, at_the_edge(&ctx, sizeof(ctx)), &(struct kd_key){ 0 }, result) <
            0) {
        die("a call failed");
    }
    if (result->requeue_after_ns != INT64_C(60000000000)) {
        die("reconcile asked for another time");
    }
}

/* Row i, cut to what 1.0 knows of a kind. */
static struct kd_kind kind_at(const struct kd_plugin *plugin, uint32_t i)
{
    struct kd_kind kind = { 0 };
    const char *row = (const char *)plugin->kinds + (size_t)i * plugin->kind_size;
    memcpy(&kind, row, plugin->kind_size < sizeof(kind) ? plugin->kind_size : sizeof(kind));
    return kind;
}

int main(int argc, char **argv)
{
    const struct kd_object_ops object_ops = {
        sizeof(object_ops), 0, field, member, string, integer, iter_init, iter_next
    };
    const struct kd_object whole = {
        .ops = at_the_edge(&object_ops, sizeof(object_ops)),
        .ref = { { "g", 1 }, { "v1", 2 }, { "Probe", 5 }, { "a", 1 }, { "p", 1 }, { "", 0 } },
    };
    struct kd_plugin plugin = { 0 };
    void *handle = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    const struct kd_plugin *found = handle ? dlsym(handle, "kindred_plugin") : NULL;
    object = at_the_edge(&whole, sizeof(whole));
    if (!found) {
        die(handle ? "no plugin" : dlerror());
    }
    if (found->magic != KD_PLUGIN_MAGIC || found->abi_major != 1 || found->min_host_minor != 0 ||
        (found->required_caps & ~KD_CAPS_ALL) != 0 || found->struct_size < sizeof(plugin)) {
        die("a host of 1.0 refuses it");
    }
    memcpy(&plugin, found, sizeof(plugin));
    struct kd_kind probe = kind_at(&plugin, 0);
    struct kd_kind steady = kind_at(&plugin, 1);
    call_all(&plugin, &probe, &steady);
    (void)fputs(said, stdout);
    return 0;
}
