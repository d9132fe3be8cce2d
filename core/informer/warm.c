/*
 * A cache that begins where an earlier process left off: records come as the store has kept them,
 * without a list, and the first watch asks from the version up to which they are complete.
 */
#include "base/log.h"
#include "base/str.h"
#include "informer/family.h"
#include "informer/reflector.h"

#define DECODE_KEEP (256 * KD_KIB)

/* What is known of the object is read out of its text; the text itself stays as it was encoded. */
static int fill(struct kd_informer *informer, struct kd_str json, struct kd_record_parts *parts)
{
    struct kd_value object;
    KD_TRY(kd_json_parse(json, &object, NULL));
    KD_TRY(kd_shape_identify(&informer->shape, &informer->scratch, object, parts));
    return kd_shape_fill(&informer->shape, &informer->scratch, object, parts);
}

static int make_record(struct kd_informer *informer, const struct kd_kept *kept,
                       const struct kd_record_parts *parts, struct kd_record **ret)
{
    struct kd_base *family = NULL;
    struct kd_dict *dict = kept->dict ? kept->dict : informer->dict;
    if (!kd_family_adopt(&informer->table.families, parts->owner, kept->dict, kept->base,
                         &family)) {
        kd_base_unref(family);
        return kd_record_new_in(&informer->table.families, parts, informer->dict, ret);
    }
    int rc = kd_record_load(parts, &kept->encoded, dict, family, ret);
    kd_base_unref(family);
    return rc;
}

/* The dictionary that is in use is the kind's: none is trained. */
static void take_dict(struct kd_informer *informer, const struct kd_kept *kept)
{
    struct kd_dict *dict = kept->dict ? kept->dict : kept->base ? kd_base_dict(kept->base) : NULL;
    if (dict && !informer->dict) {
        informer->dict = kd_dict_ref(dict);
        informer->trained = true;
    }
}

static int load(struct kd_informer *informer, const struct kd_kept *kept, struct kd_str json)
{
    struct kd_record_parts parts;
    struct kd_record *record = NULL;
    struct kd_record *old = NULL;
    take_dict(informer, kept);
    KD_TRY(fill(informer, json, &parts));
    KD_TRY(make_record(informer, kept, &parts, &record));
    int rc = kd_table_put(&informer->table, record, &old);
    if (rc < 0) {
        kd_record_unref(record);
        return rc;
    }
    rc = kd_indexes_update(informer, old, record);
    kd_record_unref(old);
    return rc;
}

int kd_informer_load(struct kd_informer *informer, const struct kd_kept *kept)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_str json;
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    KD_ASSERT(!informer->ever_synced && !informer->subscriptions);
    kd_arena_init(&arena, (size_t)kept->encoded.raw_len + DECODE_KEEP);
    KD_TRY(kd_encoded_decode(&kept->encoded, kept->dict, kept->base, &arena, &json));
    return load(informer, kept, json);
}

int kd_informer_renew(struct kd_informer *informer, struct kd_str json)
{
    struct kd_value object;
    struct kd_str version;
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    KD_TRY(kd_json_parse(json, &object, NULL));
    return kd_intake(informer, object, KD_ARRIVAL_CHANGED, "", &version);
}

void kd_informer_forget(struct kd_informer *informer, struct kd_key key)
{
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    kd_intake_forget(informer, key);
}

void kd_informer_resume(struct kd_informer *informer, struct kd_str version)
{
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    KD_ASSERT(version.len > 0 && version.len < KD_VERSION_MAX);
    for (size_t i = 0; i < informer->n_reflectors; i++) {
        struct kd_reflector *reflector = informer->reflectors[i];
        memcpy(reflector->version, version.ptr, version.len);
        reflector->version[version.len] = '\0';
        reflector->listed = true;
        reflector->resumes = true;
        reflector->last_event_ns = kd_now_ns(informer->env.clock);
    }
    informer->ever_synced = true;
    kd_status_publish(informer);
    KD_INFO("kind resumed", KD_F("kind", informer->spec.kind), KD_F("group", informer->spec.group),
            KD_FU("objects", informer->table.n), KD_FS("resourceVersion", version));
}

void kd_informer_empty(struct kd_informer *informer)
{
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    KD_ASSERT(!informer->ever_synced);
    kd_table_unmark(&informer->table, (struct kd_str){ NULL, 0 });
    kd_intake_sweep(informer, (struct kd_str){ NULL, 0 });
}
