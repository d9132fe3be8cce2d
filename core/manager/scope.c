#include "manager/scope.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

#include <string.h>

#define SELECTOR_MAX (512 * KD_KIB)

static bool has(const struct kd_strlist *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static void keep_namespaces(const struct kd_kind_entry *entry, struct kd_strlist *ret)
{
    ret->items = kd_zalloc_array(entry->namespaces.n + 1, sizeof(*ret->items));
    for (size_t i = 0; i < entry->namespaces.n; i++) {
        if (!has(&entry->exclude_namespaces, entry->namespaces.items[i])) {
            ret->items[ret->n++] = entry->namespaces.items[i];
        }
    }
}

static char *all_but(const struct kd_kind_entry *entry)
{
    KD_AUTO_BUF struct kd_buf buf;
    kd_buf_init(&buf, SELECTOR_MAX);
    (void)kd_buf_puts(&buf, entry->field_selector);
    for (size_t i = 0; i < entry->exclude_namespaces.n; i++) {
        (void)kd_buf_printf(&buf, "%smetadata.namespace!=%s", buf.len ? "," : "",
                            entry->exclude_namespaces.items[i]);
    }
    return kd_str_dup(kd_buf_str(&buf));
}

void kd_scope_make(const struct kd_instance_kind *kind, struct kd_scope *ret)
{
    const struct kd_kind_entry *entry = kind->instance->entry;
    bool namespaced = kind->def.scope == KD_SCOPE_NAMESPACED;
    *ret = (struct kd_scope){ 0 };
    if (namespaced) {
        keep_namespaces(entry, &ret->namespaces);
    }
    ret->field_selector =
        namespaced && entry->namespaces.n == 0 ? all_but(entry) : kd_strdup(entry->field_selector);
}

void kd_scope_release(struct kd_scope *scope)
{
    kd_free(scope->namespaces.items);
    kd_free(scope->field_selector);
    *scope = (struct kd_scope){ 0 };
}

bool kd_scope_same(const struct kd_instance_kind *a, const struct kd_instance_kind *b)
{
    struct kd_scope x;
    struct kd_scope y;
    kd_scope_make(a, &x);
    kd_scope_make(b, &y);
    bool same = x.namespaces.n == y.namespaces.n && strcmp(x.field_selector, y.field_selector) == 0;
    for (size_t i = 0; same && i < x.namespaces.n; i++) {
        same = strcmp(x.namespaces.items[i], y.namespaces.items[i]) == 0;
    }
    kd_scope_release(&x);
    kd_scope_release(&y);
    return same;
}
