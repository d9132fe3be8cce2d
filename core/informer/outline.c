#include "informer/outline.h"

#include "base/alloc.h"
#include "base/str.h"

#define MEMBERS_MIN 32

void kd_outline_release(struct kd_outline *outline)
{
    kd_free(outline->top.items);
    kd_free(outline->meta.items);
    *outline = (struct kd_outline){ 0 };
}

static int members_read(struct kd_member_list *members, struct kd_value object)
{
    struct kd_iter iter;
    struct kd_member member;
    members->n = 0;
    if (object.type != KD_JSON_OBJECT) {
        return 0;
    }
    kd_json_iter_init(&iter, object);
    while (kd_json_iter_next(&iter, &member.key, &member.value)) {
        if (members->n == members->cap) {
            size_t cap = members->cap ? members->cap * 2 : MEMBERS_MIN;
            size_t size = 0;
            KD_ENSURE(kd_size_mul(cap, sizeof(member), &size), KD_ENOMEM);
            struct kd_member *items = kd_try_realloc(members->items, size);
            KD_ENSURE(items, KD_ENOMEM);
            members->items = items;
            members->cap = cap;
        }
        members->items[members->n++] = member;
    }
    return 0;
}

static const struct kd_member *members_find(const struct kd_member_list *members, struct kd_str key)
{
    for (size_t i = members->n; i > 0; i--) {
        if (kd_json_string_is(members->items[i - 1].key, key)) {
            return &members->items[i - 1];
        }
    }
    return NULL;
}

int kd_outline_read(struct kd_outline *outline, struct kd_value object)
{
    outline->meta.n = 0;
    outline->metadata = NULL;
    KD_TRY(members_read(&outline->top, object));
    outline->metadata = members_find(&outline->top, KD_STR("metadata"));
    return outline->metadata ? members_read(&outline->meta, outline->metadata->value) : 0;
}

struct kd_value kd_member_get(const struct kd_member_list *members, const char *key)
{
    const struct kd_member *member = members_find(members, kd_str_from(key));
    return member ? member->value : (struct kd_value){ 0 };
}

struct kd_value kd_outline_at(const struct kd_outline *outline, const char *path)
{
    struct kd_value value = { 0 };
    const char *rest = strchr(path + 1, '/');
    size_t len = rest ? (size_t)(rest - path) - 1 : strlen(path + 1);
    const struct kd_member *member = members_find(&outline->top, (struct kd_str){ path + 1, len });
    if (member && !rest) {
        return member->value;
    }
    if (member && !kd_json_at(member->value, rest, &value)) {
        value = (struct kd_value){ 0 };
    }
    return value;
}
