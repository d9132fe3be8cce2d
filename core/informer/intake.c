/* The intake: an object that arrived, into the table and out to the subscribers. */
#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/packed.h"
#include "informer/parts.h"

#define SAY_NS (60 * KD_SEC_NS) /* in so long */
#define SAY_MAX 20u             /* so many left-out objects of a kind are logged one by one */

/* Whether what is cached is at least as new, so that a list says nothing new of it. */
static bool is_known(const struct kd_record *old, const struct kd_record_parts *parts,
                     enum kd_arrival arrival)
{
    int order = 0;
    if (!old || !kd_record_same_uid(old, parts->uid) ||
        !kd_record_version_cmp(old, parts->version, &order)) {
        return false;
    }
    return order == 0 || (order > 0 && arrival == KD_ARRIVAL_LISTED);
}

/* A listed object that is no newer than what the cache is complete up to, and not in it, was
 * deleted meanwhile. */
static bool is_gone(const struct kd_record *old, const struct kd_record_parts *parts,
                    enum kd_arrival arrival, const char *known)
{
    uint64_t complete = 0;
    uint64_t version = 0;
    return arrival == KD_ARRIVAL_LISTED && (!old || !kd_record_same_uid(old, parts->uid)) &&
           kd_version_pack(kd_str_from(known), &complete) &&
           kd_version_pack(parts->version, &version) && version <= complete;
}

static void deliver_change(struct kd_informer *informer, struct kd_record *old,
                           struct kd_record *record, const struct kd_record_parts *parts)
{
    struct kd_informer_event event = { .type = KD_EVENT_ADDED,
                                       .changed = KD_CHANGED_ALL,
                                       .flags = informer->ever_synced ? 0 : KD_EVENT_INITIAL,
                                       .record = record,
                                       .old = old };
    if (old) {
        bool same = kd_record_same_uid(old, parts->uid);
        event.type = KD_EVENT_MODIFIED;
        event.changed = same ? kd_record_changed(old, record) : KD_CHANGED_ALL;
        event.flags = same ? 0 : KD_EVENT_NEW_UID;
        if (event.changed == 0) {
            return; /* noise alone */
        }
    }
    kd_subscriptions_deliver(informer, &event);
}

static int take_in(struct kd_informer *informer, struct kd_value object,
                   struct kd_record_parts *parts)
{
    struct kd_record *record = NULL;
    struct kd_record *old = NULL;
    KD_TRY(kd_shape_fill(&informer->shape, &informer->scratch, object, parts));
    KD_TRY(kd_record_new_in(&informer->table.families, parts, informer->dict, &record));
    int rc = kd_table_put(&informer->table, record, &old);
    if (rc < 0) {
        kd_record_unref(record);
        return rc;
    }
    rc = kd_indexes_update(informer, old, record);
    if (rc == 0) {
        deliver_change(informer, old, record, parts);
    }
    kd_record_unref(old);
    kd_recode_unsettled(informer);
    return rc;
}

static void let_go(struct kd_informer *informer, struct kd_record *gone, struct kd_record *last,
                   uint32_t flags)
{
    const struct kd_informer_event event = {
        .type = KD_EVENT_DELETED, .changed = KD_CHANGED_ALL, .flags = flags, .record = last
    };
    kd_indexes_drop(informer, gone);
    kd_subscriptions_deliver(informer, &event);
}

/* The event holds the object's last state; where that cannot be read, the cached one has to do. */
static int take_out(struct kd_informer *informer, struct kd_value object,
                    struct kd_record_parts *parts)
{
    struct kd_record *last = NULL;
    struct kd_record *gone = kd_table_take(&informer->table, parts->key);
    if (!gone) {
        return 0;
    }
    int rc = kd_shape_fill(&informer->shape, &informer->scratch, object, parts);
    if (rc == 0) {
        rc = kd_record_new(parts, informer->dict, &last);
    }
    let_go(informer, gone, rc == 0 ? last : gone, 0);
    kd_record_unref(last);
    kd_record_unref(gone);
    return 0;
}

static int intake(struct kd_informer *informer, struct kd_value object, enum kd_arrival arrival,
                  const char *known, struct kd_str *ret_version)
{
    struct kd_record_parts parts;
    int rc = kd_shape_identify(&informer->shape, &informer->scratch, object, &parts);
    *ret_version = parts.version;
    KD_TRY(rc);
    if (arrival == KD_ARRIVAL_DELETED) {
        return take_out(informer, object, &parts);
    }
    const struct kd_record *old = kd_table_peek(&informer->table, parts.key);
    if (is_known(old, &parts, arrival)) {
        kd_table_mark(&informer->table, parts.key);
        return 0;
    }
    if (is_gone(old, &parts, arrival, known)) {
        return KD_EEXIST;
    }
    return take_in(informer, object, &parts);
}

int kd_intake(struct kd_informer *informer, struct kd_value object, enum kd_arrival arrival,
              const char *known, struct kd_str *ret_version)
{
    int64_t began_ns = kd_now_ns(informer->env.clock);
    int rc = intake(informer, object, arrival, known, ret_version);
    int64_t took_ns = kd_now_ns(informer->env.clock) - began_ns;
    kd_histogram_observe(informer->metrics.latency, (double)took_ns / (double)KD_SEC_NS);
    return rc;
}

void kd_intake_forget(struct kd_informer *informer, struct kd_key key)
{
    struct kd_record *gone = kd_table_take(&informer->table, key);
    if (gone) {
        let_go(informer, gone, gone, KD_EVENT_FINAL_UNKNOWN);
        kd_record_unref(gone);
    }
}

static void on_swept(void *arg, struct kd_record *record)
{
    let_go(arg, record, record, KD_EVENT_FINAL_UNKNOWN);
    kd_record_unref(record);
}

void kd_intake_sweep(struct kd_informer *informer, struct kd_str ns)
{
    kd_table_sweep(&informer->table, ns, on_swept, informer);
}

/* A server may send a million of them: some are shown, the others counted. */
static bool may_say(struct kd_informer *informer)
{
    int64_t now_ns = kd_now_ns(informer->env.clock);
    if (informer->skips_from_ns == 0 || now_ns - informer->skips_from_ns >= SAY_NS) {
        informer->skips_from_ns = now_ns;
        informer->skips_said = 0;
    }
    return informer->skips_said++ < SAY_MAX;
}

void kd_intake_skipped(struct kd_informer *informer, const struct kd_key *key, uint64_t size,
                       const char *why)
{
    kd_counter_add(informer->metrics.skipped, 1);
    if (!may_say(informer)) {
        informer->skips_unsaid++;
        return;
    }
    KD_AUTO_FREE char *object = key ? kd_asprintf(KD_STR_FMT "%s" KD_STR_FMT, KD_STR_ARG(key->ns),
                                                  key->ns.len ? "/" : "", KD_STR_ARG(key->name))
                                    : kd_strdup("");
    KD_WARN("object left out", KD_F("kind", informer->spec.kind), KD_F("object", object),
            KD_FU("bytes", size), KD_F("reason", why), KD_FU("unsaid", informer->skips_unsaid));
    informer->skips_unsaid = 0;
}
