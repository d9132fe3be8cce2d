/* Cells of a wide table, most of them lists. */
#include "ctl/cells.h"

#include "base/str.h"
#include "json/json.h"

#define ROLE_LABEL "node-role.kubernetes.io/"

static bool next_of(struct kd_iter *iter, struct kd_value *ret)
{
    struct kd_value key;
    return kd_json_iter_next(iter, &key, ret);
}

/* Appends a value of a list, "," between. */
static void put_next(struct kd_buf *out, size_t start, struct kd_value value)
{
    (void)kd_buf_puts(out, out->len > start ? "," : ""); /* remembered, as all here */
    kd_ctl_cell_value(out, value);
}

/* A member of each element of a list. */
static void put_each(struct kd_buf *out, struct kd_value data, const char *path, const char *member)
{
    struct kd_value list = { 0 };
    struct kd_value item = { 0 };
    struct kd_value value = { 0 };
    struct kd_iter iter;
    size_t start = out->len;
    if (!kd_json_at(data, path, &list)) {
        return;
    }
    kd_json_iter_init(&iter, list);
    while (next_of(&iter, &item)) {
        if (kd_json_get(item, kd_str_from(member), &value)) {
            put_next(out, start, value);
        }
    }
}

void kd_ctl_cell_pod_containers(struct kd_buf *out, struct kd_value data)
{
    put_each(out, data, "/spec/containers", "name");
}

void kd_ctl_cell_pod_restarts(struct kd_buf *out, struct kd_value data)
{
    struct kd_value list = { 0 };
    struct kd_value item = { 0 };
    struct kd_value value = { 0 };
    struct kd_iter iter;
    int64_t all = 0;
    if (!kd_json_at(data, "/status/containerStatuses", &list)) {
        return;
    }
    kd_json_iter_init(&iter, list);
    while (next_of(&iter, &item)) {
        int64_t one = 0;
        if (kd_json_get(item, KD_STR("restartCount"), &value) && kd_json_int(value, &one) == 0) {
            all += one > 0 && one < INT32_MAX ? one : 0;
        }
    }
    (void)kd_buf_printf(out, "%lld", (long long)all);
}

void kd_ctl_cell_node_roles(struct kd_buf *out, struct kd_value data)
{
    static const struct kd_str prefix = KD_STR_INIT(ROLE_LABEL);
    struct kd_value labels = { 0 };
    struct kd_value key = { 0 };
    struct kd_value value = { 0 };
    struct kd_iter iter;
    size_t start = out->len;
    if (!kd_json_at(data, "/metadata/labels", &labels)) {
        return;
    }
    kd_json_iter_init(&iter, labels);
    while (kd_json_iter_next(&iter, &key, &value)) {
        struct kd_str text = { key.ptr + 1, key.len > 2 ? key.len - 2 : 0 }; /* has no escapes */
        if (kd_str_starts(text, prefix)) {
            (void)kd_buf_puts(out, out->len > start ? "," : "");
            (void)kd_buf_put(out, text.ptr + prefix.len, text.len - prefix.len);
        }
    }
}

void kd_ctl_cell_node_address(struct kd_buf *out, struct kd_value data)
{
    struct kd_value list = { 0 };
    struct kd_value item = { 0 };
    struct kd_value value = { 0 };
    struct kd_iter iter;
    size_t start = out->len;
    if (!kd_json_at(data, "/status/addresses", &list)) {
        return;
    }
    kd_json_iter_init(&iter, list);
    while (next_of(&iter, &item)) {
        if (kd_json_get(item, KD_STR("type"), &value) &&
            kd_json_string_is(value, KD_STR("InternalIP")) &&
            kd_json_get(item, KD_STR("address"), &value)) {
            put_next(out, start, value);
        }
    }
}

/* "80:30080/TCP,443/TCP" */
void kd_ctl_cell_service_ports(struct kd_buf *out, struct kd_value data)
{
    struct kd_value list = { 0 };
    struct kd_value item = { 0 };
    struct kd_value value = { 0 };
    struct kd_iter iter;
    size_t start = out->len;
    if (!kd_json_at(data, "/spec/ports", &list)) {
        return;
    }
    kd_json_iter_init(&iter, list);
    while (next_of(&iter, &item)) {
        if (kd_json_get(item, KD_STR("port"), &value)) {
            put_next(out, start, value);
        }
        if (kd_json_get(item, KD_STR("nodePort"), &value)) {
            (void)kd_buf_putc(out, ':');
            kd_ctl_cell_value(out, value);
        }
        if (kd_json_get(item, KD_STR("protocol"), &value)) {
            (void)kd_buf_putc(out, '/');
            kd_ctl_cell_value(out, value);
        }
    }
}

void kd_ctl_cell_containers(struct kd_buf *out, struct kd_value data)
{
    put_each(out, data, "/spec/template/spec/containers", "name");
}

void kd_ctl_cell_images(struct kd_buf *out, struct kd_value data)
{
    put_each(out, data, "/spec/template/spec/containers", "image");
}

/* A service has its labels right there, all others have them as matchLabels. */
void kd_ctl_cell_selector(struct kd_buf *out, struct kd_value data)
{
    struct kd_value labels = { 0 };
    if (kd_json_at(data, "/spec/selector/matchLabels", &labels) ||
        kd_json_at(data, "/spec/selector", &labels)) {
        kd_ctl_cell_labels(out, labels);
    }
}
