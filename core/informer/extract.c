/* From an object's text to the parts of its record: identity, section hashes, stored text. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/str.h"
#include "informer/family.h"
#include "informer/shape.h"

#define SCRATCH_KEEP (256 * KD_KIB)

void kd_scratch_init(struct kd_scratch *scratch, const struct kd_shape *shape)
{
    *scratch = (struct kd_scratch){ 0 };
    kd_arena_init(&scratch->arena, KD_MAX_SCRATCH);
    kd_buf_init(&scratch->json, shape->max_json);
    kd_buf_init(&scratch->edited, shape->max_json);
    kd_buf_init(&scratch->stripped, shape->max_json);
}

void kd_scratch_release(struct kd_scratch *scratch)
{
    kd_arena_release(&scratch->arena);
    kd_outline_release(&scratch->outline);
    kd_outline_release(&scratch->quiet);
    kd_buf_release(&scratch->json);
    kd_buf_release(&scratch->edited);
    kd_buf_release(&scratch->stripped);
}

static struct kd_value object_of(const struct kd_buf *buf)
{
    return (struct kd_value){ .ptr = buf->ptr, .len = buf->len, .type = KD_JSON_OBJECT };
}

/* Decoded text of a member, empty when it is no string or has `max` bytes or more. */
static struct kd_str text_of(const struct kd_member_list *members, const char *key, size_t max,
                             struct kd_arena *arena)
{
    struct kd_str text = { NULL, 0 };
    struct kd_value value = kd_member_get(members, key);
    if (value.type == KD_JSON_STRING && kd_json_string(value, arena, &text) == 0 &&
        text.len < max) {
        return text;
    }
    return (struct kd_str){ NULL, 0 };
}

int kd_shape_identify(const struct kd_shape *shape, struct kd_scratch *scratch,
                      struct kd_value object, struct kd_record_parts *parts)
{
    const struct kd_member_list *meta = &scratch->outline.meta;
    struct kd_arena *arena = &scratch->arena;
    (void)shape;
    kd_arena_reset(arena, SCRATCH_KEEP);
    KD_TRY(kd_outline_read(&scratch->outline, object));
    *parts = (struct kd_record_parts){
        .key.ns = text_of(meta, "namespace", KD_NAME_MAX + 1, arena),
        .key.name = text_of(meta, "name", KD_NAME_MAX + 1, arena),
        .uid = text_of(meta, "uid", KD_UID_MAX + 1, arena),
        .version = text_of(meta, "resourceVersion", KD_VERSION_MAX, arena),
    };
    struct kd_value ns = kd_member_get(meta, "namespace");
    bool bad_ns = parts->key.ns.len == 0 && ns.type != KD_JSON_NONE && ns.type != KD_JSON_NULL &&
                  !kd_json_string_is(ns, KD_STR(""));
    return parts->key.name.len && !bad_ns ? 0 : KD_EINVAL;
}

/* What says nothing counts as not there: null, "" and empty brackets. */
static bool is_empty(struct kd_value value)
{
    return value.type == KD_JSON_NONE || value.type == KD_JSON_NULL ||
           (value.len == 2 && value.type >= KD_JSON_STRING);
}

static uint64_t hash_value(struct kd_value value)
{
    return is_empty(value) ? 0 : kd_hash(value.ptr, value.len, 1);
}

struct section_name {
    struct kd_str key;
    int section; /* -1: no section takes it */
};

/* Adds each member to the section that its name says, or else to `rest`. A sum, so that the order
 * of members does not matter. */
static void hash_members(const struct kd_member_list *members, const struct section_name *names,
                         size_t n_names, enum kd_section rest, uint64_t *hashes)
{
    for (size_t i = 0; i < members->n; i++) {
        const struct kd_member *member = &members->items[i];
        int section = (int)rest;
        size_t k = 0;
        while (k < n_names && !kd_json_string_is(member->key, names[k].key)) {
            k++;
        }
        if (k < n_names) {
            section = names[k].section;
        }
        if (section == (int)rest && !is_empty(member->value)) {
            uint64_t key = kd_hash(member->key.ptr, member->key.len, 2);
            hashes[section] += kd_hash_mix(key, hash_value(member->value));
        } else if (section >= 0 && section != (int)rest) {
            hashes[section] = hash_value(member->value);
        }
    }
}

static void hash_outline(const struct kd_outline *outline, bool metadata_only, uint64_t *hashes)
{
    static const struct section_name top[] = {
        { KD_STR_INIT("metadata"), -1 },
        { KD_STR_INIT("spec"), KD_SECTION_SPEC },
        { KD_STR_INIT("status"), KD_SECTION_STATUS },
        { KD_STR_INIT("apiVersion"), -1 },
        { KD_STR_INIT("kind"), -1 },
    };
    static const struct section_name meta[] = {
        { KD_STR_INIT("labels"), KD_SECTION_LABELS },
        { KD_STR_INIT("annotations"), KD_SECTION_ANNOTATIONS },
        { KD_STR_INIT("resourceVersion"), -1 },
        { KD_STR_INIT("managedFields"), -1 },
    };
    memset(hashes, 0, KD_N_SECTIONS * sizeof(*hashes));
    hash_members(&outline->meta, meta, KD_ARRAY_LEN(meta), KD_SECTION_METADATA, hashes);
    if (!metadata_only) {
        hash_members(&outline->top, top, KD_ARRAY_LEN(top), KD_SECTION_REST, hashes);
    }
}

static int put_members(struct kd_buf *buf, const struct kd_member_list *members, const char *skip,
                       bool first)
{
    for (size_t i = 0; i < members->n; i++) {
        const struct kd_member *member = &members->items[i];
        if (kd_json_string_is(member->key, kd_str_from(skip))) {
            continue;
        }
        KD_TRY(first ? 0 : kd_buf_putc(buf, ','));
        KD_TRY(kd_buf_put(buf, member->key.ptr, member->key.len));
        KD_TRY(kd_buf_putc(buf, ':'));
        KD_TRY(kd_buf_put(buf, member->value.ptr, member->value.len));
        first = false;
    }
    return 0;
}

static int put_metadata(struct kd_buf *buf, const struct kd_outline *outline)
{
    KD_TRY(kd_buf_puts(buf, ",\"metadata\":{"));
    KD_TRY(put_members(buf, &outline->meta, "managedFields", true));
    return kd_buf_putc(buf, '}');
}

/* The stored text: apiVersion and kind first, managedFields left out, all else as it came. */
static int put_object(const struct kd_shape *shape, const struct kd_outline *outline,
                      struct kd_buf *buf)
{
    kd_buf_clear(buf, SCRATCH_KEEP);
    KD_TRY(kd_buf_puts(buf, shape->head));
    KD_TRY(put_metadata(buf, outline));
    for (size_t i = 0; i < outline->top.n && !shape->metadata_only; i++) {
        const struct kd_member_list one = { &outline->top.items[i], 1, 1 };
        bool known = kd_json_string_is(one.items->key, KD_STR("apiVersion")) ||
                     kd_json_string_is(one.items->key, KD_STR("kind"));
        if (!known) {
            KD_TRY(put_members(buf, &one, "metadata", false));
        }
    }
    return kd_buf_putc(buf, '}');
}

/* Leaves in the outline what the mode keeps. */
static int apply_mode(const struct kd_shape *shape, struct kd_scratch *scratch,
                      struct kd_value object)
{
    if (!shape->keep && !shape->drop) {
        return 0;
    }
    kd_buf_clear(&scratch->edited, SCRATCH_KEEP);
    KD_TRY(shape->keep ? kd_json_plan_keep(shape->keep, object, &scratch->edited)
                       : kd_json_plan_strip(shape->drop, object, &scratch->edited));
    return kd_outline_read(&scratch->outline, object_of(&scratch->edited));
}

int kd_shape_fill(const struct kd_shape *shape, struct kd_scratch *scratch, struct kd_value object,
                  struct kd_record_parts *parts)
{
    KD_TRY(apply_mode(shape, scratch, object));
    KD_TRY(put_object(shape, &scratch->outline, &scratch->json));
    parts->json = kd_buf_str(&scratch->json);
    parts->owner =
        kd_owner_hash(kd_member_get(&scratch->outline.meta, "ownerReferences"), &scratch->arena);
    const struct kd_outline *outline = &scratch->outline;
    if (shape->noise) {
        kd_buf_clear(&scratch->stripped, SCRATCH_KEEP);
        KD_TRY(kd_json_plan_strip(shape->noise, object_of(&scratch->json), &scratch->stripped));
        KD_TRY(kd_outline_read(&scratch->quiet, object_of(&scratch->stripped)));
        outline = &scratch->quiet;
    }
    hash_outline(outline, shape->metadata_only, parts->hashes);
    return 0;
}
