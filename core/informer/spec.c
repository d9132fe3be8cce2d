/* A spec with all that it points to. */
#include "base/alloc.h"
#include "informer/parts.h"

static char *copy(const char *text)
{
    return kd_strdup(text ? text : "");
}

static const char *const *copy_texts(const char *const *texts, size_t n)
{
    char **to = kd_zalloc_array(n + 1, sizeof(char *));
    for (size_t i = 0; i < n; i++) {
        to[i] = copy(texts[i]);
    }
    return (const char *const *)to;
}

static void free_text(const char *text)
{
    kd_free((void *)(uintptr_t)text);
}

static void free_texts(const char *const *texts, size_t n)
{
    for (size_t i = 0; texts && i < n; i++) {
        free_text(texts[i]);
    }
    kd_free((void *)(uintptr_t)texts);
}

void kd_informer_spec_copy(struct kd_informer_spec *to, const struct kd_informer_spec *from)
{
    *to = *from;
    to->group = copy(from->group);
    to->version = copy(from->version);
    to->kind = copy(from->kind);
    to->resource = copy(from->resource);
    to->label_selector = copy(from->label_selector);
    to->field_selector = copy(from->field_selector);
    to->mode = copy(from->mode);
    to->fields = copy_texts(from->fields, from->n_fields);
    to->noise = copy_texts(from->noise, from->n_noise);
    to->namespaces.items = kd_zalloc_array(from->namespaces.n + 1, sizeof(char *));
    for (size_t i = 0; i < from->namespaces.n; i++) {
        to->namespaces.items[i] = copy(from->namespaces.items[i]);
    }
    struct kd_index *indexes = kd_zalloc_array(from->n_indexes + 1, sizeof(struct kd_index));
    for (size_t i = 0; i < from->n_indexes; i++) {
        indexes[i].name = copy(from->indexes[i].name);
        indexes[i].path = copy(from->indexes[i].path);
    }
    to->indexes = indexes;
}

void kd_informer_spec_release(struct kd_informer_spec *spec)
{
    free_text(spec->group);
    free_text(spec->version);
    free_text(spec->kind);
    free_text(spec->resource);
    free_text(spec->label_selector);
    free_text(spec->field_selector);
    free_text(spec->mode);
    free_texts(spec->fields, spec->n_fields);
    free_texts(spec->noise, spec->n_noise);
    for (size_t i = 0; i < spec->namespaces.n; i++) {
        kd_free(spec->namespaces.items[i]);
    }
    kd_free(spec->namespaces.items);
    for (size_t i = 0; spec->indexes && i < spec->n_indexes; i++) {
        free_text(spec->indexes[i].name);
        free_text(spec->indexes[i].path);
    }
    kd_free((void *)(uintptr_t)spec->indexes);
    *spec = (struct kd_informer_spec){ 0 };
}
