#include "store/store.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "store/state.h"

#include <stdio.h>
#include <string.h>

static void configure_library(void)
{
    /* Statistics would put a lock around each allocation. Fails when it is in use: no harm. */
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int open_parts(struct kd_store *store, const struct kd_store_settings *settings,
                      struct kd_error *reterr)
{
    bool durable = !store->place.temporary;
    KD_TRY(kd_txn_open(&store->txn, store->place.path, durable, settings->feed_keep, reterr));
    int rc = kd_counts_load(&store->counts, &store->txn.db);
    if (rc < 0) {
        return kd_fail(reterr, rc, "store %s: %s", store->place.path,
                       sqlite3_errmsg(store->txn.db.handle));
    }
    KD_TRY(kd_readers_open(&store->readers, store->place.path, reterr));
    kd_place_unlink(&store->place);
    store->hub.seq = store->txn.committed_seq;
    return 0;
}

static void free_parts(struct kd_store *store)
{
    kd_readers_close(&store->readers);
    kd_txn_close(&store->txn);
    kd_inbox_release(&store->inbox);
    kd_hub_release(&store->hub);
    kd_counts_release(&store->counts);
    (void)pthread_mutex_destroy(&store->health_lock);
    kd_place_close(&store->place);
    store->magic = 0;
    kd_free(store);
}

/* What cannot be read will not heal, but the cluster can tell it all again. */
static void add_remedy(int rc, struct kd_error *err)
{
    size_t len = err ? strlen(err->text) : 0;
    if (err && rc == KD_ESTORE) {
        (void)snprintf(err->text + len, sizeof(err->text) - len,
                       "; move the file away, and a new one is filled from the cluster");
    }
}

int kd_store_open(const struct kd_store_settings *settings, const struct kd_clock *clock,
                  struct kd_metrics *metrics, struct kd_store **ret, struct kd_error *reterr)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct kd_place_hold place = { 0 };
    (void)pthread_once(&once, configure_library);
    KD_TRY(kd_place_open(settings->path, &place, reterr));
    struct kd_store *store = kd_zalloc(sizeof(*store));
    store->magic = KD_STORE_MAGIC;
    store->clock = clock;
    store->place = place;
    (void)pthread_mutex_init(&store->health_lock, NULL); /* does not fail without attributes */
    kd_inbox_init(&store->inbox, (size_t)settings->batch_size, settings->flush_interval_ns);
    kd_hub_init(&store->hub, 0);
    kd_counts_init(&store->counts);
    kd_readers_init(&store->readers);
    kd_store_metrics_init(&store->metrics, metrics);
    int rc = open_parts(store, settings, reterr);
    if (rc == 0 && kd_thread_create(&store->writer, "kd-store", kd_writer_run, store) != 0) {
        rc = kd_fail(reterr, KD_ENOMEM, "store: no thread for the writer");
    }
    if (rc < 0) {
        add_remedy(rc, reterr);
        free_parts(store);
        return rc;
    }
    *ret = store;
    return 0;
}

void kd_store_close(struct kd_store *store)
{
    if (!store) {
        return;
    }
    KD_CHECK(store, KD_STORE_MAGIC);
    kd_inbox_close(&store->inbox);
    (void)pthread_join(store->writer, NULL); /* it was made, and is joined once */
    free_parts(store);
}

int kd_store_put(struct kd_store *store, const struct kd_put *put)
{
    struct kd_write *write = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_write_new(KD_WRITE_PUT, put, store->txn.seed, &write));
    return kd_inbox_add(&store->inbox, write);
}

int kd_store_add(struct kd_store *store, const struct kd_put *put)
{
    struct kd_write *write = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_write_new(KD_WRITE_ADD, put, store->txn.seed, &write));
    return kd_inbox_add_wait(&store->inbox, write);
}

int kd_store_remove(struct kd_store *store, const struct kd_ref *ref)
{
    struct kd_put put = { .ref = *ref };
    struct kd_write *write = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_write_new(KD_WRITE_REMOVE, &put, store->txn.seed, &write));
    return kd_inbox_add(&store->inbox, write);
}

int kd_store_set_number(struct kd_store *store, const char *name, int64_t number)
{
    const struct kd_put put = { .ref = { .kind = KD_STR("number"), .name = kd_cstr(name) },
                                .created_ns = number };
    struct kd_write *write = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_write_new(KD_WRITE_NUMBER, &put, store->txn.seed, &write));
    return kd_inbox_add(&store->inbox, write);
}

int kd_store_get_number(struct kd_store *store, const char *name, int64_t *ret)
{
    struct kd_reader *reader = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &reader));
    int rc = kd_db_number(&reader->db, KD_SQL_GET_META, ret, "t", kd_cstr(name));
    kd_reader_give(&store->readers, reader);
    return rc == 0 ? KD_ENOENT : rc < 0 ? rc : 0;
}

void kd_store_set_fence(struct kd_store *store, const struct kd_fence *fence)
{
    KD_CHECK(store, KD_STORE_MAGIC);
    store->fence = fence;
}

int kd_store_mark(struct kd_store *store, const struct kd_mark *mark)
{
    struct kd_write *write = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_write_new_mark(mark, &write));
    return kd_inbox_try_add(&store->inbox, write);
}

int kd_store_forget(struct kd_store *store, const struct kd_ref *ref, struct kd_str instance)
{
    struct kd_put put = { .ref = *ref, .instance = instance };
    struct kd_write *write = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_write_new(KD_WRITE_FORGET, &put, store->txn.seed, &write));
    return kd_inbox_try_add(&store->inbox, write);
}

int kd_store_flush_for(struct kd_store *store, int64_t limit_ns)
{
    KD_CHECK(store, KD_STORE_MAGIC);
    return kd_inbox_flush(&store->inbox, limit_ns);
}

int kd_store_flush(struct kd_store *store)
{
    return kd_store_flush_for(store, INT64_MAX);
}

uint64_t kd_store_count(struct kd_store *store, const char *group, const char *kind)
{
    KD_CHECK(store, KD_STORE_MAGIC);
    return kd_counts_get(&store->counts, kd_cstr(group), kd_cstr(kind));
}

struct kd_store_subscription *kd_store_subscribe(struct kd_store *store,
                                                 void (*fn)(void *arg, uint64_t seq), void *arg,
                                                 uint64_t *ret_seq)
{
    KD_CHECK(store, KD_STORE_MAGIC);
    return kd_hub_add(&store->hub, fn, arg, ret_seq);
}

int kd_store_health(struct kd_store *store, struct kd_error *reterr)
{
    KD_CHECK(store, KD_STORE_MAGIC);
    (void)pthread_mutex_lock(&store->health_lock);
    struct kd_error health = store->health;
    (void)pthread_mutex_unlock(&store->health_lock);
    return health.code == 0 ? 0 : kd_fail(reterr, health.code, "%s", health.text);
}

uint64_t kd_store_memory_bytes(void)
{
    return (uint64_t)sqlite3_memory_used();
}
