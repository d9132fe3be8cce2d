#include "ctl/view.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "ctl/cells.h"
#include "ctl/resources.h"
#include "json/json.h"

#define COLUMNS_MAX 4 /* of a kind's own */
#define CELL_MAX (256 * KD_KIB)

/* From one path, as "path/of" from two, or by a function. */
struct column {
    const char *header;
    const char *path; /* within the object */
    const char *of;
    void (*cell)(struct kd_buf *out, struct kd_value data);
};

struct kd_ctl_view {
    const char *group;
    const char *kind;
    struct column columns[COLUMNS_MAX];
    const char *summary; /* header of the column that stands for the state, or NULL */
};

#define REPLICAS(have, want) .header = "READY", .path = "/status/" have, .of = (want)

static const struct kd_ctl_view views[] = {
    { "",
      "Pod",
      { { "READY", NULL, NULL, kd_ctl_cell_pod_ready },
        { "STATUS", NULL, NULL, kd_ctl_cell_pod_status },
        { "NODE", "/spec/nodeName", NULL, NULL } },
      "STATUS" },
    { "",
      "Node",
      { { "STATUS", NULL, NULL, kd_ctl_cell_node_status },
        { "VERSION", "/status/nodeInfo/kubeletVersion", NULL, NULL } },
      "STATUS" },
    { "",
      "Service",
      { { "TYPE", "/spec/type", NULL, NULL }, { "CLUSTER-IP", "/spec/clusterIP", NULL, NULL } },
      NULL },
    { "", "Namespace", { { "STATUS", "/status/phase", NULL, NULL } }, NULL },
    { "",
      "PersistentVolume",
      { { "STATUS", "/status/phase", NULL, NULL }, { "CLAIM", "/spec/claimRef/name", NULL, NULL } },
      "STATUS" },
    { "",
      "PersistentVolumeClaim",
      { { "STATUS", "/status/phase", NULL, NULL }, { "VOLUME", "/spec/volumeName", NULL, NULL } },
      "STATUS" },
    { "apps", "Deployment", { { REPLICAS("readyReplicas", "/spec/replicas") } }, "READY" },
    { "apps", "ReplicaSet", { { REPLICAS("readyReplicas", "/spec/replicas") } }, "READY" },
    { "apps", "StatefulSet", { { REPLICAS("readyReplicas", "/spec/replicas") } }, "READY" },
    { "apps",
      "DaemonSet",
      { { REPLICAS("numberReady", "/status/desiredNumberScheduled") } },
      "READY" },
    { "batch", "Job", { { "COMPLETIONS", "/status/succeeded", "/spec/completions", NULL } }, NULL },
};

/* Kinds without an entry above: their labels tell the most. */
static const struct kd_ctl_view general_view = { "", "", { { NULL, NULL, NULL, NULL } }, NULL };

/* For a list of several kinds. */
static const struct kd_ctl_view mixed_view = { "", "", { { NULL, NULL, NULL, NULL } }, NULL };

const struct kd_ctl_view *kd_ctl_view_mixed(void)
{
    return &mixed_view;
}

const struct kd_ctl_view *kd_ctl_view_of(const struct kd_ref *ref)
{
    for (size_t i = 0; i < KD_ARRAY_LEN(views); i++) {
        if (kd_str_is(ref->kind, views[i].kind) && kd_str_is(ref->group, views[i].group)) {
            return &views[i];
        }
    }
    return &general_view;
}

static bool has_column(const struct kd_ctl_view *view, size_t i)
{
    return i < COLUMNS_MAX && view->columns[i].header;
}

void kd_ctl_view_begin(const struct kd_ctl_view *view, bool namespaced, struct kd_ctl_table *table)
{
    const char *headers[COLUMNS_MAX + 5];
    size_t n = 0;
    if (view == &mixed_view) {
        headers[n++] = "KIND";
    }
    if (namespaced) {
        headers[n++] = "NAMESPACE";
    }
    headers[n++] = "NAME";
    for (size_t i = 0; has_column(view, i); i++) {
        headers[n++] = view->columns[i].header;
    }
    headers[n++] = "AGE";
    if (view == &general_view) {
        headers[n++] = "LABELS";
    }
    kd_ctl_table_init(table, headers, n);
}

/* "2/3"; none ready yet is 0, but where nothing is wanted nothing is known. */
static void put_ratio(const struct column *column, struct kd_value data, struct kd_buf *out)
{
    struct kd_value have = { 0 };
    struct kd_value want = { 0 };
    if (!kd_json_at(data, column->of, &want)) {
        return;
    }
    if (kd_json_at(data, column->path, &have)) {
        kd_ctl_cell_value(out, have);
    } else {
        (void)kd_buf_putc(out, '0'); /* remembered by the buffer, as all here */
    }
    (void)kd_buf_putc(out, '/');
    kd_ctl_cell_value(out, want);
}

static void put_column(const struct column *column, struct kd_value data, struct kd_buf *out)
{
    struct kd_value value = { 0 };
    if (column->cell) {
        column->cell(out, data);
    } else if (column->of) {
        put_ratio(column, data, out);
    } else if (kd_json_at(data, column->path, &value)) {
        kd_ctl_cell_value(out, value);
    }
}

static void put_age_of(struct kd_value item, int64_t wall_ns, struct kd_arena *arena,
                       struct kd_buf *out)
{
    int64_t created_ns = 0;
    if (kd_rfc3339_parse(kd_json_get_str(item, KD_STR("createdAt"), arena), &created_ns) == 0) {
        kd_ctl_age_put(out, wall_ns - created_ns);
    }
}

void kd_ctl_view_row(const struct kd_ctl_view *view, bool namespaced, struct kd_value item,
                     int64_t wall_ns, struct kd_ctl_table *table)
{
    KD_AUTO_ARENA struct kd_arena arena;
    KD_AUTO_BUF struct kd_buf cell;
    struct kd_value data = { 0 };
    struct kd_value labels = { 0 };
    kd_arena_init(&arena, KD_MIB);
    kd_buf_init(&cell, CELL_MAX); /* what is longer is cut */
    struct kd_ref ref = kd_ctl_ref_of(item, "ref", &arena);
    (void)kd_json_get(item, KD_STR("data"), &data); /* without it the cells are empty */
    if (view == &mixed_view) {
        kd_ctl_table_cell(table, ref.kind);
    }
    if (namespaced) {
        kd_ctl_table_cell(table, ref.ns);
    }
    kd_ctl_table_cell(table, ref.name);
    for (size_t i = 0; has_column(view, i); i++) {
        kd_buf_clear(&cell, KD_KIB);
        put_column(&view->columns[i], data, &cell);
        kd_ctl_table_cell(table, kd_buf_str(&cell));
    }
    kd_buf_clear(&cell, KD_KIB);
    put_age_of(item, wall_ns, &arena, &cell);
    kd_ctl_table_cell(table, kd_buf_str(&cell));
    if (view == &general_view && kd_json_get(item, KD_STR("labels"), &labels)) {
        kd_buf_clear(&cell, KD_KIB);
        kd_ctl_cell_labels(&cell, labels);
        kd_ctl_table_cell(table, kd_buf_str(&cell));
    } else if (view == &general_view) {
        kd_ctl_table_cell(table, KD_STR(""));
    }
}

bool kd_ctl_view_has_summary(const struct kd_ctl_view *view)
{
    return view->summary != NULL;
}

void kd_ctl_view_summary(const struct kd_ctl_view *view, struct kd_value item, struct kd_buf *out)
{
    struct kd_value data = { 0 };
    size_t before = out->len;
    for (size_t i = 0; view->summary && has_column(view, i); i++) {
        const struct column *column = &view->columns[i];
        if (strcmp(column->header, view->summary) == 0 &&
            kd_json_get(item, KD_STR("data"), &data)) {
            put_column(column, data, out);
            (void)kd_buf_puts(out, column->of && out->len > before ? " ready" : "");
        }
    }
}
