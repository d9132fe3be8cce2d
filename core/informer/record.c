#include "informer/record.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "informer/build.h"
#include "informer/codec.h"
#include "informer/family.h"
#include "informer/intern.h"
#include "informer/packed.h"

#include <stdatomic.h>

#define BIT_UID_PACKED 0x10u
#define BIT_VERSION_NUMBER 0x20u
#define BIT_EARLY 0x40u
#define BIT_FAMILY 0x80u
#define ENCODING_MASK 0x0fu

/* 88 bytes; a million of them are the point, so nothing enters lightly. */
struct kd_record {
    _Atomic uint32_t refs;
    uint32_t raw_len;
    uint64_t version; /* the number, else the length of its text in the tail */
    uint64_t hashes[KD_N_SECTIONS];
    struct kd_interned *ns;
    union {                   /* by BIT_FAMILY */
        struct kd_dict *dict; /* what the bytes were encoded with, or NULL */
        struct kd_base *base; /* of the object's owner, with a dictionary of its own */
    };
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
        if (record->bits & BIT_FAMILY) {
            kd_base_unref(record->base);
        } else {
            kd_dict_unref(record->dict);
        }
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
    const struct kd_dict *dict = kd_record_dict(record);
    const struct kd_base *base = kd_record_base(record);
    *ret = (struct kd_encoded){
        .bytes = { name_ptr(record) + record->name_len, record->blob_len },
        .encoding = record->bits & ENCODING_MASK,
        .raw_len = record->raw_len,
        .dict_id = dict ? kd_dict_id(dict) : 0,
        .base_id = base ? kd_base_id(base) : 0,
    };
}

struct kd_dict *kd_record_dict(const struct kd_record *record)
{
    if ((record->bits & ENCODING_MASK) != KD_ENCODING_ZSTD_DICT) {
        return NULL;
    }
    return record->bits & BIT_FAMILY ? record->base->dict : record->dict;
}

struct kd_base *kd_record_base(const struct kd_record *record)
{
    bool with_base = (record->bits & ENCODING_MASK) == KD_ENCODING_ZSTD_BASE;
    return with_base ? record->base : NULL;
}

struct kd_base *kd_record_family(const struct kd_record *record)
{
    return record->bits & BIT_FAMILY ? record->base : NULL;
}

int kd_record_decode(const struct kd_record *record, struct kd_arena *arena, struct kd_str *ret)
{
    struct kd_encoded encoded;
    kd_record_encoded(record, &encoded);
    return kd_encoded_decode(&encoded, kd_record_dict(record), kd_record_base(record), arena, ret);
}

struct kd_value kd_record_value(struct kd_str json)
{
    return (struct kd_value){ .ptr = json.ptr, .len = json.len, .type = KD_JSON_OBJECT };
}

/* What a text became. Without a base the dictionary is the kind's. */
struct coded {
    struct kd_encoded encoded;
    struct kd_dict *dict; /* borrowed */
    struct kd_base *base; /* owned until a record takes it */
};

/* A record with room for its tail. Takes namespace and base over. */
static struct kd_record *record_alloc(struct kd_interned *ns, size_t head_tail, struct coded *coded)
{
    const struct kd_encoded *encoded = &coded->encoded;
    size_t size = 0;
    struct kd_record *record = NULL;
    if (ns && kd_size_add(sizeof(*record) + head_tail, encoded->bytes.len, &size)) {
        record = kd_try_alloc(size);
    }
    if (!record) {
        kd_interned_unref(ns);
        kd_base_unref(coded->base);
        return NULL;
    }
    bool with_dict = encoded->encoding == KD_ENCODING_ZSTD_DICT;
    atomic_init(&record->refs, 1);
    record->ns = ns;
    record->raw_len = encoded->raw_len;
    record->blob_len = (uint32_t)encoded->bytes.len;
    record->bits = (uint8_t)(encoded->encoding | (coded->dict ? 0 : BIT_EARLY));
    if (coded->base) {
        record->base = coded->base;
        record->bits |= BIT_FAMILY;
    } else {
        record->dict = with_dict ? kd_dict_ref(coded->dict) : NULL;
    }
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

static int record_make(const struct kd_record_parts *parts, struct coded *coded,
                       struct kd_record **ret)
{
    unsigned char uuid[KD_UUID_LEN];
    uint64_t number = 0;
    KD_ASSERT(parts->key.name.len <= KD_NAME_MAX && parts->uid.len <= KD_UID_MAX &&
              parts->version.len < KD_VERSION_MAX);
    bool packed = kd_uuid_pack(parts->uid, uuid);
    size_t tail = (packed ? KD_UUID_LEN : parts->uid.len) + parts->key.name.len +
                  (kd_version_pack(parts->version, &number) ? 0 : parts->version.len);
    struct kd_record *record = record_alloc(kd_intern(parts->key.ns), tail, coded);
    KD_ENSURE(record, KD_ENOMEM);
    put_tail(record, parts, packed);
    *ret = record;
    return 0;
}

int kd_record_new(const struct kd_record_parts *parts, struct kd_dict *dict, struct kd_record **ret)
{
    struct coded coded = { .dict = dict };
    KD_TRY(kd_codec_encode(parts->json, dict, &coded.encoded));
    return record_make(parts, &coded, ret);
}

int kd_record_new_in(struct kd_families *families, const struct kd_record_parts *parts,
                     struct kd_dict *dict, struct kd_record **ret)
{
    struct coded coded = { .dict = dict };
    KD_TRY(kd_family_encode(families, parts->owner, parts->key, parts->json, dict, &coded.encoded,
                            &coded.base));
    return record_make(parts, &coded, ret);
}

int kd_record_load(const struct kd_record_parts *parts, const struct kd_encoded *encoded,
                   struct kd_dict *dict, struct kd_base *family, struct kd_record **ret)
{
    struct coded coded = { *encoded, dict, family ? kd_base_ref(family) : NULL };
    return record_make(parts, &coded, ret);
}

static uint64_t owner_of(const struct kd_record *record, struct kd_str json, struct kd_arena *arena)
{
    struct kd_value references;
    if (record->bits & BIT_FAMILY) {
        return record->base->node.hash;
    }
    bool found = kd_json_at(kd_record_value(json), "/metadata/ownerReferences", &references);
    return found ? kd_owner_hash(references, arena) : 0;
}

int kd_record_recode(struct kd_families *families, const struct kd_record *old,
                     struct kd_dict *dict, struct kd_record **ret)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct coded coded = { .dict = dict };
    struct kd_str json;
    kd_arena_init(&arena, (size_t)old->raw_len + 4096);
    KD_TRY(kd_record_decode(old, &arena, &json));
    KD_TRY(kd_family_encode(families, owner_of(old, json, &arena), kd_record_key(old), json, dict,
                            &coded.encoded, &coded.base));
    size_t tail = (size_t)(name_ptr(old) - old->tail) + old->name_len;
    struct kd_record *record = record_alloc(kd_interned_ref(old->ns), tail, &coded);
    KD_ENSURE(record, KD_ENOMEM);
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
