#include "store/schema.h"

#include "store/views.h"

#include <kindred/relations.h>
#include <sys/random.h>

#define TEXT_OF(number) TEXT_OF_EXPANDED(number)
#define TEXT_OF_EXPANDED(number) #number

/* Version 2. base: what records of one owner are compressed against, with use counts as in dict. */
#define BASE_TABLE                                                                                 \
    "CREATE TABLE base(id INTEGER PRIMARY KEY, uses INTEGER NOT NULL, encoding INTEGER NOT NULL,"  \
    " raw_len INTEGER NOT NULL, dict INTEGER, bytes BLOB NOT NULL);"

/* Version 3. mark: up to which resource version a kind is complete, but for what is pending. */
#define MARK_TABLES                                                                                \
    "CREATE TABLE mark(kind INTEGER PRIMARY KEY, scope TEXT NOT NULL, version TEXT NOT NULL);"     \
    "CREATE TABLE pending(kind INTEGER NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL,"            \
    " PRIMARY KEY(kind, ns, name)) WITHOUT ROWID;"

/*
 * kind, word: interned, never removed. said: one row per object and plugin instance, with hashes of
 * what was said, so that a repetition costs one lookup. rel: one row per relation; extra is what
 * its attributes outside of the identity come to over all origins. origin: who said a relation, and
 * as what its ends were mentioned; an end without uid is the origin itself or was named without.
 * gone: nodes that nothing but the feed refers to, with the seq of the last row that may.
 */
static const char tables[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT NOT NULL, grp TEXT NOT NULL,"
    " stored INTEGER NOT NULL, UNIQUE(name, grp));"
    "CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE node(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, ns TEXT NOT NULL,"
    " name TEXT NOT NULL, UNIQUE(kind, ns, name));"
    "CREATE TABLE resource(node INTEGER PRIMARY KEY, uid TEXT, version INTEGER NOT NULL,"
    " instance INTEGER NOT NULL, version_text TEXT NOT NULL, labels TEXT NOT NULL,"
    " annotations TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, data TEXT);"
    "CREATE TABLE dict(id INTEGER PRIMARY KEY, uses INTEGER NOT NULL, bytes BLOB NOT NULL);"
    "CREATE TABLE record(node INTEGER PRIMARY KEY, encoding INTEGER NOT NULL,"
    " raw_len INTEGER NOT NULL, dict INTEGER, bytes BLOB NOT NULL, base INTEGER);" BASE_TABLE
        MARK_TABLES "CREATE TABLE said(node INTEGER NOT NULL, instance INTEGER NOT NULL, uid TEXT,"
    " resource_hash INTEGER, relations_hash INTEGER NOT NULL,"
    " PRIMARY KEY(node, instance)) WITHOUT ROWID;"
    "CREATE TABLE rel(id INTEGER PRIMARY KEY, subject INTEGER NOT NULL, type INTEGER NOT NULL,"
    " object INTEGER NOT NULL, attrs TEXT NOT NULL, extra TEXT NOT NULL);"
    "CREATE INDEX rel_object ON rel(object, type, subject);"
    "CREATE INDEX rel_subject ON rel(subject, type);"
    "CREATE TABLE origin(rel INTEGER NOT NULL, node INTEGER NOT NULL, instance INTEGER NOT NULL,"
    " extra TEXT NOT NULL, subject_version INTEGER, object_version INTEGER, subject_uid TEXT,"
    " object_uid TEXT, PRIMARY KEY(rel, node, instance)) WITHOUT ROWID;"
    "CREATE INDEX origin_node ON origin(node, instance);"
    "CREATE TABLE feed(seq INTEGER PRIMARY KEY, type INTEGER NOT NULL, subject INTEGER NOT NULL,"
    " subject_version INTEGER, subject_uid TEXT, object INTEGER, object_version INTEGER,"
    " object_uid TEXT, predicate INTEGER, rel INTEGER, attrs TEXT);"
    "CREATE TABLE gone(node INTEGER PRIMARY KEY, seq INTEGER NOT NULL);"
    "CREATE INDEX gone_seq ON gone(seq);"
    "INSERT INTO meta VALUES('seq', 0), ('rel', 1);"
    "PRAGMA application_id = " TEXT_OF(KD_APPLICATION_ID) ";";

static int pragma_number(struct kd_db *db, const char *sql, int64_t *ret)
{
    sqlite3_stmt *stmt = NULL;
    int rc = kd_db_code(sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL));
    if (rc == 0) {
        rc = kd_db_next(stmt);
        *ret = rc == 1 ? sqlite3_column_int64(stmt, 0) : 0;
    }
    (void)sqlite3_finalize(stmt); /* repeats the error of the step */
    return rc < 0 ? rc : 0;
}

/* A seed of the file's own: who writes objects must not know what they hash to. */
static int make_seed(struct kd_db *db)
{
    int64_t seed = 0;
    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed)) {
        return KD_EIO;
    }
    return kd_db_run(db, KD_SQL_SET_META, "ti", kd_cstr("seed"), seed);
}

static int make_tables(struct kd_db *db)
{
    KD_TRY(kd_db_exec(db, tables));
    KD_TRY(kd_db_code(kd_views_make(db->handle, false)));
    return make_seed(db);
}

/* Step number i brings a file of version i + 1 to the next one. */
static const char *const steps[] = {
    "ALTER TABLE record ADD COLUMN base INTEGER;" BASE_TABLE, MARK_TABLES,
    NULL, /* version 4 has the views */
};

_Static_assert(sizeof(steps) / sizeof(steps[0]) == KD_SCHEMA_VERSION - 1, "a step is missing");

static int migrate(struct kd_db *db, int64_t version)
{
    for (; version < KD_SCHEMA_VERSION; version++) {
        const char *step = steps[version - 1];
        KD_TRY(step ? kd_db_exec(db, step) : kd_db_code(kd_views_make(db->handle, false)));
    }
    return 0;
}

static int check_ours(struct kd_db *db, const char *path, int64_t version, struct kd_error *reterr)
{
    int64_t application = 0;
    KD_TRY(pragma_number(db, "PRAGMA application_id", &application));
    if (application != KD_APPLICATION_ID) {
        return kd_fail(reterr, KD_ECONFIG,
                       "store %s: a database of another program; set store.path to another file",
                       path);
    }
    if (version < 1 || version > KD_SCHEMA_VERSION) {
        return kd_fail(reterr, KD_ECONFIG,
                       "store %s: schema version %lld, this program knows %d; use a newer program "
                       "or another file",
                       path, (long long)version, KD_SCHEMA_VERSION);
    }
    return 0;
}

static int prepare(struct kd_db *db, const char *path, struct kd_error *reterr)
{
    int64_t version = 0;
    int64_t n_tables = 0;
    KD_TRY(pragma_number(db, "PRAGMA user_version", &version));
    KD_TRY(pragma_number(db, "SELECT count(*) FROM sqlite_schema", &n_tables));
    if (version == 0 && n_tables == 0) {
        KD_TRY(make_tables(db));
    } else {
        KD_TRY(check_ours(db, path, version, reterr));
        KD_TRY(migrate(db, version));
    }
    return version == KD_SCHEMA_VERSION
               ? 0
               : kd_db_exec(db, "PRAGMA user_version = " TEXT_OF(KD_SCHEMA_VERSION));
}

int kd_schema_prepare(struct kd_db *db, const char *path, struct kd_error *reterr)
{
    struct kd_error err = { 0 };
    int rc = kd_db_run(db, KD_SQL_BEGIN_WRITE, "");
    if (rc == 0) {
        rc = prepare(db, path, &err);
        if (rc == 0) {
            rc = kd_db_run(db, KD_SQL_COMMIT, "");
        }
    }
    if (rc < 0) {
        if (err.code == 0) {
            (void)kd_fail(&err, rc, "store %s: %s", path, sqlite3_errmsg(db->handle));
        }
        kd_db_rollback(db);
        rc = kd_fail(reterr, rc, "%s", err.text);
    }
    return rc;
}
