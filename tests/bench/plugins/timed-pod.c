/*
 * The pod plugin of the benchmark: relates as plugins/pod does, then notes when it has dealt with a
 * numbered update. The host's own convert comes before relate, so that both are behind the note.
 * The notes are written as lines "number nanoseconds" when the plugin ends.
 */
#include <kindred/plugin.h>

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#define MAX_UPDATES 1000000
#define NS_PER_S INT64_C(1000000000)

enum { P_NODE_NAME, P_SEQUENCE };

static const char *const fields[] = {
    [P_NODE_NAME] = "/spec/nodeName",
    [P_SEQUENCE] = "/metadata/annotations/bench.kindred.dev~1sequence",
};

struct settings {
    struct kd_str file;
};

static const struct kd_option options[] = {
    { "file", KD_OPTION_STRING, offsetof(struct settings, file), 0, 0, 0, "Where the notes go." },
};

static _Atomic int64_t arrivals[MAX_UPDATES];

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* The first arrival of a number counts; 0 and what is no number is passed over. */
static void note(struct kd_str sequence)
{
    int64_t none = 0;
    size_t number = 0;
    for (size_t i = 0; i < sequence.len; i++) {
        if (sequence.ptr[i] < '0' || sequence.ptr[i] > '9' || number >= MAX_UPDATES) {
            return;
        }
        number = number * 10 + (size_t)(sequence.ptr[i] - '0');
    }
    if (number > 0 && number < MAX_UPDATES) {
        (void)atomic_compare_exchange_strong(&arrivals[number], &none, now_ns());
    }
}

static int32_t timed_relate(void *self, struct kd_ctx *ctx, const struct kd_object *pod,
                            struct kd_relations *out)
{
    struct kd_str node = kd_object_str(pod, P_NODE_NAME);
    int32_t err = 0;
    (void)self;
    (void)ctx;
    if (node.len > 0) {
        err = kd_relations_add(out, "PodNodeBinding", kd_ref_cluster("", "v1", "Node", node),
                               KD_ATTR("nodeName", node));
    }
    note(kd_object_str(pod, P_SEQUENCE));
    return err;
}

static int32_t timed_init(const struct kd_host *host, const void *settings, void **self,
                          struct kd_error *err)
{
    (void)host;
    (void)err;
    *self = (void *)(uintptr_t)settings; /* they live as long as the entry */
    return 0;
}

static void timed_fini(void *self)
{
    const struct settings *settings = self;
    FILE *file = settings->file.len > 0 ? fopen(settings->file.ptr, "we") : NULL;
    if (!file) {
        return;
    }
    for (size_t i = 1; i < MAX_UPDATES; i++) {
        int64_t at = atomic_load(&arrivals[i]);
        if (at != 0) {
            (void)fprintf(file, "%zu %lld\n", i, (long long)at);
        }
    }
    (void)fclose(file);
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "",
        .version = "v1",
        .kind = "Pod",
        .resource = "pods",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(fields, n_fields, fields),
        .relate = timed_relate,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("timed-pod", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
    KD_ARRAY(options, n_options, options),
    .option_size = sizeof(struct kd_option),
    .settings_size = sizeof(struct settings),
    .init = timed_init,
    .fini = timed_fini,
};
