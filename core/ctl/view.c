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
    struct column columns[COLUMNS_MAX]; /* ends with one without header */
    struct column wide[COLUMNS_MAX];    /* shown by -o wide, behind the age */
    const char *summary; /* header of the column that stands for the state, or NULL */
};

#define PATH(name, at)                                                                             \
    {                                                                                              \
        .header = (name), .path = (at)                                                             \
    }
#define CELL(name, function)                                                                       \
    {                                                                                              \
        .header = (name), .cell = (function)                                                       \
    }
#define READY(have, want)                                                                          \
    {                                                                                              \
        .header = "READY", .path = "/status/" have, .of = (want)                                   \
    }
#define WORKLOAD                                                                                   \
    {                                                                                              \
        CELL("CONTAINERS", kd_ctl_cell_containers), CELL("IMAGES", kd_ctl_cell_images),            \
            CELL("SELECTOR", kd_ctl_cell_selector)                                                 \
    }

static const struct kd_ctl_view views[] = {
    { "",
      "Pod",
      { CELL("READY", kd_ctl_cell_pod_ready), CELL("STATUS", kd_ctl_cell_pod_status),
        CELL("RESTARTS", kd_ctl_cell_pod_restarts), PATH("NODE", "/spec/nodeName") },
      { PATH("IP", "/status/podIP"), CELL("CONTAINERS", kd_ctl_cell_pod_containers),
        PATH("SERVICE-ACCOUNT", "/spec/serviceAccountName") },
      "STATUS" },
    { "",
      "Node",
      { CELL("STATUS", kd_ctl_cell_node_status), CELL("ROLES", kd_ctl_cell_node_roles),
        PATH("VERSION", "/status/nodeInfo/kubeletVersion") },
      { CELL("INTERNAL-IP", kd_ctl_cell_node_address), PATH("OS-IMAGE", "/status/nodeInfo/osImage"),
        PATH("KERNEL-VERSION", "/status/nodeInfo/kernelVersion"),
        PATH("CONTAINER-RUNTIME", "/status/nodeInfo/containerRuntimeVersion") },
      "STATUS" },
    { "",
      "Service",
      { PATH("TYPE", "/spec/type"), PATH("CLUSTER-IP", "/spec/clusterIP"),
        CELL("PORTS", kd_ctl_cell_service_ports) },
      { CELL("SELECTOR", kd_ctl_cell_selector) },
      NULL },
    { "", "Namespace", { PATH("STATUS", "/status/phase") }, { { 0 } }, NULL },
    { "",
      "PersistentVolume",
      { PATH("STATUS", "/status/phase"), PATH("CAPACITY", "/spec/capacity/storage"),
        PATH("CLAIM", "/spec/claimRef/name") },
      { PATH("STORAGECLASS", "/spec/storageClassName"),
        PATH("RECLAIM-POLICY", "/spec/persistentVolumeReclaimPolicy") },
      "STATUS" },
    { "",
      "PersistentVolumeClaim",
      { PATH("STATUS", "/status/phase"), PATH("VOLUME", "/spec/volumeName") },
      { PATH("CAPACITY", "/status/capacity/storage"),
        PATH("STORAGECLASS", "/spec/storageClassName") },
      "STATUS" },
    { "apps", "Deployment", { READY("readyReplicas", "/spec/replicas") }, WORKLOAD, "READY" },
    { "apps", "ReplicaSet", { READY("readyReplicas", "/spec/replicas") }, WORKLOAD, "READY" },
    { "apps", "StatefulSet", { READY("readyReplicas", "/spec/replicas") }, WORKLOAD, "READY" },
    { "apps",
      "DaemonSet",
      { READY("numberReady", "/status/desiredNumberScheduled") },
      WORKLOAD,
      "READY" },
    { "batch",
      "Job",
      { { "COMPLETIONS", "/status/succeeded", "/spec/completions", NULL } },
      WORKLOAD,
      NULL },
    { "batch",
      "CronJob",
      { PATH("SCHEDULE", "/spec/schedule"), PATH("SUSPEND", "/spec/suspend") },
      { PATH("LAST-SCHEDULE", "/status/lastScheduleTime") },
      NULL },
    { "autoscaling",
      "HorizontalPodAutoscaler",
      { PATH("REFERENCE", "/spec/scaleTargetRef/name"), PATH("MIN", "/spec/minReplicas"),
        PATH("MAX", "/spec/maxReplicas"), PATH("REPLICAS", "/status/currentReplicas") },
      { { 0 } },
      NULL },
};

/* Kinds without an entry above: their labels tell the most. */
static const struct kd_ctl_view general_view = { "", "", { { 0 } }, { { 0 } }, NULL };

/* For a list of several kinds. */
static const struct kd_ctl_view mixed_view = { "", "", { { 0 } }, { { 0 } }, NULL };

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

static size_t count_of(const struct column *columns)
{
    size_t n = 0;
    while (n < COLUMNS_MAX && columns[n].header) {
        n++;
    }
    return n;
}

static size_t add_headers(const struct column *columns, const char **headers, size_t n)
{
    for (size_t i = 0; i < count_of(columns); i++) {
        headers[n++] = columns[i].header;
    }
    return n;
}

void kd_ctl_view_begin(const struct kd_ctl_view *view, const struct kd_ctl_shape *shape,
                       struct kd_ctl_table *table)
{
    const char *headers[2 * COLUMNS_MAX + 6];
    size_t n = 0;
    if (shape->event) {
        headers[n++] = "EVENT";
    }
    if (view == &mixed_view) {
        headers[n++] = "KIND";
    }
    if (shape->namespaced) {
        headers[n++] = "NAMESPACE";
    }
    headers[n++] = "NAME";
    n = add_headers(view->columns, headers, n);
    headers[n++] = "AGE";
    n = shape->wide ? add_headers(view->wide, headers, n) : n;
    if (view == &general_view) {
        headers[n++] = "LABELS";
    }
    kd_ctl_table_init(table, headers, n);
    if (shape->event) {
        table->widths[0] = strlen("MODIFIED"); /* which is yet to come */
    }
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

static void put_cells(const struct column *columns, struct kd_value data, struct kd_buf *cell,
                      struct kd_ctl_table *table)
{
    for (size_t i = 0; i < count_of(columns); i++) {
        kd_buf_clear(cell, KD_KIB);
        put_column(&columns[i], data, cell);
        kd_ctl_table_cell(table, kd_buf_str(cell));
    }
}

void kd_ctl_view_row(const struct kd_ctl_view *view, const struct kd_ctl_shape *shape,
                     const char *event, struct kd_value item, int64_t wall_ns,
                     struct kd_ctl_table *table)
{
    KD_AUTO_ARENA struct kd_arena arena;
    KD_AUTO_BUF struct kd_buf cell;
    struct kd_value data = { 0 };
    struct kd_value labels = { 0 };
    kd_arena_init(&arena, KD_MIB);
    kd_buf_init(&cell, CELL_MAX); /* what is longer is cut */
    struct kd_ref ref = kd_ctl_ref_of(item, "ref", &arena);
    (void)kd_json_get(item, KD_STR("data"), &data); /* without it the cells are empty */
    if (shape->event) {
        kd_ctl_table_cell(table, kd_str_from(event));
    }
    if (view == &mixed_view) {
        kd_ctl_table_cell(table, ref.kind);
    }
    if (shape->namespaced) {
        kd_ctl_table_cell(table, ref.ns);
    }
    kd_ctl_table_cell(table, ref.name);
    put_cells(view->columns, data, &cell, table);
    kd_buf_clear(&cell, KD_KIB);
    put_age_of(item, wall_ns, &arena, &cell);
    kd_ctl_table_cell(table, kd_buf_str(&cell));
    if (shape->wide) {
        put_cells(view->wide, data, &cell, table);
    }
    if (view == &general_view) {
        kd_buf_clear(&cell, KD_KIB);
        (void)kd_json_get(item, KD_STR("labels"), &labels); /* none: an empty cell */
        kd_ctl_cell_labels(&cell, labels);
        kd_ctl_table_cell(table, kd_buf_str(&cell));
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
    for (size_t i = 0; view->summary && i < count_of(view->columns); i++) {
        const struct column *column = &view->columns[i];
        if (strcmp(column->header, view->summary) == 0 &&
            kd_json_get(item, KD_STR("data"), &data)) {
            put_column(column, data, out);
            (void)kd_buf_puts(out, column->of && out->len > before ? " ready" : "");
        }
    }
}
