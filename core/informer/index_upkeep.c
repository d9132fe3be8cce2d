/* Keeping the indexes beside the table. A record does not store its index values: while the hash of
 * the section stays, so does the value, and where it changed the old text is decoded once. */
#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"
#include "informer/parts.h"

/* The old record's text, read only when an index asks for it. */
struct old_text {
    const struct kd_record *record;
    struct kd_arena arena;
    struct kd_outline outline;
    bool read;
};

static struct kd_str old_value(const struct kd_informer *informer, size_t index,
                               struct old_text *old)
{
    struct kd_str text;
    if (!old->read) {
        old->read = true;
        if (kd_record_decode(old->record, &old->arena, &text) < 0 ||
            kd_outline_read(&old->outline, kd_record_value(text)) < 0) {
            kd_outline_release(&old->outline);
        }
    }
    return kd_shape_value(&informer->shape, index, &old->outline, &old->arena);
}

static struct kd_str new_value(struct kd_informer *informer, size_t index)
{
    struct kd_scratch *scratch = &informer->scratch;
    return kd_shape_value(&informer->shape, index, &scratch->outline, &scratch->arena);
}

/* One declared index; its place in the list is one behind, after "namespace". */
static int update_one(struct kd_informer *informer, size_t i, struct old_text *old,
                      struct kd_record *record)
{
    const struct kd_shape_index *shape = &informer->shape.indexes[i];
    struct kd_value_index *index = &informer->table.indexes.items[i + 1];
    struct kd_str now = new_value(informer, i);
    if (!old->record) {
        return kd_index_add(index, now, record);
    }
    bool same = !shape->noisy && kd_record_section(old->record, shape->section) ==
                                     kd_record_section(record, shape->section);
    struct kd_str before = same ? now : old_value(informer, i, old);
    if (kd_str_eq(before, now)) {
        (void)kd_index_swap(index, now, record); /* an empty value has no place */
        return 0;
    }
    kd_index_remove(index, before, kd_record_key(old->record));
    return kd_index_add(index, now, record);
}

static void old_init(struct old_text *old, const struct kd_record *record)
{
    *old = (struct old_text){ .record = record };
    kd_arena_init(&old->arena, KD_MAX_SCRATCH);
}

static void old_release(struct old_text *old)
{
    kd_outline_release(&old->outline);
    kd_arena_release(&old->arena);
}

int kd_indexes_update(struct kd_informer *informer, const struct kd_record *old,
                      struct kd_record *record)
{
    struct kd_value_index *namespaces = &informer->table.indexes.items[KD_INDEX_NAMESPACE];
    struct kd_str ns = kd_record_key(record).ns;
    struct old_text text;
    int rc = 0;
    if (old) {
        (void)kd_index_swap(namespaces, ns, record); /* cluster scope is in none */
    } else {
        rc = kd_index_add(namespaces, ns, record);
    }
    old_init(&text, old);
    for (size_t i = 0; i < informer->shape.n_indexes; i++) {
        int one = update_one(informer, i, &text, record);
        rc = rc < 0 ? rc : one;
    }
    old_release(&text);
    return rc;
}

void kd_indexes_drop(struct kd_informer *informer, const struct kd_record *gone)
{
    struct kd_value_index *items = informer->table.indexes.items;
    struct kd_key key = kd_record_key(gone);
    struct old_text text;
    kd_index_remove(&items[KD_INDEX_NAMESPACE], key.ns, key);
    old_init(&text, gone);
    for (size_t i = 0; i < informer->shape.n_indexes; i++) {
        kd_index_remove(&items[i + 1], old_value(informer, i, &text), key);
    }
    old_release(&text);
}

void kd_indexes_swap(struct kd_informer *informer, const struct kd_record *old,
                     struct kd_record *record)
{
    struct kd_value_index *items = informer->table.indexes.items;
    struct old_text text;
    (void)kd_index_swap(&items[KD_INDEX_NAMESPACE], kd_record_key(record).ns, record);
    old_init(&text, old);
    for (size_t i = 0; i < informer->shape.n_indexes; i++) {
        (void)kd_index_swap(&items[i + 1], old_value(informer, i, &text), record);
    }
    old_release(&text);
}
