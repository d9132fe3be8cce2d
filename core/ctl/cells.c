#include "ctl/cells.h"

#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"

void kd_ctl_cell_value(struct kd_buf *out, struct kd_value value)
{
    if (value.type == KD_JSON_STRING) {
        out->failed = kd_json_string_put(value, out) < 0 || out->failed;
    } else if (value.type != KD_JSON_NULL) {
        (void)kd_buf_put(out, value.ptr, value.len); /* remembered by the buffer, as all here */
    }
}

void kd_ctl_cell_at(struct kd_ctl_table *table, struct kd_value item, const char *path)
{
    KD_AUTO_BUF struct kd_buf cell;
    struct kd_value value = { 0 };
    kd_buf_init(&cell, KD_MIB);
    if (kd_json_at(item, path, &value)) {
        kd_ctl_cell_value(&cell, value);
    }
    kd_ctl_table_cell(table, kd_buf_str(&cell));
}

static bool put_at(struct kd_buf *out, struct kd_value data, const char *path)
{
    struct kd_value value = { 0 };
    if (!kd_json_at(data, path, &value) || value.type != KD_JSON_STRING || value.len <= 2) {
        return false;
    }
    kd_ctl_cell_value(out, value);
    return true;
}

static bool next_of(struct kd_iter *iter, struct kd_value *ret)
{
    struct kd_value key;
    return kd_json_iter_next(iter, &key, ret);
}

static bool is_true_at(struct kd_value data, const char *path)
{
    struct kd_value value = { 0 };
    return kd_json_at(data, path, &value) && kd_json_true(value);
}

void kd_ctl_cell_pod_ready(struct kd_buf *out, struct kd_value data)
{
    struct kd_value list = { 0 };
    struct kd_value item = { 0 };
    struct kd_iter iter;
    unsigned all = 0;
    unsigned ready = 0;
    if (!kd_json_at(data, "/spec/containers", &list)) {
        return;
    }
    kd_json_iter_init(&iter, list);
    while (next_of(&iter, &item)) {
        all++;
    }
    if (kd_json_at(data, "/status/containerStatuses", &list)) {
        kd_json_iter_init(&iter, list);
        while (next_of(&iter, &item)) {
            ready += is_true_at(item, "/ready");
        }
    }
    (void)kd_buf_printf(out, "%u/%u", ready, all);
}

/* Why a container of this list waits, as in "CrashLoopBackOff". */
static bool put_waiting(struct kd_buf *out, struct kd_value data, const char *path)
{
    struct kd_value list = { 0 };
    struct kd_value item = { 0 };
    struct kd_iter iter;
    if (!kd_json_at(data, path, &list)) {
        return false;
    }
    kd_json_iter_init(&iter, list);
    while (next_of(&iter, &item)) {
        if (put_at(out, item, "/state/waiting/reason")) {
            return true;
        }
    }
    return false;
}

void kd_ctl_cell_pod_status(struct kd_buf *out, struct kd_value data)
{
    struct kd_value value = { 0 };
    if (kd_json_at(data, "/metadata/deletionTimestamp", &value)) {
        (void)kd_buf_puts(out, "Terminating");
    } else if (!put_at(out, data, "/status/reason") &&
               !put_waiting(out, data, "/status/initContainerStatuses") &&
               !put_waiting(out, data, "/status/containerStatuses")) {
        (void)put_at(out, data, "/status/phase"); /* none: the cell stays empty */
    }
}

void kd_ctl_cell_node_status(struct kd_buf *out, struct kd_value data)
{
    struct kd_value list = { 0 };
    struct kd_value item = { 0 };
    struct kd_value value = { 0 };
    struct kd_iter iter;
    if (!kd_json_at(data, "/status/conditions", &list)) {
        return;
    }
    const char *status = "Unknown";
    kd_json_iter_init(&iter, list);
    while (next_of(&iter, &item)) {
        if (kd_json_get(item, KD_STR("type"), &value) &&
            kd_json_string_is(value, KD_STR("Ready")) &&
            kd_json_get(item, KD_STR("status"), &value)) {
            status = kd_json_string_is(value, KD_STR("True")) ? "Ready" : "NotReady";
        }
    }
    (void)kd_buf_puts(out, status);
    if (is_true_at(data, "/spec/unschedulable")) {
        (void)kd_buf_puts(out, ",SchedulingDisabled");
    }
}

void kd_ctl_cell_labels(struct kd_buf *out, struct kd_value labels)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value value;
    bool first = true;
    kd_json_iter_init(&iter, labels);
    while (labels.type == KD_JSON_OBJECT && kd_json_iter_next(&iter, &key, &value)) {
        (void)kd_buf_puts(out, first ? "" : ",");
        first = false;
        kd_ctl_cell_value(out, key);
        (void)kd_buf_putc(out, '=');
        kd_ctl_cell_value(out, value);
    }
}
