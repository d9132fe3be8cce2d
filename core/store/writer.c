/*
 * The writer's thread: takes batches, writes each in one transaction, keeps one that fails and
 * tries it again.
 */
#include "base/fence.h"
#include "base/log.h"
#include "store/state.h"

#define FIRST_PAUSE_NS (20 * KD_MS_NS)
#define LAST_PAUSE_NS (500 * KD_MS_NS)
#define CLOSING_TRIES 8 /* after close has begun: about five seconds with a locked file */

/* The log is copied into the file past this, and begun anew past four times as much. */
#define WAL_PAGES 2048u

static void set_health(struct kd_store *store, const struct kd_error *err)
{
    (void)pthread_mutex_lock(&store->health_lock);
    store->health = *err;
    (void)pthread_mutex_unlock(&store->health_lock);
}

/* An error that lies in one write, not in the place: trying again would not help. */
static bool is_hopeless(int rc)
{
    return rc == KD_EINVAL || rc == KD_ETOOBIG;
}

static int fail(struct kd_store *store, int rc, struct kd_error *err)
{
    int system = sqlite3_system_errno(store->txn.db.handle);
    return kd_fail(err, rc, "store: %s (system error %d)", sqlite3_errmsg(store->txn.db.handle),
                   system);
}

/* KD_EAGAIN: one write was given up, the rest may be tried at once. */
static int try_writes(struct kd_store *store, struct kd_write *batch, struct kd_error *err)
{
    for (struct kd_write *write = batch; write; write = write->next) {
        if (write->skip) {
            continue;
        }
        int rc = kd_apply(&store->txn, write);
        if (is_hopeless(rc)) {
            write->skip = true;
            write->result = rc;
            KD_ERROR("store gives up one object", KD_FS("kind", write->put.ref.kind),
                     KD_FS("namespace", write->put.ref.ns), KD_FS("name", write->put.ref.name),
                     KD_F("error", kd_errno_text(rc)));
            return KD_EAGAIN;
        }
        if (rc < 0) {
            return fail(store, rc, err);
        }
    }
    return 0;
}

static int try_batch(struct kd_store *store, struct kd_write *batch, struct kd_error *err)
{
    int rc = kd_txn_begin(&store->txn, kd_wall_ns(store->clock));
    if (rc < 0) {
        return fail(store, rc, err);
    }
    rc = try_writes(store, batch, err);
    if (rc == 0 && !kd_fence_is_open(store->fence)) {
        rc = KD_ECANCELED;
    }
    if (rc == 0) {
        rc = kd_txn_commit(&store->txn);
        if (rc < 0) {
            rc = fail(store, rc, err);
        }
    }
    if (rc < 0) {
        kd_txn_rollback(&store->txn);
    }
    return rc;
}

static void note_failure(struct kd_store *store, const struct kd_error *err, unsigned tries)
{
    const char *values[] = { kd_errno_name(err->code) };
    kd_counter_add(kd_family_series(store->metrics.errors, values), 1);
    set_health(store, err);
    if (tries == 1) {
        KD_ERROR("store batch failed, it is kept and tried again", KD_F("error", err->text));
    }
}

/* Writes the batch, however long it takes; an error only when the store closes meanwhile, or
 * KD_ECANCELED when the fence is shut. */
static int write_batch(struct kd_store *store, struct kd_write *batch)
{
    struct kd_error err = { 0 };
    int64_t pause_ns = FIRST_PAUSE_NS;
    unsigned tries = 0;
    unsigned closing_tries = 0;
    for (;;) {
        int rc = kd_fence_is_open(store->fence) ? try_batch(store, batch, &err) : KD_ECANCELED;
        if (rc == 0) {
            break;
        }
        if (rc == KD_ECANCELED) {
            return rc;
        }
        if (rc == KD_EAGAIN) {
            continue;
        }
        note_failure(store, &err, ++tries);
        closing_tries += kd_inbox_pause(&store->inbox, pause_ns);
        if (closing_tries > (store->hopeless ? 0 : CLOSING_TRIES)) {
            return rc;
        }
        pause_ns = pause_ns * 2 < LAST_PAUSE_NS ? pause_ns * 2 : LAST_PAUSE_NS;
    }
    if (tries) {
        KD_INFO("store writes again", KD_FU("tries", tries));
        set_health(store, &(struct kd_error){ 0 });
    }
    return 0;
}

/*
 * Never waits for a reader: a checkpoint that one is in the way of is tried again after the next
 * commit. SQLite's own automatic one would never begin the log anew under steady reads.
 */
static void bound_log(struct kd_store *store)
{
    sqlite3 *handle = store->txn.db.handle;
    if (store->wal_pages < WAL_PAGES) {
        return;
    }
    int mode =
        store->wal_pages < 4 * WAL_PAGES ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE;
    (void)sqlite3_busy_timeout(handle, 0); /* setting a time always succeeds */
    if (sqlite3_wal_checkpoint_v2(handle, NULL, mode, NULL, NULL) == SQLITE_OK) {
        store->wal_pages = 0;
    }
    (void)sqlite3_busy_timeout(handle, KD_DB_BUSY_MS);
}

static int on_commit(void *arg, sqlite3 *handle, const char *name, int pages)
{
    struct kd_store *store = arg;
    (void)handle;
    (void)name;
    store->wal_pages = (size_t)pages;
    return SQLITE_OK;
}

static void publish(struct kd_store *store, int64_t started_ns)
{
    int64_t took_ns = kd_now_ns(store->clock) - started_ns;
    kd_counts_publish(&store->counts, &store->metrics, &store->txn,
                      (double)took_ns / (double)KD_SEC_NS);
}

static size_t count(const struct kd_write *batch)
{
    size_t n = 0;
    for (const struct kd_write *write = batch; write; write = write->next) {
        n++;
    }
    return n;
}

void *kd_writer_run(void *arg)
{
    struct kd_store *store = arg;
    struct kd_write *batch;
    (void)sqlite3_wal_hook(store->txn.db.handle, on_commit, store);
    while ((batch = kd_inbox_take(&store->inbox))) {
        int64_t started_ns = kd_now_ns(store->clock);
        kd_gauge_set(store->metrics.queue, (double)kd_inbox_length(&store->inbox));
        kd_writes_collapse(batch);
        int rc = write_batch(store, batch);
        if (rc == 0) {
            publish(store, started_ns);
            bound_log(store);
        } else if (rc == KD_ECANCELED) {
            KD_INFO("changes dropped: no longer the leader", KD_FU("changes", count(batch)));
        } else {
            store->hopeless = true;
            KD_ERROR("store closes with changes that could not be written",
                     KD_F("error", kd_errno_text(rc)));
        }
        kd_hub_publish(&store->hub, store->txn.committed_seq);
        kd_inbox_done(&store->inbox, batch, rc);
        kd_gauge_set(store->metrics.queue, (double)kd_inbox_length(&store->inbox));
        kd_hub_tell(&store->hub);
    }
    return NULL;
}
