/*
 * The dictionary of a kind: trained once there are enough objects, on the helper thread, over
 * samples of distinct owners, since the objects of one owner are nearly the same and would fill it
 * with one text. Then what came before it is encoded anew, a little at a time.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/codec.h"
#include "informer/helper.h"
#include "informer/parts.h"

#define CANDIDATES (8 * KD_DICT_SAMPLES) /* looked at, to find samples of distinct owners */
#define SAMPLE_MAX (64 * KD_KIB)         /* of one object */
#define SAMPLES_MAX (8 * KD_MIB)
#define SLICE_NS (2 * KD_MS_NS)
#define SLICE_RECORDS 128u
#define PAUSE_NS (4 * KD_MS_NS)

/* Shared by the helper thread and the informer, which may be gone first; each has a reference, and
 * the informer's goes on to the post. */
struct kd_training {
    _Atomic unsigned refs;
    pthread_mutex_t lock;         /* guards informer and posted */
    struct kd_informer *informer; /* NULL when it does not want the outcome any more */
    bool posted;
    void (*post)(void *arg, void (*fn)(void *fn_arg), void *fn_arg);
    void *post_arg;
    struct kd_record **records;
    size_t n;
    struct kd_dict *dict;
};

static void training_unref(struct kd_training *training)
{
    if (atomic_fetch_sub(&training->refs, 1) != 1) {
        return;
    }
    for (size_t i = 0; i < training->n; i++) {
        kd_record_unref(training->records[i]);
    }
    kd_free(training->records);
    kd_dict_unref(training->dict);
    (void)pthread_mutex_destroy(&training->lock);
    kd_free(training);
}

static struct kd_str owner_of(struct kd_str json, struct kd_arena *arena)
{
    struct kd_value uid;
    struct kd_str text = { NULL, 0 };
    if (kd_json_at(kd_record_value(json), "/metadata/ownerReferences/0/uid", &uid) &&
        kd_json_string(uid, arena, &text) < 0) {
        text = (struct kd_str){ NULL, 0 };
    }
    return text;
}

struct samples {
    struct kd_buf bytes;
    size_t sizes[KD_DICT_SAMPLES];
    uint64_t owners[KD_DICT_SAMPLES]; /* hashes; two owners with one hash cost a sample */
    size_t n;
    size_t n_owners;
};

static bool is_new_owner(struct samples *samples, struct kd_str owner)
{
    uint64_t hash = kd_hash_str(owner);
    for (size_t i = 0; i < samples->n_owners; i++) {
        if (samples->owners[i] == hash) {
            return false;
        }
    }
    samples->owners[samples->n_owners++] = hash;
    return true;
}

static void add_sample(struct samples *samples, const struct kd_record *record)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_str json;
    kd_arena_init(&arena, KD_MAX_SCRATCH);
    if (kd_record_raw_len(record) > SAMPLE_MAX || kd_record_decode(record, &arena, &json) < 0) {
        return;
    }
    struct kd_str owner = owner_of(json, &arena);
    if ((owner.len == 0 || is_new_owner(samples, owner)) &&
        kd_buf_put_str(&samples->bytes, json) == 0) {
        samples->sizes[samples->n++] = json.len;
    }
}

static struct kd_dict *train(const struct kd_training *training)
{
    struct kd_dict *dict = NULL;
    struct samples *samples = kd_zalloc(sizeof(*samples));
    kd_buf_init(&samples->bytes, SAMPLES_MAX);
    /* Strides, so that the samples come from everywhere and not from the first shards. */
    for (size_t i = 0; i < training->n && samples->n < KD_DICT_SAMPLES; i++) {
        add_sample(samples, training->records[i]);
    }
    if (samples->n) {
        dict = kd_dict_train(samples->bytes.ptr, samples->sizes, samples->n);
    }
    kd_buf_release(&samples->bytes);
    kd_free(samples);
    return dict;
}

static void on_trained(void *arg)
{
    struct kd_training *training = arg;
    struct kd_informer *informer = training->informer;
    if (informer) {
        informer->training = NULL;
        informer->dict = kd_steal(training->dict);
        if (informer->dict) {
            informer->env.timer_start(informer->env.arg, informer->recoding, 0);
        }
        KD_DEBUG("dictionary trained", KD_F("kind", informer->spec.kind),
                 KD_FU("samples", training->n),
                 KD_FU("bytes", informer->dict ? kd_dict_bytes(informer->dict).len : 0));
    }
    training_unref(training);
}

/* Helper thread. */
static void run_training(void *arg)
{
    struct kd_training *training = arg;
    training->dict = train(training);
    (void)pthread_mutex_lock(&training->lock);
    if (training->informer) {
        training->posted = true;
        training->post(training->post_arg, on_trained, training);
    }
    (void)pthread_mutex_unlock(&training->lock);
    training_unref(training);
}

/* Records from all over the table, so many from each shard. */
static void pick_candidates(struct kd_informer *informer, struct kd_training *training)
{
    training->records = kd_zalloc_array(CANDIDATES, sizeof(struct kd_record *));
    size_t share = CANDIDATES / KD_TABLE_SHARDS;
    for (size_t taken = 0; taken < share; taken++) {
        for (size_t i = 0; i < KD_TABLE_SHARDS; i++) {
            const struct kd_slots *slots = &informer->table.shards[i].slots;
            size_t slot = slots->cap * taken / share;
            if (slot < slots->cap && slots->records[slot]) {
                training->records[training->n++] = kd_record_ref(slots->records[slot]);
            }
        }
    }
}

void kd_training_consider(struct kd_informer *informer)
{
    if (informer->trained || !informer->env.post || informer->table.n < KD_DICT_MIN_OBJECTS) {
        return;
    }
    informer->trained = true;
    struct kd_training *training = kd_zalloc(sizeof(*training));
    KD_ASSERT(pthread_mutex_init(&training->lock, NULL) == 0);
    atomic_init(&training->refs, 2);
    training->informer = informer;
    training->post = informer->env.post;
    training->post_arg = informer->env.arg;
    pick_candidates(informer, training);
    informer->training = training;
    if (!kd_helper_run(run_training, training)) {
        informer->training = NULL;
        informer->trained = false; /* the next piece of input tries again */
        training_unref(training);
        training_unref(training);
    }
}

void kd_training_cancel(struct kd_informer *informer)
{
    struct kd_training *training = informer->training;
    if (training) {
        (void)pthread_mutex_lock(&training->lock);
        training->informer = NULL;
        bool posted = training->posted;
        (void)pthread_mutex_unlock(&training->lock);
        informer->training = NULL;
        if (!posted) {
            training_unref(training);
        }
    }
}

static void recode_one(struct kd_informer *informer, struct kd_record *old)
{
    struct kd_record *record = NULL;
    struct kd_record *before = NULL;
    if (kd_record_recode(&informer->table.families, old, informer->dict, &record) < 0) {
        return;
    }
    if (kd_table_replace(&informer->table, record, &before)) {
        kd_indexes_swap(informer, before, record);
    } else {
        kd_record_unref(record);
    }
    kd_record_unref(before);
}

void kd_recode_unsettled(struct kd_informer *informer)
{
    struct kd_record *record = kd_families_unsettled(&informer->table.families);
    if (record) {
        recode_one(informer, record);
    }
}

/* Encodes records of one shard anew until the slice is used up; true when none is left in it. */
static bool recode_shard(struct kd_informer *informer, size_t shard, int64_t until_ns,
                         unsigned *left)
{
    const struct kd_slots *slots = &informer->table.shards[shard].slots;
    for (uint32_t slot = 0; slot < slots->cap; slot++) {
        struct kd_record *record = slots->records[slot];
        if (!record || !kd_record_is_early(record)) {
            continue;
        }
        if (*left == 0 || kd_now_ns(informer->env.clock) > until_ns) {
            return false;
        }
        (*left)--;
        recode_one(informer, record);
        kd_recode_unsettled(informer);
    }
    return true;
}

void kd_recode_some(void *arg)
{
    struct kd_informer *informer = arg;
    int64_t until_ns = kd_time_add_ns(kd_now_ns(informer->env.clock), SLICE_NS);
    unsigned left = SLICE_RECORDS;
    while (informer->recode_shard < KD_TABLE_SHARDS &&
           recode_shard(informer, informer->recode_shard, until_ns, &left)) {
        informer->recode_shard++;
    }
    if (informer->recode_shard < KD_TABLE_SHARDS) {
        informer->env.timer_start(informer->env.arg, informer->recoding, PAUSE_NS);
    }
    kd_status_publish(informer);
}
