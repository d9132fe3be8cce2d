#include "store/db.h"

#define WRITER_PRAGMAS                                                                             \
    "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA cache_size = -16384; "             \
    "PRAGMA temp_store = MEMORY; "                                                                 \
    "PRAGMA journal_size_limit = 67108864"
#define READER_PRAGMAS "PRAGMA query_only = ON; PRAGMA cache_size = -2048"

#define SQL_TEXT(name, text) text,
static const char *const sql_texts[] = { KD_SQL_STATEMENTS(SQL_TEXT) };
#undef SQL_TEXT

int kd_db_code(int sqlite_rc)
{
    switch (sqlite_rc & 0xff) { /* the low byte is the primary code */
    case SQLITE_OK:
        return 0;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return KD_EBUSY;
    case SQLITE_NOMEM:
        return KD_ENOMEM;
    case SQLITE_TOOBIG:
        return KD_ETOOBIG;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
        return KD_EINVAL;
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return KD_EIO;
    default:
        return KD_ESTORE;
    }
}

int kd_db_open(struct kd_db *db, const char *path, enum kd_db_role role, bool durable,
               struct kd_error *reterr)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    *db = (struct kd_db){ 0 };
    int rc = kd_db_code(sqlite3_open_v2(path, &db->handle, flags, NULL));
    if (rc == 0) {
        (void)sqlite3_busy_timeout(db->handle, KD_DB_BUSY_MS);
        rc = kd_db_exec(db, role == KD_DB_WRITER ? WRITER_PRAGMAS : READER_PRAGMAS);
    }
    if (rc == 0) {
        rc = kd_db_exec(db, durable ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = OFF");
    }
    if (rc < 0) {
        (void)kd_fail(reterr, rc, "store %s: %s", path,
                      db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
        kd_db_close(db);
    }
    return rc;
}

void kd_db_close(struct kd_db *db)
{
    for (size_t i = 0; i < KD_SQL_COUNT; i++) {
        (void)sqlite3_finalize(db->stmts[i]); /* repeats the statement's last error */
    }
    if (db->handle && sqlite3_close(db->handle) != SQLITE_OK) {
        kd_bug(__FILE__, __LINE__, "a statement outlives its connection");
    }
    *db = (struct kd_db){ 0 };
}

int kd_db_exec(struct kd_db *db, const char *sql)
{
    return kd_db_code(sqlite3_exec(db->handle, sql, NULL, NULL, NULL));
}

static int bind_text(sqlite3_stmt *stmt, int index, char how, struct kd_str text)
{
    if ((how == 'o' && text.len == 0) || (how == 'n' && !text.ptr)) {
        return sqlite3_bind_null(stmt, index);
    }
    if (how == 'b') {
        return sqlite3_bind_blob64(stmt, index, text.ptr ? text.ptr : "", text.len, SQLITE_STATIC);
    }
    return sqlite3_bind_text64(stmt, index, text.ptr ? text.ptr : "", text.len, SQLITE_STATIC,
                               SQLITE_UTF8);
}

int kd_db_bind(sqlite3_stmt *stmt, const char *fmt, va_list args)
{
    int rc = SQLITE_OK;
    for (int i = 1; *fmt && rc == SQLITE_OK; fmt++, i++) {
        if (*fmt == 'i' || *fmt == 'z') {
            int64_t number = va_arg(args, int64_t);
            rc = *fmt == 'z' && number == 0 ? sqlite3_bind_null(stmt, i)
                                            : sqlite3_bind_int64(stmt, i, number);
        } else {
            rc = bind_text(stmt, i, *fmt, va_arg(args, struct kd_str));
        }
    }
    return rc;
}

static int take(struct kd_db *db, enum kd_sql id, sqlite3_stmt **ret)
{
    *ret = kd_steal(db->stmts[id]);
    return *ret ? SQLITE_OK
                : sqlite3_prepare_v3(db->handle, sql_texts[id], -1, SQLITE_PREPARE_PERSISTENT, ret,
                                     NULL);
}

static int select_args(struct kd_db *db, enum kd_sql id, sqlite3_stmt **ret, const char *fmt,
                       va_list args)
{
    sqlite3_stmt *stmt = NULL;
    int rc = take(db, id, &stmt);
    if (rc == SQLITE_OK) {
        rc = kd_db_bind(stmt, fmt, args);
    }
    if (rc != SQLITE_OK) {
        kd_db_end(db, id, stmt);
        return kd_db_code(rc);
    }
    *ret = stmt;
    return 0;
}

int kd_db_select(struct kd_db *db, enum kd_sql id, sqlite3_stmt **ret, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int rc = select_args(db, id, ret, fmt, args);
    va_end(args);
    return rc;
}

int kd_db_next(sqlite3_stmt *stmt)
{
    int rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) {
        return 1;
    }
    return rc == SQLITE_DONE ? 0 : kd_db_code(rc);
}

void kd_db_end(struct kd_db *db, enum kd_sql id, sqlite3_stmt *stmt)
{
    if (!stmt) {
        return;
    }
    (void)sqlite3_reset(stmt); /* repeats the error that step gave */
    if (db->stmts[id]) {
        (void)sqlite3_finalize(stmt);
    } else {
        db->stmts[id] = stmt;
    }
}

int kd_db_run(struct kd_db *db, enum kd_sql id, const char *fmt, ...)
{
    sqlite3_stmt *stmt = NULL;
    va_list args;
    va_start(args, fmt);
    int rc = select_args(db, id, &stmt, fmt, args);
    va_end(args);
    KD_TRY(rc);
    rc = kd_db_next(stmt);
    kd_db_end(db, id, stmt);
    return rc < 0 ? rc : 0;
}

int kd_db_number(struct kd_db *db, enum kd_sql id, int64_t *ret, const char *fmt, ...)
{
    sqlite3_stmt *stmt = NULL;
    va_list args;
    va_start(args, fmt);
    int rc = select_args(db, id, &stmt, fmt, args);
    va_end(args);
    KD_TRY(rc);
    rc = kd_db_next(stmt);
    if (rc == 1 && kd_db_is_null(stmt, 0)) {
        rc = 0;
    }
    if (rc == 1) {
        *ret = sqlite3_column_int64(stmt, 0);
    }
    kd_db_end(db, id, stmt);
    return rc;
}

void kd_db_rollback(struct kd_db *db)
{
    if (!sqlite3_get_autocommit(db->handle)) { /* some errors have ended it already */
        int rc = kd_db_run(db, KD_SQL_ROLLBACK, "");
        (void)rc; /* the transaction ends in any case */
    }
}
