#include "config/kubefields.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "config/pem.h"

#include <ctype.h>

#define WHAT_MAX 256

void kd_strlist_add(struct kd_strlist *list, const char *text)
{
    list->items = kd_realloc_array(list->items, list->n + 1, sizeof(*list->items));
    list->items[list->n++] = kd_strdup(text);
}

void kd_strlist_wipe(struct kd_strlist *list)
{
    for (size_t i = 0; i < list->n; i++) {
        kd_secret_free(list->items[i]); /* a credential program's arguments may hold one */
    }
    kd_free(list->items);
    *list = (struct kd_strlist){ NULL, 0 };
}

void kd_field_fail(struct kd_kubefields *in, const yaml_node_t *node, const char *field,
                   const char *what)
{
    in->rc = kd_fail(in->reterr, KD_ECONFIG, "%s:%d: %s \"%s\": %s %s", in->path,
                     node ? kd_yaml_line(node) : 1, in->list, in->name, field, what);
}

yaml_node_t *kd_field_node(struct kd_kubefields *in, const char *field)
{
    return in->rc == 0 ? kd_yaml_member(in->yaml, in->node, field) : NULL;
}

void kd_field_one_line(struct kd_kubefields *in, const yaml_node_t *node, const char *field)
{
    const char *value = kd_yaml_text(node);
    if (in->rc < 0 || !value) {
        return;
    }
    struct kd_str trimmed = kd_str_trim((struct kd_str){ value, node->data.scalar.length });
    for (size_t i = 0; i < trimmed.len; i++) {
        if (iscntrl((unsigned char)trimmed.ptr[i])) {
            kd_field_fail(in, node, field,
                          "holds a line break or another control character; remove it");
            return;
        }
    }
}

char *kd_field_exact(struct kd_kubefields *in, const char *field)
{
    const yaml_node_t *node = kd_field_node(in, field);
    const char *value = kd_yaml_text(node);
    if (node && node->type != YAML_SCALAR_NODE) {
        kd_field_fail(in, node, field, "is no text");
    }
    kd_field_one_line(in, node, field);
    if (!value || in->rc < 0) {
        return NULL;
    }
    return kd_str_dup((struct kd_str){ value, node->data.scalar.length });
}

char *kd_field_text(struct kd_kubefields *in, const char *field)
{
    char *value = kd_field_exact(in, field);
    struct kd_str trimmed = kd_str_trim(kd_str_from(value));
    char *out = trimmed.len ? kd_str_dup(trimmed) : NULL;
    kd_secret_free(value);
    return out;
}

char *kd_field_path(struct kd_kubefields *in, const char *field)
{
    KD_AUTO_FREE char *path = kd_field_text(in, field);
    return path ? kd_path_beside(in->path, path) : NULL;
}

char *kd_field_pem(struct kd_kubefields *in, const char *field, char **ret_file)
{
    char *out = NULL;
    KD_AUTO_FREE char *data_field = kd_asprintf("%s-data", field);
    KD_AUTO_FREE char *what =
        kd_asprintf("%s: %s \"%.*s\": %s", in->path, in->list, WHAT_MAX, in->name, field);
    const yaml_node_t *node = kd_field_node(in, data_field);
    if (kd_yaml_text(node)) {
        KD_AUTO_FREE char *data_what = kd_asprintf("%s-data", what);
        in->rc = kd_pem_decode(kd_yaml_text(node), data_what, &out, in->reterr);
        return out;
    }
    char *path = kd_field_path(in, field);
    if (path && in->rc == 0) {
        in->rc = kd_pem_read(path, what, &out, in->reterr);
    }
    *ret_file = path;
    return out;
}

bool kd_field_bool(struct kd_kubefields *in, const char *field)
{
    bool value = false;
    const yaml_node_t *node = kd_field_node(in, field);
    if (kd_yaml_bool(node, &value) < 0) {
        kd_field_fail(in, node, field, "is neither true nor false");
    }
    return value;
}

void kd_field_list(struct kd_kubefields *in, const char *field, const yaml_node_t *node,
                   struct kd_strlist *list)
{
    if (node && node->type != YAML_SEQUENCE_NODE) {
        kd_field_fail(in, node, field, "is no list");
    }
    for (size_t i = 0; in->rc == 0 && i < kd_yaml_count(node); i++) {
        const yaml_node_t *item = kd_yaml_item(in->yaml, node, i);
        if (!item || item->type != YAML_SCALAR_NODE) {
            kd_field_fail(in, node, field, "holds something that is no text");
            return;
        }
        const char *text = kd_yaml_text(item);
        if (strlen(text ? text : "") != item->data.scalar.length) {
            kd_field_fail(in, item, field, "holds a NUL byte; remove it");
            return;
        }
        kd_strlist_add(list, text ? text : "");
    }
}

void kd_field_strings(struct kd_kubefields *in, const char *field, struct kd_strlist *list)
{
    kd_field_list(in, field, kd_field_node(in, field), list);
}

struct kd_kubefields kd_field_inner(struct kd_kubefields *in, const char *field)
{
    struct kd_kubefields inner = *in;
    const yaml_node_t *node = kd_field_node(in, field);
    if (node && node->type != YAML_MAPPING_NODE) {
        kd_field_fail(in, node, field, "is no mapping");
        node = NULL;
    }
    inner.node = node;
    inner.rc = in->rc;
    return inner;
}
