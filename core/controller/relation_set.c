#include "controller/relation_set.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/str.h"

#include <string.h>

#define ITEMS_MIN 16
#define ITEMS_KEEP 256 /* kept between runs */

struct seen {
    struct kd_hnode node;
    size_t index;
};

void kd_relation_set_begin(struct kd_relation_set *set, struct kd_arena *arena)
{
    set->arena = arena;
    set->n = 0;
    set->rc = 0;
}

void kd_relation_set_end(struct kd_relation_set *set)
{
    kd_hmap_release(&set->seen); /* its nodes are scratch memory */
    set->n = 0;
    if (set->cap > ITEMS_KEEP) {
        kd_relation_set_release(set);
    }
}

void kd_relation_set_release(struct kd_relation_set *set)
{
    kd_hmap_release(&set->seen);
    set->items = kd_free(set->items);
    set->n = 0;
    set->cap = 0;
}

static uint64_t hash_str(uint64_t hash, struct kd_str str)
{
    return kd_hash_mix(kd_hash(str.ptr, str.len, hash), str.len);
}

static uint64_t hash_ref(uint64_t hash, const struct kd_ref *ref)
{
    hash = hash_str(hash, ref->group);
    hash = hash_str(hash, ref->kind);
    hash = hash_str(hash, ref->ns);
    return hash_str(hash, ref->name);
}

static uint64_t hash_relation(const struct kd_relation *relation)
{
    uint64_t hash = hash_str(kd_hash_seed(), relation->type);
    hash = hash_ref(hash, &relation->subject);
    hash = hash_ref(hash, &relation->object);
    for (uint32_t i = 0; i < relation->n_attrs; i++) {
        const struct kd_attr *attr = &relation->attrs[i];
        if ((attr->flags & KD_ATTR_ANY) == 0) {
            hash = hash_str(hash, attr->key);
            hash = attr->type == KD_ATTR_STRING ? hash_str(hash, attr->text)
                                                : kd_hash_mix(hash, (uint64_t)attr->number);
        }
    }
    return hash;
}

static bool same_node(const struct kd_ref *a, const struct kd_ref *b)
{
    return kd_str_eq(a->name, b->name) && kd_str_eq(a->ns, b->ns) && kd_str_eq(a->kind, b->kind) &&
           kd_str_eq(a->group, b->group);
}

static bool same_attr(const struct kd_attr *a, const struct kd_attr *b)
{
    if (a->type != b->type || a->flags != b->flags || !kd_str_eq(a->key, b->key)) {
        return false;
    }
    if (a->flags & KD_ATTR_ANY) {
        return true;
    }
    return a->type == KD_ATTR_STRING ? kd_str_eq(a->text, b->text) : a->number == b->number;
}

static bool same_relation(const struct kd_relation *a, const struct kd_relation *b)
{
    bool same = a->n_attrs == b->n_attrs && kd_str_eq(a->type, b->type) &&
                same_node(&a->subject, &b->subject) && same_node(&a->object, &b->object);
    for (uint32_t i = 0; same && i < a->n_attrs; i++) {
        same = same_attr(&a->attrs[i], &b->attrs[i]);
    }
    return same;
}

static struct kd_relation *find(struct kd_relation_set *set, const struct kd_relation *relation,
                                uint64_t hash)
{
    struct kd_hnode *node = kd_hmap_first(&set->seen, hash);
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_relation *other = &set->items[KD_CONTAINER_OF(node, struct seen, node)->index];
        if (same_relation(other, relation)) {
            return other;
        }
    }
    return NULL;
}

/* The attributes of a kept relation are the set's own copies. */
static void join_flags(struct kd_relation *kept, const struct kd_relation *relation)
{
    struct kd_attr *attrs = (struct kd_attr *)(uintptr_t)kept->attrs;
    for (uint32_t i = 0; i < kept->n_attrs; i++) {
        if ((attrs[i].flags & KD_ATTR_ANY) && attrs[i].type == KD_ATTR_BOOL) {
            attrs[i].number = attrs[i].number || relation->attrs[i].number;
        }
    }
}

static size_t ref_bytes(const struct kd_ref *ref)
{
    return ref->group.len + ref->version.len + ref->kind.len + ref->ns.len + ref->name.len +
           ref->uid.len;
}

static void pack(char **at, struct kd_str *str)
{
    if (str->len) {
        memcpy(*at, str->ptr, str->len);
    }
    str->ptr = *at;
    *at += str->len;
}

static void pack_ref(char **at, struct kd_ref *ref)
{
    pack(at, &ref->group);
    pack(at, &ref->version);
    pack(at, &ref->kind);
    pack(at, &ref->ns);
    pack(at, &ref->name);
    pack(at, &ref->uid);
}

/* Points `relation` at copies: one piece of scratch holds the attributes, then all text. */
static int copy(struct kd_relation *relation, struct kd_arena *arena)
{
    size_t attr_bytes = relation->n_attrs * sizeof(struct kd_attr);
    size_t bytes = attr_bytes + relation->type.len + ref_bytes(&relation->subject) +
                   ref_bytes(&relation->object);
    for (uint32_t i = 0; i < relation->n_attrs; i++) {
        bytes += relation->attrs[i].key.len + relation->attrs[i].text.len;
    }
    struct kd_attr *attrs = kd_arena_alloc(arena, bytes);
    KD_ENSURE(attrs, KD_ENOMEM);
    char *at = (char *)attrs + attr_bytes;
    for (uint32_t i = 0; i < relation->n_attrs; i++) {
        attrs[i] = relation->attrs[i];
        pack(&at, &attrs[i].key);
        pack(&at, &attrs[i].text);
    }
    relation->attrs = attrs;
    pack(&at, &relation->type);
    pack_ref(&at, &relation->subject);
    pack_ref(&at, &relation->object);
    return 0;
}

static int reserve(struct kd_relation_set *set)
{
    if (set->n < set->cap) {
        return 0;
    }
    KD_ENSURE(set->n < KD_MAX_RELATIONS, KD_ETOOBIG);
    size_t cap = set->cap ? set->cap * 2 : ITEMS_MIN;
    struct kd_relation *items = kd_try_realloc(set->items, cap * sizeof(*items));
    KD_ENSURE(items, KD_ENOMEM);
    set->items = items;
    set->cap = cap;
    return 0;
}

static int append(struct kd_relation_set *set, struct kd_relation relation, uint64_t hash)
{
    KD_ENSURE(set->n < KD_MAX_RELATIONS, KD_ETOOBIG);
    KD_TRY(reserve(set));
    KD_TRY(copy(&relation, set->arena));
    struct seen *seen = kd_arena_alloc(set->arena, sizeof(*seen));
    KD_ENSURE(seen, KD_ENOMEM);
    seen->index = set->n;
    set->items[set->n++] = relation;
    kd_hmap_add(&set->seen, &seen->node, hash);
    return 0;
}

/* Copies the attributes in the order of their keys, so that their order makes no difference. */
static int sort_attrs(const struct kd_relation *relation, struct kd_attr *ret)
{
    for (uint32_t i = 0; i < relation->n_attrs; i++) {
        struct kd_attr attr = relation->attrs[i];
        uint32_t at = i;
        KD_ENSURE(attr.key.len && attr.type <= KD_ATTR_BOOL, KD_EINVAL);
        while (at > 0 && kd_str_cmp(ret[at - 1].key, attr.key) > 0) {
            ret[at] = ret[at - 1];
            at--;
        }
        KD_ENSURE(at == 0 || !kd_str_eq(ret[at - 1].key, attr.key), KD_EINVAL);
        ret[at] = attr;
        if (attr.type != KD_ATTR_STRING) {
            ret[at].text = (struct kd_str){ NULL, 0 };
        }
    }
    return 0;
}

static int add_checked(struct kd_relation_set *set, const struct kd_relation *given)
{
    struct kd_attr attrs[KD_MAX_RELATION_ATTRS];
    struct kd_relation relation = *given;
    KD_ENSURE(relation.type.len && relation.subject.kind.len && relation.subject.name.len &&
                  relation.object.kind.len && relation.object.name.len,
              KD_EINVAL);
    KD_ENSURE(relation.n_attrs <= KD_MAX_RELATION_ATTRS, KD_ETOOBIG);
    KD_TRY(sort_attrs(given, attrs));
    relation.attrs = attrs;
    uint64_t hash = hash_relation(&relation);
    struct kd_relation *kept = find(set, &relation, hash);
    if (kept) {
        join_flags(kept, &relation);
        return 0;
    }
    return append(set, relation, hash);
}

int kd_relation_set_add(struct kd_relation_set *set, const struct kd_relation *relation)
{
    int rc = add_checked(set, relation);
    if (rc < 0 && rc != KD_EINVAL && set->rc == 0) {
        set->rc = rc;
    }
    return rc;
}

static int32_t add_for_plugin(struct kd_relations *out, struct kd_str type,
                              const struct kd_ref *subject, const struct kd_ref *object,
                              const struct kd_attr *attrs, uint32_t n_attrs)
{
    KD_ENSURE(subject && object && (attrs || !n_attrs), KD_EINVAL);
    struct kd_relation relation = { type, *subject, *object, attrs, n_attrs };
    return kd_relation_set_add(out->host, &relation);
}

static const struct kd_relations_ops relations_ops = {
    .struct_size = sizeof(relations_ops),
    .add = add_for_plugin,
};

void kd_relations_bind(struct kd_relations *out, struct kd_relation_set *set,
                       const struct kd_ref *self)
{
    *out = (struct kd_relations){ .ops = &relations_ops, .self = *self, .host = set };
}
