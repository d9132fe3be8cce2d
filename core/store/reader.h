/*
 * Read connections. A query takes one for its time, and its thread's nested queries share it and
 * its transaction, so that they see one state. When all are taken a new query waits.
 */
#ifndef KD_STORE_READER_H
#define KD_STORE_READER_H

#include "store/blob.h"
#include "store/terms.h"

#include <pthread.h>

#define KD_READERS 8
#define KD_RELATION_QUERIES 18 /* forms of a relation query, see query_relation.c */

struct kd_reader {
    struct kd_db db;
    struct kd_terms terms;
    struct kd_blob_cache blobs;
    sqlite3_stmt *relation_queries[KD_RELATION_QUERIES];
    uint64_t seq;    /* that the transaction shows */
    pthread_t owner; /* while depth > 0 */
    unsigned depth;  /* queries that have it */
};

struct kd_readers {
    pthread_mutex_t lock; /* guards owner and depth of every reader */
    pthread_cond_t freed;
    struct kd_reader items[KD_READERS];
};

void kd_readers_init(struct kd_readers *readers);
/* Opens all of them, so that the file's name is needed no more. */
int kd_readers_open(struct kd_readers *readers, const char *path,
                    struct kd_error *reterr) KD_MUST_USE;
void kd_readers_close(struct kd_readers *readers); /* accepts half-open ones */

/* Begins a read transaction or joins the thread's own. */
int kd_reader_take(struct kd_readers *readers, struct kd_reader **ret) KD_MUST_USE;
void kd_reader_give(struct kd_readers *readers, struct kd_reader *reader);
/* The one that this thread has; NULL: none. */
struct kd_reader *kd_reader_held(struct kd_readers *readers);

#endif
