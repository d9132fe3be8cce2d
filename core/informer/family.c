#include "informer/family.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/str.h"
#include "informer/build.h"
#include "informer/codec.h"

#define TEXT_MIN 512u    /* shorter texts gain less than a family costs */
#define PATIENCE_FIRST 1 /* two poor members; doubled with each base that is tried */
#define PATIENCE_MAX 15

static struct kd_base *find(const struct kd_families *families, uint64_t owner)
{
    struct kd_hnode *node = kd_hmap_first(&families->bases, owner);
    return node ? KD_CONTAINER_OF(node, struct kd_base, node) : NULL;
}

static void drop(struct kd_families *families, struct kd_base *base)
{
    kd_hmap_remove(&families->bases, &base->node);
    kd_base_unref(base);
}

void kd_families_release(struct kd_families *families)
{
    struct kd_hnode *node = kd_hmap_begin(&families->bases);
    while (node) {
        struct kd_hnode *next = kd_hmap_step(&families->bases, node);
        kd_base_unref(KD_CONTAINER_OF(node, struct kd_base, node));
        node = next;
    }
    kd_hmap_release(&families->bases);
}

uint64_t kd_owner_hash(struct kd_value references, struct kd_arena *arena)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value reference;
    struct kd_value controller;
    if (references.type != KD_JSON_ARRAY) {
        return 0;
    }
    kd_json_iter_init(&iter, references);
    while (kd_json_iter_next(&iter, &key, &reference)) {
        if (kd_json_get(reference, KD_STR("controller"), &controller) && kd_json_true(controller)) {
            struct kd_str uid = kd_json_get_str(reference, KD_STR("uid"), arena);
            uint64_t hash = uid.len ? kd_hash_str(uid) : 0;
            return uid.len && !hash ? 1 : hash; /* 0 means none */
        }
    }
    return 0;
}

/* The owner's only object, as far as is known: a base without text. */
static int encode_sole(struct kd_base *current, uint64_t owner, struct kd_str json,
                       struct kd_dict *dict, struct kd_encoded *ret, struct kd_base **ret_base)
{
    struct kd_dict *used = current ? current->dict : dict;
    KD_TRY(kd_codec_encode(json, used, ret));
    *ret_base = current ? kd_base_ref(current) : kd_base_new(owner, dict);
    return 0;
}

/* The first base of an owner: the bytes of its only object as they are. */
static int freeze_sole(const struct kd_base *current, struct kd_base **ret)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_encoded encoded;
    struct kd_str text;
    kd_arena_init(&arena, KD_MAX_BASE + 4096);
    KD_TRY(kd_record_decode(current->sole, &arena, &text));
    kd_record_encoded(current->sole, &encoded);
    KD_TRY(kd_base_load(kd_base_text_id(text), &encoded, current->dict, ret));
    (*ret)->node.hash = current->node.hash;
    (*ret)->patience = PATIENCE_FIRST;
    return 0;
}

/* The next one, after the former had its try. */
static int freeze_next(const struct kd_base *former, struct kd_str text, struct kd_base **ret)
{
    struct kd_encoded encoded;
    KD_TRY(kd_codec_encode(text, former->dict, &encoded));
    KD_TRY(kd_base_load(kd_base_text_id(text), &encoded, former->dict, ret));
    (*ret)->node.hash = former->node.hash;
    (*ret)->patience = (uint8_t)(former->patience + (former->patience < PATIENCE_MAX));
    return 0;
}

/* Whether an encoded text has at least num/den of the bytes that the dictionary alone would leave,
 * judged by what it left of the base. */
static bool is_above(const struct kd_base *base, const struct kd_encoded *encoded, uint64_t num,
                     uint64_t den)
{
    return encoded->bytes.len * den * base->raw_len >=
           (uint64_t)base->blob_len * num * encoded->raw_len;
}

/* Takes the base over into *ret_base when all goes well. */
static int encode_member(struct kd_base *base, struct kd_str json, struct kd_encoded *ret,
                         struct kd_base **ret_base)
{
    KD_TRY(kd_codec_encode_with(json, base, ret));
    if (is_above(base, ret, 2, 3) && ++base->poor >= 1u << base->patience) {
        struct kd_base *next = NULL;
        base->poor = 0;
        KD_TRY(freeze_next(base, json, &next));
        int rc = kd_codec_encode_with(json, next, ret);
        if (rc < 0) {
            kd_base_unref(next);
            return rc;
        }
        kd_base_unref(base);
        base = next;
    } else if (is_above(base, ret, 1, 1)) {
        KD_TRY(kd_codec_encode(json, base->dict, ret));
    }
    *ret_base = base;
    return 0;
}

int kd_family_encode(struct kd_families *families, uint64_t owner, struct kd_key key,
                     struct kd_str json, struct kd_dict *dict, struct kd_encoded *ret,
                     struct kd_base **ret_base)
{
    if (!dict || !owner || json.len < TEXT_MIN || json.len > KD_MAX_BASE) {
        *ret_base = NULL;
        return kd_codec_encode(json, dict, ret);
    }
    struct kd_base *current = find(families, owner);
    if (!current || (!current->raw_len && kd_record_is(current->sole, key))) {
        return encode_sole(current, owner, json, dict, ret, ret_base);
    }
    struct kd_base *base = NULL;
    if (current->raw_len) {
        base = kd_base_ref(current);
    } else {
        KD_TRY(freeze_sole(current, &base));
    }
    int rc = encode_member(base, json, ret, ret_base);
    if (rc < 0) {
        kd_base_unref(base);
    }
    return rc;
}

bool kd_family_adopt(struct kd_families *families, uint64_t owner, struct kd_dict *dict,
                     struct kd_base *base, struct kd_base **ret_family)
{
    *ret_family = NULL;
    if (base && base->members == 0) { /* of no family in this process yet */
        base->node.hash = owner;
        base->patience = PATIENCE_FIRST;
    }
    if (base) {
        *ret_family = kd_base_ref(base);
        return owner != 0 && base->node.hash == owner;
    }
    if (owner && dict && !find(families, owner)) { /* its owner's first: a base may come of it */
        *ret_family = kd_base_new(owner, dict);
    }
    return true;
}

/* The base of a record that has just come is the one for what comes next. */
static void install(struct kd_families *families, struct kd_base *base)
{
    struct kd_base *former = find(families, base->node.hash);
    if (former == base) {
        return;
    }
    if (former) {
        families->unsettled = former->raw_len ? families->unsettled : former->sole;
        drop(families, former);
    }
    kd_hmap_add(&families->bases, &kd_base_ref(base)->node, base->node.hash);
}

size_t kd_families_enter(struct kd_families *families, struct kd_record *record)
{
    struct kd_base *base = kd_record_family(record);
    if (!base) {
        return 0;
    }
    bool first = base->members++ == 0;
    if (first) {
        install(families, base);
    }
    if (!base->raw_len) {
        base->sole = record;
    }
    return first ? kd_base_size(base) : 0;
}

size_t kd_families_leave(struct kd_families *families, const struct kd_record *record)
{
    struct kd_base *base = kd_record_family(record);
    if (families->unsettled == record) {
        families->unsettled = NULL;
    }
    if (!base || --base->members > 0) {
        return 0;
    }
    size_t size = kd_base_size(base); /* the record holds a reference yet */
    if (find(families, base->node.hash) == base) {
        drop(families, base);
    }
    return size;
}

struct kd_record *kd_families_unsettled(struct kd_families *families)
{
    return kd_steal(families->unsettled);
}
