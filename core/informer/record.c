#include "informer/record.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "informer/build.h"
#include "informer/codec.h"
#include "informer/intern.h"
#include "informer/packed.h"

#include <stdatomic.h>

#define BIT_UID_PACKED 0x10u
#define BIT_VERSION_NUMBER 0x20u
#define BIT_EARLY 0x40u
#define ENCODING_MASK 0x0fu

/* 88 bytes; a million of them are the point, so nothing enters lightly. */
struct kd_record {
    _Atomic uint32_t refs;
    uint32_t raw_len;
    uint64_t version; /* the number, else the length of its text in the tail */
    uint64_t hashes[KD_N_SECTIONS];
    struct kd_interned *ns;
    struct kd_dict *dict; /* what the bytes were encoded with, or NULL */
    uint32_t blob_len;
    uint16_t name_len;
    uint8_t uid_len; /* in the tail */
    uint8_t bits;    /* encoding and BIT_* */
    char tail[];     /* uid, version, name, bytes */
};

_Static_assert(sizeof(struct kd_record) == 88, "the head of a record grew");

static size_t version_len(const struct kd_record *record)
{
    return record->bits & BIT_VERSION_NUMBER ? 0 : record->version;
}

static const char *name_ptr(const struct kd_record *record)
{
    return record->tail + record->uid_len + version_len(record);
}

struct kd_record *kd_record_ref(struct kd_record *record)
{
    uint32_t before = atomic_fetch_add_explicit(&record->refs, 1, memory_order_relaxed);
    KD_ASSERT(before != 0 && before != UINT32_MAX);
    return record;
}

void kd_record_unref(struct kd_record *record)
{
    if (record && atomic_fetch_sub_explicit(&record->refs, 1, memory_order_acq_rel) == 1) {
        kd_interned_unref(record->ns);
        kd_dict_unref(record->dict);
        kd_free(record);
    }
}

struct kd_key kd_record_key(const struct kd_record *record)
{
    return (struct kd_key){ kd_interned_str(record->ns), { name_ptr(record), record->name_len } };
}

struct kd_str kd_record_uid(const struct kd_record *record, char out[KD_UID_MAX])
{
    if (record->bits & BIT_UID_PACKED) {
        return kd_uuid_unpack((const unsigned char *)record->tail, out);
    }
    memcpy(out, record->tail, record->uid_len);
    return (struct kd_str){ out, record->uid_len };
}

struct kd_str kd_record_version(const struct kd_record *record, char out[KD_VERSION_MAX])
{
    if (record->bits & BIT_VERSION_NUMBER) {
        return kd_version_unpack(record->version, out);
    }
    memcpy(out, record->tail + record->uid_len, record->version);
    return (struct kd_str){ out, record->version };
}

uint32_t kd_record_changed(const struct kd_record *a, const struct kd_record *b)
{
    static const uint32_t bits[KD_N_SECTIONS] = {
        [KD_SECTION_LABELS] = KD_CHANGED_LABELS,
        [KD_SECTION_ANNOTATIONS] = KD_CHANGED_ANNOTATIONS,
        [KD_SECTION_METADATA] = KD_CHANGED_METADATA,
        [KD_SECTION_SPEC] = KD_CHANGED_SPEC,
        [KD_SECTION_STATUS] = KD_CHANGED_STATUS,
        [KD_SECTION_REST] = KD_CHANGED_REST,
    };
    uint32_t changed = 0;
    for (size_t i = 0; i < KD_N_SECTIONS; i++) {
        changed |= a->hashes[i] != b->hashes[i] ? bits[i] : 0;
    }
    return changed;
}

void kd_record_encoded(const struct kd_record *record, struct kd_encoded *ret)
{
    *ret = (struct kd_encoded){
        .bytes = { name_ptr(record) + record->name_len, record->blob_len },
        .encoding = record->bits & ENCODING_MASK,
        .raw_len = record->raw_len,
        .dict_id = record->dict ? kd_dict_id(record->dict) : 0,
    };
}

struct kd_dict *kd_record_dict(const struct kd_record *record)
{
    return record->dict;
}

int kd_record_decode(const struct kd_record *record, struct kd_arena *arena, struct kd_str *ret)
{
    struct kd_encoded encoded;
    kd_record_encoded(record, &encoded);
    return kd_encoded_decode(&encoded, record->dict, arena, ret);
}

/* A record with room for its tail, the namespace taken over. */
static struct kd_record *record_alloc(struct kd_interned *ns, size_t head_tail,
                                      const struct kd_encoded *encoded, struct kd_dict *dict)
{
    size_t size = 0;
    if (!kd_size_add(sizeof(struct kd_record) + head_tail, encoded->bytes.len, &size)) {
        return NULL;
    }
    struct kd_record *record = kd_try_alloc(size);
    if (!record) {
        return NULL;
    }
    bool with_dict = encoded->encoding == KD_ENCODING_ZSTD_DICT;
    atomic_init(&record->refs, 1);
    record->ns = ns;
    record->raw_len = encoded->raw_len;
    record->blob_len = (uint32_t)encoded->bytes.len;
    record->dict = with_dict ? kd_dict_ref(dict) : NULL;
    record->bits = (uint8_t)(encoded->encoding | (dict ? 0 : BIT_EARLY));
    if (encoded->bytes.len) {
        memcpy(record->tail + head_tail, encoded->bytes.ptr, encoded->bytes.len);
    }
    return record;
}

static void put_tail(struct kd_record *record, const struct kd_record_parts *parts, bool packed)
{
    char *tail = record->tail;
    if (packed) {
        record->bits |= BIT_UID_PACKED;
        record->uid_len = KD_UUID_LEN;
        (void)kd_uuid_pack(parts->uid, (unsigned char *)tail); /* known to be one */
    } else {
        record->uid_len = (uint8_t)parts->uid.len;
        memcpy(tail, parts->uid.ptr ? parts->uid.ptr : "", parts->uid.len);
    }
    tail += record->uid_len;
    if (kd_version_pack(parts->version, &record->version)) {
        record->bits |= BIT_VERSION_NUMBER;
    } else {
        record->version = parts->version.len;
        memcpy(tail, parts->version.ptr ? parts->version.ptr : "", parts->version.len);
        tail += parts->version.len;
    }
    record->name_len = (uint16_t)parts->key.name.len;
    memcpy(tail, parts->key.name.ptr, parts->key.name.len);
    memcpy(record->hashes, parts->hashes, sizeof(record->hashes));
}

int kd_record_new(const struct kd_record_parts *parts, struct kd_dict *dict, struct kd_record **ret)
{
    unsigned char uuid[KD_UUID_LEN];
    uint64_t number = 0;
    struct kd_encoded encoded;
    KD_ASSERT(parts->key.name.len <= KD_NAME_MAX && parts->uid.len <= KD_UID_MAX &&
              parts->version.len < KD_VERSION_MAX);
    KD_TRY(kd_codec_encode(parts->json, dict, &encoded));
    bool packed = kd_uuid_pack(parts->uid, uuid);
    size_t tail = (packed ? KD_UUID_LEN : parts->uid.len) + parts->key.name.len +
                  (kd_version_pack(parts->version, &number) ? 0 : parts->version.len);
    struct kd_interned *ns = kd_intern(parts->key.ns);
    KD_ENSURE(ns, KD_ENOMEM);
    struct kd_record *record = record_alloc(ns, tail, &encoded, dict);
    if (!record) {
        kd_interned_unref(ns);
        return KD_ENOMEM;
    }
    put_tail(record, parts, packed);
    *ret = record;
    return 0;
}

int kd_record_recode(const struct kd_record *old, struct kd_dict *dict, struct kd_record **ret)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_encoded encoded;
    struct kd_str json;
    kd_arena_init(&arena, (size_t)old->raw_len + 4096);
    KD_TRY(kd_record_decode(old, &arena, &json));
    KD_TRY(kd_codec_encode(json, dict, &encoded));
    size_t tail = (size_t)(name_ptr(old) - old->tail) + old->name_len;
    struct kd_interned *ns = kd_interned_ref(old->ns);
    struct kd_record *record = record_alloc(ns, tail, &encoded, dict);
    if (!record) {
        kd_interned_unref(ns);
        return KD_ENOMEM;
    }
    record->version = old->version;
    record->name_len = old->name_len;
    record->uid_len = old->uid_len;
    record->bits |= old->bits & (BIT_UID_PACKED | BIT_VERSION_NUMBER);
    memcpy(record->hashes, old->hashes, sizeof(record->hashes));
    memcpy(record->tail, old->tail, tail);
    *ret = record;
    return 0;
}

bool kd_record_is_early(const struct kd_record *record)
{
    return record->bits & BIT_EARLY;
}

size_t kd_record_size(const struct kd_record *record)
{
    return sizeof(*record) + (size_t)(name_ptr(record) - record->tail) + record->name_len +
           record->blob_len;
}

size_t kd_record_raw_len(const struct kd_record *record)
{
    return record->raw_len;
}

uint64_t kd_key_hash(struct kd_key key)
{
    return kd_hash_mix(kd_hash_str(key.name), kd_hash_str(key.ns));
}

uint64_t kd_record_hash(const struct kd_record *record)
{
    return kd_hash_mix(kd_hash_str((struct kd_str){ name_ptr(record), record->name_len }),
                       kd_interned_hash(record->ns));
}

bool kd_record_is(const struct kd_record *record, struct kd_key key)
{
    struct kd_key own = kd_record_key(record);
    return kd_str_eq(own.name, key.name) && kd_str_eq(own.ns, key.ns);
}

bool kd_record_same_uid(const struct kd_record *record, struct kd_str uid)
{
    char out[KD_UID_MAX];
    return kd_str_eq(kd_record_uid(record, out), uid);
}

bool kd_record_version_cmp(const struct kd_record *record, struct kd_str version, int *ret)
{
    uint64_t number = 0;
    if ((record->bits & BIT_VERSION_NUMBER) && kd_version_pack(version, &number)) {
        *ret = record->version < number ? -1 : record->version > number;
        return true;
    }
    char out[KD_VERSION_MAX];
    *ret = 0;
    return version.len && kd_str_eq(kd_record_version(record, out), version);
}

uint64_t kd_record_section(const struct kd_record *record, enum kd_section section)
{
    return record->hashes[section];
}
