#include "base/ref.h"

#include "base/hash.h"
#include "base/macros.h"
#include "base/str.h"

void kd_ref_put_json(struct kd_buf *out, const struct kd_ref *ref)
{
    const struct {
        const char *key;
        struct kd_str text;
    } members[] = { { "group", ref->group },  { "version", ref->version }, { "kind", ref->kind },
                    { "namespace", ref->ns }, { "name", ref->name },       { "uid", ref->uid } };
    for (size_t i = 0; i < KD_ARRAY_LEN(members); i++) {
        (void)kd_buf_printf(out, "%s\"%s\":", i ? "," : "{", members[i].key);
        (void)kd_buf_put_json(out, members[i].text);
    }
    (void)kd_buf_putc(out, '}');
}

int kd_ref_cmp(const struct kd_ref *a, const struct kd_ref *b)
{
    int order = kd_str_cmp(a->kind, b->kind);
    order = order ? order : kd_str_cmp(a->group, b->group);
    order = order ? order : kd_str_cmp(a->ns, b->ns);
    return order ? order : kd_str_cmp(a->name, b->name);
}

/* What differs most often first. */
bool kd_ref_same(const struct kd_ref *a, const struct kd_ref *b)
{
    return kd_str_eq(a->name, b->name) && kd_str_eq(a->ns, b->ns) && kd_str_eq(a->kind, b->kind) &&
           kd_str_eq(a->group, b->group);
}

uint64_t kd_ref_hash(const struct kd_ref *ref)
{
    uint64_t hash = kd_hash_mix(kd_hash_str(ref->kind), kd_hash_str(ref->group));
    hash = kd_hash_mix(hash, kd_hash_str(ref->ns));
    return kd_hash_mix(hash, kd_hash_str(ref->name));
}
