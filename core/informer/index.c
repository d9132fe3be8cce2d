#include "informer/index.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"

void kd_index_init(struct kd_value_index *index, const char *name)
{
    *index = (struct kd_value_index){ .name = kd_strdup(name) };
    KD_ASSERT(pthread_mutex_init(&index->lock, NULL) == 0);
}

static void bucket_free(struct kd_value_index *index, struct kd_index_bucket *bucket)
{
    kd_hmap_remove(&index->buckets, &bucket->node);
    kd_slots_release(&bucket->slots);
    kd_free(bucket);
}

void kd_index_release(struct kd_value_index *index)
{
    struct kd_hnode *node;
    while ((node = kd_hmap_begin(&index->buckets)) != NULL) {
        bucket_free(index, KD_CONTAINER_OF(node, struct kd_index_bucket, node));
    }
    kd_hmap_release(&index->buckets);
    (void)pthread_mutex_destroy(&index->lock);
    kd_free(index->name);
}

struct kd_index_bucket *kd_index_find(const struct kd_value_index *index, struct kd_str value)
{
    struct kd_hnode *node = kd_hmap_first(&index->buckets, kd_hash_str(value));
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_index_bucket *bucket = KD_CONTAINER_OF(node, struct kd_index_bucket, node);
        if (kd_str_eq((struct kd_str){ bucket->value, bucket->len }, value)) {
            return bucket;
        }
    }
    return NULL;
}

static struct kd_index_bucket *bucket_make_locked(struct kd_value_index *index, struct kd_str value)
{
    size_t size = 0;
    if (!kd_size_add(sizeof(struct kd_index_bucket), value.len, &size)) {
        return NULL;
    }
    struct kd_index_bucket *bucket = kd_try_alloc(size);
    if (bucket) {
        bucket->slots = (struct kd_slots){ 0 };
        bucket->len = value.len;
        memcpy(bucket->value, value.ptr, value.len);
        kd_hmap_add(&index->buckets, &bucket->node, kd_hash_str(value));
    }
    return bucket;
}

static int add_locked(struct kd_value_index *index, struct kd_str value, struct kd_record *record)
{
    struct kd_index_bucket *bucket = kd_index_find(index, value);
    if (!bucket) {
        bucket = bucket_make_locked(index, value);
    }
    KD_ENSURE(bucket, KD_ENOMEM);
    if (kd_slots_add(&bucket->slots, record, kd_record_hash(record)) == KD_NO_SLOT) {
        if (bucket->slots.n == 0) {
            bucket_free(index, bucket);
        }
        return KD_ENOMEM;
    }
    return 0;
}

int kd_index_add(struct kd_value_index *index, struct kd_str value, struct kd_record *record)
{
    if (value.len == 0) {
        return 0;
    }
    (void)pthread_mutex_lock(&index->lock);
    int rc = add_locked(index, value, record);
    (void)pthread_mutex_unlock(&index->lock);
    return rc;
}

void kd_index_remove(struct kd_value_index *index, struct kd_str value, struct kd_key key)
{
    (void)pthread_mutex_lock(&index->lock);
    struct kd_index_bucket *bucket = value.len ? kd_index_find(index, value) : NULL;
    uint32_t slot =
        bucket ? kd_slots_find(&bucket->slots, key, kd_key_hash(key)) : (uint32_t)KD_NO_SLOT;
    if (slot != KD_NO_SLOT) {
        kd_slots_remove(&bucket->slots, slot);
        if (bucket->slots.n == 0) {
            bucket_free(index, bucket);
        }
    }
    (void)pthread_mutex_unlock(&index->lock);
}

bool kd_index_swap(struct kd_value_index *index, struct kd_str value, struct kd_record *record)
{
    (void)pthread_mutex_lock(&index->lock);
    struct kd_index_bucket *bucket = value.len ? kd_index_find(index, value) : NULL;
    uint32_t slot =
        bucket ? kd_slots_find(&bucket->slots, kd_record_key(record), kd_record_hash(record))
               : (uint32_t)KD_NO_SLOT;
    if (slot != KD_NO_SLOT) {
        bucket->slots.records[slot] = record;
    }
    (void)pthread_mutex_unlock(&index->lock);
    return slot != KD_NO_SLOT;
}

int kd_slots_copy(const struct kd_slots *slots, struct kd_record ***ret, size_t *ret_n)
{
    *ret = NULL;
    *ret_n = 0;
    if (slots->n == 0) {
        return 0;
    }
    struct kd_record **records = kd_try_alloc(slots->n * sizeof(struct kd_record *));
    KD_ENSURE(records, KD_ENOMEM);
    for (uint32_t i = 0; i < slots->cap; i++) {
        if (slots->records[i]) {
            records[(*ret_n)++] = kd_record_ref(slots->records[i]);
        }
    }
    *ret = records;
    return 0;
}

int kd_index_get(struct kd_value_index *index, struct kd_str value, struct kd_record ***ret,
                 size_t *ret_n)
{
    int rc = 0;
    *ret = NULL;
    *ret_n = 0;
    (void)pthread_mutex_lock(&index->lock);
    struct kd_index_bucket *bucket = value.len ? kd_index_find(index, value) : NULL;
    if (bucket) {
        rc = kd_slots_copy(&bucket->slots, ret, ret_n);
    }
    (void)pthread_mutex_unlock(&index->lock);
    return rc;
}

size_t kd_index_memory(const struct kd_value_index *index)
{
    size_t sum = index->buckets.buckets ? (index->buckets.mask + 1) * sizeof(void *) : 0;
    for (struct kd_hnode *node = kd_hmap_begin(&index->buckets); node;
         node = kd_hmap_step(&index->buckets, node)) {
        struct kd_index_bucket *bucket = KD_CONTAINER_OF(node, struct kd_index_bucket, node);
        sum += sizeof(*bucket) + bucket->len + kd_slots_memory(&bucket->slots);
    }
    return sum;
}
