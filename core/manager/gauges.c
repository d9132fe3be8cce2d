#include "manager/gauges.h"

#include "base/limits.h"
#include "base/str.h"

#include <malloc.h>

#define ARENA_MAX (64 * KD_MIB)
#define LABEL_MAX 256

static const char *const plugin_labels[] = { "plugin", "version", "abi" };
static const char *const kind_labels[] = { "kind", "group" };
static const char *const part_labels[] = { "part" };

#define GAUGE(name_, help_, labels_)                                                               \
    {                                                                                              \
        .type = KD_GAUGE, .name = (name_), .help = (help_), .labels = (labels_),                   \
        .n_labels = KD_ARRAY_LEN(labels_)                                                          \
    }

static const struct kd_family_spec plugin_family =
    GAUGE("kindred_plugin_loaded", "1: the entry's plugin is loaded, 0: it was refused.",
          plugin_labels);
static const struct kd_family_spec ready_family =
    GAUGE("kindred_kind_ready", "1: the kind's readiness check passes.", kind_labels);
static const struct kd_family_spec stored_family =
    GAUGE("kindred_store_resources", "Resources of the kind in the graph.", kind_labels);
static const struct kd_family_spec memory_family =
    GAUGE("kindred_memory_bytes",
          "Memory by part: heap_used, heap_free and heap_mapped are the allocator's, cache and "
          "sqlite are parts of what is used.",
          part_labels);

/* Families whose series come and go with the configuration are filled anew each time. */
static struct kd_family *emptied(struct kd_gauges *gauges, const struct kd_family_spec *spec)
{
    struct kd_family *family = kd_metrics_family(gauges->metrics, spec);
    kd_family_drop_all(family, NULL, 0);
    return family;
}

static const char *text_of(struct kd_str str, char out[LABEL_MAX])
{
    (void)snprintf(out, LABEL_MAX, KD_STR_FMT, KD_STR_ARG(str)); /* cut to fit */
    return out;
}

static void collect_plugins(struct kd_gauges *gauges, const struct kd_server_source *source,
                            struct kd_arena *arena)
{
    struct kd_family *family = emptied(gauges, &plugin_family);
    const struct kd_plugin_row *rows = NULL;
    size_t n = source->plugins(source->arg, arena, &rows);
    for (size_t i = 0; i < n; i++) {
        char name[LABEL_MAX];
        char version[LABEL_MAX];
        char abi[LABEL_MAX];
        const char *const values[] = { text_of(rows[i].name, name),
                                       text_of(rows[i].version, version),
                                       text_of(rows[i].abi, abi) };
        kd_gauge_set(kd_family_series(family, values), kd_str_is(rows[i].state, "loaded"));
    }
}

static void collect_kinds(struct kd_gauges *gauges, const struct kd_server_source *source,
                          struct kd_arena *arena)
{
    struct kd_family *ready = emptied(gauges, &ready_family);
    struct kd_family *stored = emptied(gauges, &stored_family);
    const struct kd_kind_row *rows = NULL;
    size_t n = source->kinds(source->arg, arena, &rows);
    for (size_t i = 0; i < n; i++) {
        char kind[LABEL_MAX];
        char group[LABEL_MAX];
        const char *const values[] = { text_of(rows[i].kind, kind), text_of(rows[i].group, group) };
        kd_gauge_set(kd_family_series(ready, values), rows[i].ready);
        kd_gauge_set(kd_family_series(stored, values), (double)rows[i].stored);
    }
}

static double cached_bytes(struct kd_kinds *kinds)
{
    const struct kd_view *view = kd_kinds_hold(kinds);
    double bytes = 0;
    for (size_t i = 0; i < view->n; i++) {
        struct kd_informer_status status;
        kd_informer_get_status(view->items[i].informer, &status);
        bytes += (double)status.bytes;
    }
    kd_kinds_drop(kinds, view);
    return bytes;
}

static void collect_memory(struct kd_gauges *gauges)
{
    struct kd_family *family = kd_metrics_family(gauges->metrics, &memory_family);
    struct mallinfo2 heap = mallinfo2();
    const struct {
        const char *part;
        double bytes;
    } parts[] = {
        { "heap_used", (double)heap.uordblks },
        { "heap_free", (double)heap.fordblks },
        { "heap_mapped", (double)heap.hblkhd },
        { "cache", cached_bytes(gauges->source->kinds) },
        { "sqlite", (double)kd_store_memory_bytes() },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(parts); i++) {
        kd_gauge_set(kd_family_series(family, &parts[i].part), parts[i].bytes);
    }
}

static void collect(void *arg)
{
    struct kd_gauges *gauges = arg;
    const struct kd_server_source source = kd_source_vtable(gauges->source);
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, ARENA_MAX);
    collect_plugins(gauges, &source, &arena);
    collect_kinds(gauges, &source, &arena);
    collect_memory(gauges);
}

void kd_gauges_init(struct kd_gauges *gauges, struct kd_metrics *metrics, struct kd_source *source)
{
    *gauges = (struct kd_gauges){ .metrics = metrics, .source = source };
    kd_metrics_on_collect(metrics, collect, gauges);
}
