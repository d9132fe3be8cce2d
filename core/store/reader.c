#include "store/reader.h"

#define MAX_CACHED_TERMS 10000

static int warm_up(struct kd_reader *reader, int64_t *ret_seq)
{
    KD_TRY(kd_db_run(&reader->db, KD_SQL_BEGIN_READ, ""));
    int rc = kd_db_number(&reader->db, KD_SQL_GET_META, ret_seq, "t", KD_STR("seq"));
    if (rc < 0) {
        kd_db_rollback(&reader->db);
        return rc;
    }
    return 0;
}

void kd_readers_init(struct kd_readers *readers)
{
    *readers = (struct kd_readers){ 0 };
    (void)pthread_mutex_init(&readers->lock, NULL); /* neither fails without attributes */
    (void)pthread_cond_init(&readers->freed, NULL);
}

int kd_readers_open(struct kd_readers *readers, const char *path, struct kd_error *reterr)
{
    for (size_t i = 0; i < KD_READERS; i++) {
        struct kd_reader *reader = &readers->items[i];
        int64_t seq = 0;
        KD_TRY(kd_db_open(&reader->db, path, KD_DB_READER, true, reterr));
        int rc = warm_up(reader, &seq); /* opens the log too */
        rc = rc ? rc : kd_db_run(&reader->db, KD_SQL_COMMIT, "");
        if (rc < 0) {
            return kd_fail(reterr, rc, "store %s: %s", path, sqlite3_errmsg(reader->db.handle));
        }
    }
    return 0;
}

void kd_readers_close(struct kd_readers *readers)
{
    for (size_t i = 0; i < KD_READERS; i++) {
        struct kd_reader *reader = &readers->items[i];
        KD_ASSERT(reader->depth == 0);
        for (size_t form = 0; form < KD_RELATION_QUERIES; form++) {
            (void)sqlite3_finalize(reader->relation_queries[form]); /* repeats its last error */
        }
        kd_terms_reset(&reader->terms);
        kd_blob_cache_release(&reader->blobs);
        kd_db_close(&reader->db);
    }
    (void)pthread_cond_destroy(&readers->freed);
    (void)pthread_mutex_destroy(&readers->lock);
}

static struct kd_reader *find_held_locked(struct kd_readers *readers)
{
    for (size_t i = 0; i < KD_READERS; i++) {
        struct kd_reader *reader = &readers->items[i];
        if (reader->depth && pthread_equal(reader->owner, pthread_self())) {
            return reader;
        }
    }
    return NULL;
}

static struct kd_reader *find_free_locked(struct kd_readers *readers)
{
    for (size_t i = 0; i < KD_READERS; i++) {
        if (readers->items[i].depth == 0) {
            return &readers->items[i];
        }
    }
    return NULL;
}

struct kd_reader *kd_reader_held(struct kd_readers *readers)
{
    (void)pthread_mutex_lock(&readers->lock);
    struct kd_reader *reader = find_held_locked(readers);
    (void)pthread_mutex_unlock(&readers->lock);
    return reader;
}

static void let_go(struct kd_readers *readers, struct kd_reader *reader)
{
    (void)pthread_mutex_lock(&readers->lock);
    reader->depth = 0;
    (void)pthread_cond_signal(&readers->freed);
    (void)pthread_mutex_unlock(&readers->lock);
}

int kd_reader_take(struct kd_readers *readers, struct kd_reader **ret)
{
    int64_t seq = 0;
    (void)pthread_mutex_lock(&readers->lock);
    struct kd_reader *reader = find_held_locked(readers);
    while (!reader && !(reader = find_free_locked(readers))) {
        (void)pthread_cond_wait(&readers->freed, &readers->lock);
    }
    reader->owner = pthread_self();
    bool joined = reader->depth++ > 0;
    (void)pthread_mutex_unlock(&readers->lock);
    if (!joined) {
        int rc = warm_up(reader, &seq);
        if (rc < 0) {
            let_go(readers, reader);
            return rc;
        }
        reader->seq = (uint64_t)seq;
        if (reader->terms.words_by_id.n + reader->terms.kinds_by_id.n > MAX_CACHED_TERMS) {
            kd_terms_reset(&reader->terms);
        }
    }
    *ret = reader;
    return 0;
}

void kd_reader_give(struct kd_readers *readers, struct kd_reader *reader)
{
    (void)pthread_mutex_lock(&readers->lock);
    bool last = reader->depth == 1;
    reader->depth -= !last;
    (void)pthread_mutex_unlock(&readers->lock);
    if (last) {
        kd_db_rollback(&reader->db); /* it has only read */
        let_go(readers, reader);
    }
}
