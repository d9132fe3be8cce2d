/*
 * One SQLite connection with its prepared statements. Used by one thread at a time.
 *
 * Formats of bound values, one letter per parameter: i int64_t; t text (struct kd_str); o text or
 * NULL when empty; n text or NULL when its pointer is NULL; b blob (struct kd_str); z int64_t or
 * NULL when 0.
 */
#ifndef KD_STORE_DB_H
#define KD_STORE_DB_H

#include "base/error.h"
#include "store/sql.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>

/* Writers outside of this process are waited for this long at a time. */
#define KD_DB_BUSY_MS 250

struct kd_db {
    sqlite3 *handle;
    sqlite3_stmt *stmts[KD_SQL_COUNT];
};

enum kd_db_role { KD_DB_WRITER, KD_DB_READER };

/* durable: a commit survives the end of the process and, but for the last ones, of the machine. */
int kd_db_open(struct kd_db *db, const char *path, enum kd_db_role role, bool durable,
               struct kd_error *reterr) KD_MUST_USE;
void kd_db_close(struct kd_db *db); /* accepts a zeroed one */

/* Statements without parameters and results, separated by ';'. */
int kd_db_exec(struct kd_db *db, const char *sql) KD_MUST_USE;
/* Ends the transaction, if there is one, without what it wrote. Cannot fail in a way that matters.
 */
void kd_db_rollback(struct kd_db *db);
/* A statement without results. */
int kd_db_run(struct kd_db *db, enum kd_sql id, const char *fmt, ...) KD_MUST_USE;
/* First column of the first row as an integer: 1, 0 when there is no row or it is NULL. */
int kd_db_number(struct kd_db *db, enum kd_sql id, int64_t *ret, const char *fmt, ...) KD_MUST_USE;
/*
 * Begins a select: *ret is taken out of the connection until kd_db_end, so that a nested use of the
 * same statement gets one of its own. Bound texts must live until then.
 */
int kd_db_select(struct kd_db *db, enum kd_sql id, sqlite3_stmt **ret, const char *fmt,
                 ...) KD_MUST_USE;
int kd_db_next(sqlite3_stmt *stmt) KD_MUST_USE; /* 1: a row, 0: the end */
void kd_db_end(struct kd_db *db, enum kd_sql id, sqlite3_stmt *stmt);

/* Binds to a statement that is not in the list; gives SQLite's code. */
int kd_db_bind(sqlite3_stmt *stmt, const char *fmt, va_list args) KD_MUST_USE;
/* Code for a result of SQLite: KD_EBUSY, KD_ENOMEM, KD_ETOOBIG, KD_EINVAL, KD_EIO, KD_ESTORE. */
int kd_db_code(int sqlite_rc);

/* A column; text lives until the next row. */
static inline struct kd_str kd_db_text(sqlite3_stmt *stmt, int column)
{
    const void *ptr = sqlite3_column_blob(stmt, column); /* no conversion, no cut at a NUL */
    return (struct kd_str){ ptr, (uint64_t)sqlite3_column_bytes(stmt, column) };
}

static inline bool kd_db_is_null(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL;
}

#endif
