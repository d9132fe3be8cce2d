#include "informer/base.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"

#include <string.h>

struct kd_base *kd_base_ref(struct kd_base *base)
{
    if (base) {
        (void)atomic_fetch_add_explicit(&base->refs, 1, memory_order_relaxed);
    }
    return base;
}

void kd_base_unref(struct kd_base *base)
{
    if (base && atomic_fetch_sub_explicit(&base->refs, 1, memory_order_acq_rel) == 1) {
        kd_dict_unref(base->dict);
        kd_free(base);
    }
}

uint64_t kd_base_id(const struct kd_base *base)
{
    return base->id;
}

struct kd_dict *kd_base_dict(const struct kd_base *base)
{
    return base->encoding == KD_ENCODING_ZSTD_DICT ? base->dict : NULL;
}

void kd_base_encoded(const struct kd_base *base, struct kd_encoded *ret)
{
    const struct kd_dict *dict = kd_base_dict(base);
    *ret = (struct kd_encoded){
        .bytes = { base->bytes, base->blob_len },
        .encoding = base->encoding,
        .raw_len = base->raw_len,
        .dict_id = dict ? kd_dict_id(dict) : 0,
    };
}

struct kd_base *kd_base_new(uint64_t owner, struct kd_dict *dict)
{
    struct kd_base *base = kd_zalloc(sizeof(*base));
    atomic_init(&base->refs, 1);
    base->node.hash = owner;
    base->dict = kd_dict_ref(dict);
    return base;
}

int kd_base_load(uint64_t id, const struct kd_encoded *encoded, struct kd_dict *dict,
                 struct kd_base **ret)
{
    size_t size = 0;
    KD_ENSURE(encoded->encoding <= KD_ENCODING_ZSTD_DICT, KD_EIO);
    KD_ENSURE(encoded->raw_len && encoded->raw_len <= KD_MAX_BASE, KD_EIO);
    KD_ENSURE(encoded->bytes.len <= encoded->raw_len, KD_EIO);
    KD_ENSURE(kd_size_add(sizeof(struct kd_base), encoded->bytes.len, &size), KD_EIO);
    struct kd_base *base = kd_try_alloc(size);
    KD_ENSURE(base, KD_ENOMEM);
    memset(base, 0, sizeof(*base));
    atomic_init(&base->refs, 1);
    base->id = id;
    base->dict = kd_dict_ref(dict);
    base->encoding = (uint8_t)encoded->encoding;
    base->raw_len = encoded->raw_len;
    base->blob_len = (uint32_t)encoded->bytes.len;
    if (encoded->bytes.len) {
        memcpy(base->bytes, encoded->bytes.ptr, encoded->bytes.len);
    }
    *ret = base;
    return 0;
}

uint64_t kd_base_text_id(struct kd_str text)
{
    return kd_hash_str(text);
}

size_t kd_base_size(const struct kd_base *base)
{
    return sizeof(*base) + base->blob_len;
}
