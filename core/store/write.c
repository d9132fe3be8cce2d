#include "store/write.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "store/blob.h"

/* Hands out parts of one block; without a base it only counts. */
struct packer {
    char *base;
    size_t used;
};

static void pack(struct packer *packer, struct kd_str *str)
{
    if (packer->base) {
        char *at = packer->base + packer->used;
        if (str->len) {
            memcpy(at, str->ptr, str->len);
        }
        str->ptr = at;
    }
    packer->used += str->len;
}

static void pack_ref(struct packer *packer, struct kd_ref *ref)
{
    pack(packer, &ref->group);
    pack(packer, &ref->version);
    pack(packer, &ref->kind);
    pack(packer, &ref->ns);
    pack(packer, &ref->name);
    pack(packer, &ref->uid);
}

static void pack_put(struct packer *packer, struct kd_put *put)
{
    pack_ref(packer, &put->ref);
    pack(packer, &put->instance);
    pack(packer, &put->version_text);
    pack(packer, &put->labels);
    pack(packer, &put->annotations);
    pack(packer, &put->data);
}

static void pack_relation(struct packer *packer, struct kd_relation *relation,
                          struct kd_attr *attrs)
{
    pack(packer, &relation->type);
    pack_ref(packer, &relation->subject);
    pack_ref(packer, &relation->object);
    for (uint32_t i = 0; i < relation->n_attrs; i++) {
        struct kd_attr attr = relation->attrs[i];
        pack(packer, &attr.key);
        pack(packer, &attr.text);
        if (attrs) {
            attrs[i] = attr;
        }
    }
    if (attrs) {
        relation->attrs = attrs;
    }
}

static size_t count_attrs(const struct kd_put *put)
{
    size_t n = 0;
    for (size_t i = 0; i < put->n_relations; i++) {
        n += put->relations[i].n_attrs;
    }
    return n;
}

static size_t text_size(const struct kd_put *put)
{
    struct packer packer = { 0 };
    struct kd_put copy = *put;
    pack_put(&packer, &copy);
    for (size_t i = 0; i < put->n_relations; i++) {
        struct kd_relation relation = put->relations[i];
        pack_relation(&packer, &relation, NULL);
    }
    return packer.used;
}

static uint64_t hash_ref(const struct kd_ref *ref, uint64_t hash)
{
    hash = kd_hash(ref->group.ptr, ref->group.len, hash);
    hash = kd_hash(ref->version.ptr, ref->version.len, hash);
    hash = kd_hash(ref->kind.ptr, ref->kind.len, hash);
    hash = kd_hash(ref->ns.ptr, ref->ns.len, hash);
    hash = kd_hash(ref->name.ptr, ref->name.len, hash);
    return kd_hash(ref->uid.ptr, ref->uid.len, hash);
}

static uint64_t hash_relation(const struct kd_relation *relation, uint64_t seed)
{
    uint64_t hash = kd_hash(relation->type.ptr, relation->type.len, seed);
    hash = hash_ref(&relation->subject, hash);
    hash = hash_ref(&relation->object, hash);
    for (uint32_t i = 0; i < relation->n_attrs; i++) {
        const struct kd_attr *attr = &relation->attrs[i];
        hash = kd_hash(attr->key.ptr, attr->key.len, hash);
        hash = kd_hash(attr->text.ptr, attr->text.len, hash);
        hash = kd_hash_mix(hash, (uint64_t)attr->number);
        hash = kd_hash_mix(hash, ((uint64_t)attr->type << 32) | attr->flags);
    }
    return hash;
}

/* A sum: the order of relations means nothing. */
static int64_t hash_relations(const struct kd_put *put, uint64_t seed)
{
    uint64_t sum = kd_hash_mix(seed, put->n_relations * 2 + put->owner);
    for (size_t i = 0; i < put->n_relations; i++) {
        sum += hash_relation(&put->relations[i], seed);
    }
    return (int64_t)sum;
}

static int64_t hash_resource(const struct kd_put *put, uint64_t seed)
{
    uint64_t hash = hash_ref(&put->ref, seed);
    if (put->owner) {
        hash = kd_hash(put->version_text.ptr, put->version_text.len, hash);
        hash = kd_hash(put->labels.ptr, put->labels.len, hash);
        hash = kd_hash(put->annotations.ptr, put->annotations.len, hash);
        hash = kd_hash(put->data.ptr, put->data.len, hash);
        hash = kd_hash_mix(hash, (uint64_t)put->created_ns);
        /* Not the bytes: the same version, encoded anew, is no change. */
        hash = kd_hash_mix(hash, kd_blob_raw_len(put->record));
    }
    return (int64_t)hash;
}

static void fill(struct kd_write *write, const struct kd_put *put, size_t texts_at)
{
    struct kd_relation *relations = (void *)(write + 1);
    struct kd_attr *attrs = (void *)(relations + put->n_relations);
    struct packer packer = { .base = (char *)write, .used = texts_at };
    write->put = *put;
    write->put.relations = relations;
    pack_put(&packer, &write->put);
    for (size_t i = 0; i < put->n_relations; i++) {
        relations[i] = put->relations[i];
        pack_relation(&packer, &relations[i], attrs);
        attrs += relations[i].n_attrs;
    }
}

int kd_write_new(enum kd_write_op op, const struct kd_put *put, uint64_t seed,
                 struct kd_write **ret)
{
    KD_ENSURE(put->ref.kind.len && put->ref.name.len, KD_EINVAL);
    size_t texts_at = sizeof(struct kd_write) + put->n_relations * sizeof(struct kd_relation) +
                      count_attrs(put) * sizeof(struct kd_attr);
    size_t size = texts_at + text_size(put);
    struct kd_write *write = kd_try_alloc(size);
    KD_ENSURE(write, KD_ENOMEM);
    *write = (struct kd_write){ .op = op, .size = size };
    fill(write, put, texts_at);
    write->put.record = put->owner && put->record ? kd_record_ref(put->record) : NULL;
    if (op == KD_WRITE_PUT || op == KD_WRITE_ADD) {
        write->resource_hash = hash_resource(put, seed);
        write->relations_hash = hash_relations(put, seed);
    }
    *ret = write;
    return 0;
}

static void pack_mark(struct packer *packer, struct kd_mark *mark, struct kd_key *keys)
{
    pack(packer, &mark->group);
    pack(packer, &mark->kind);
    pack(packer, &mark->scope);
    pack(packer, &mark->version);
    for (size_t i = 0; i < mark->n_pending; i++) {
        struct kd_key key = mark->pending[i];
        pack(packer, &key.ns);
        pack(packer, &key.name);
        if (keys) {
            keys[i] = key;
        }
    }
}

int kd_write_new_mark(const struct kd_mark *mark, struct kd_write **ret)
{
    struct packer sizes = { 0 };
    struct kd_mark copy = *mark;
    KD_ENSURE(mark->kind.len, KD_EINVAL);
    pack_mark(&sizes, &copy, NULL);
    size_t texts_at = sizeof(struct kd_write) + mark->n_pending * sizeof(struct kd_key);
    struct kd_write *write = kd_try_alloc(texts_at + sizes.used);
    KD_ENSURE(write, KD_ENOMEM);
    *write = (struct kd_write){ .op = KD_WRITE_MARK, .size = texts_at + sizes.used, .mark = *mark };
    struct packer packer = { .base = (char *)write, .used = texts_at };
    struct kd_key *keys = (void *)(write + 1);
    pack_mark(&packer, &write->mark, keys);
    write->mark.pending = keys;
    *ret = write;
    return 0;
}

void kd_write_free(struct kd_write *write)
{
    if (write) {
        kd_record_unref(write->put.record);
        kd_free(write);
    }
}
