#include "archive/archive.h"

#include "archive/data.h"
#include "base/alloc.h"
#include "base/str.h"
#include "store/schema.h"
#include "store/views.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define BUSY_MS 10000 /* a writer that copies its log into the file */

struct kd_archive {
    sqlite3 *handle;
    char *path;
    uint64_t seq;
};

struct kd_archive_walk {
    struct kd_archive *archive;
    sqlite3_stmt *rows;
    sqlite3_stmt *data; /* of a walk over resources */
};

static int fail(const struct kd_archive *archive, int rc, struct kd_error *reterr)
{
    return kd_fail(reterr, rc < 0 ? rc : KD_EIO, "%s: %s", archive->path,
                   archive->handle ? sqlite3_errmsg(archive->handle) : "no memory");
}

static int exec(struct kd_archive *archive, const char *sql, struct kd_error *reterr)
{
    int rc = kd_db_code(sqlite3_exec(archive->handle, sql, NULL, NULL, NULL));
    return rc < 0 ? fail(archive, rc, reterr) : 0;
}

static int number(struct kd_archive *archive, const char *sql, int64_t *ret,
                  struct kd_error *reterr)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(archive->handle, sql, -1, &stmt, NULL);
    rc = rc == SQLITE_OK ? sqlite3_step(stmt) : rc;
    *ret = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : fail(archive, kd_db_code(rc), reterr);
    (void)sqlite3_finalize(stmt); /* repeats the error of the step */
    return rc;
}

/*
 * A store is read beside its writer, for which SQLite keeps files next to it; where they cannot be
 * made, in a folder that we may not write, nobody else writes either.
 */
static int open_file(struct kd_archive *archive, struct kd_error *reterr)
{
    int flags = SQLITE_OPEN_NOMUTEX |
                (access(archive->path, W_OK) == 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
    int fd = open(archive->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) { /* SQLite's words would not say why */
        return kd_fail(reterr, KD_EIO, "%s: %s", archive->path, strerror(errno));
    }
    (void)close(fd); /* nothing was written */
    int rc = kd_db_code(sqlite3_open_v2(archive->path, &archive->handle, flags, NULL));
    if (rc < 0) {
        return fail(archive, rc, reterr);
    }
    (void)sqlite3_busy_timeout(archive->handle, BUSY_MS);
    return 0;
}

static int check_version(struct kd_archive *archive, struct kd_error *reterr)
{
    int64_t application = 0;
    int64_t version = 0;
    if (number(archive, "PRAGMA application_id", &application, NULL) < 0 ||
        application != KD_APPLICATION_ID) {
        return kd_fail(reterr, KD_ECONFIG, "%s is no store of kindred's and no backup of one",
                       archive->path);
    }
    KD_TRY(number(archive, "PRAGMA user_version", &version, reterr));
    if (version < KD_SCHEMA_OLDEST_READ || version > KD_SCHEMA_VERSION) {
        return kd_fail(
            reterr, KD_ECONFIG, "%s has schema version %lld, this program reads %d to %d; %s",
            archive->path, (long long)version, KD_SCHEMA_OLDEST_READ, KD_SCHEMA_VERSION,
            version > KD_SCHEMA_VERSION ? "use a newer kindredctl" : "let kindred open it once");
    }
    return 0;
}

/* The views of the connection hide those of the file, which an older one has not. */
static int begin(struct kd_archive *archive, struct kd_error *reterr)
{
    int64_t seq = 0;
    KD_TRY(check_version(archive, reterr));
    KD_TRY(exec(archive, "BEGIN", reterr)); /* from here on the file stands still */
    int rc = kd_db_code(kd_views_make(archive->handle, true));
    rc = rc < 0 ? rc : kd_db_code(kd_data_register(archive->handle));
    if (rc < 0) {
        return fail(archive, rc, reterr);
    }
    KD_TRY(exec(archive, "PRAGMA query_only = ON; PRAGMA cache_size = -8192", reterr));
    KD_TRY(number(archive, "SELECT value FROM meta WHERE key = 'seq'", &seq, reterr));
    archive->seq = (uint64_t)seq;
    return 0;
}

int kd_archive_open(const char *path, struct kd_archive **ret, struct kd_error *reterr)
{
    struct kd_archive *archive = kd_zalloc(sizeof(*archive));
    archive->path = kd_strdup(path);
    int rc = open_file(archive, reterr);
    rc = rc < 0 ? rc : begin(archive, reterr);
    if (rc < 0) {
        kd_archive_close(archive);
        return rc;
    }
    *ret = archive;
    return 0;
}

void kd_archive_close(struct kd_archive *archive)
{
    if (!archive) {
        return;
    }
    if (archive->handle && sqlite3_close(archive->handle) != SQLITE_OK) {
        kd_bug(__FILE__, __LINE__, "a walk outlives its archive");
    }
    kd_free(archive->path);
    kd_free(archive);
}

uint64_t kd_archive_seq(const struct kd_archive *archive)
{
    return archive->seq;
}

static int begin_walk(struct kd_archive *archive, const char *sql, const char *data_sql,
                      struct kd_archive_walk **ret, struct kd_error *reterr)
{
    struct kd_archive_walk *walk = kd_zalloc(sizeof(*walk));
    walk->archive = archive;
    int rc = sqlite3_prepare_v2(archive->handle, sql, -1, &walk->rows, NULL);
    if (rc == SQLITE_OK && data_sql) {
        rc = sqlite3_prepare_v2(archive->handle, data_sql, -1, &walk->data, NULL);
    }
    if (rc != SQLITE_OK) {
        (void)fail(archive, kd_db_code(rc), reterr);
        kd_archive_end(walk);
        return kd_db_code(rc);
    }
    *ret = walk;
    return 0;
}

int kd_archive_resources(struct kd_archive *archive, struct kd_archive_walk **ret,
                         struct kd_error *reterr)
{
    return begin_walk(archive,
                      "SELECT id, api_group, api_version, kind, namespace, name, uid, "
                      "resource_version, plugin, labels, annotations, created_at, updated_at "
                      "FROM temp.resources ORDER BY kind, api_group, namespace, name",
                      "SELECT kindred_data(?1)", ret, reterr);
}

int kd_archive_relations(struct kd_archive *archive, struct kd_archive_walk **ret,
                         struct kd_error *reterr)
{
    return begin_walk(archive,
                      "SELECT r.id, r.type, b.attrs, r.attributes, r.resolved, subject_group, "
                      "subject_version, subject_kind, subject_namespace, subject_name, "
                      "subject_uid, object_group, object_version, object_kind, object_namespace, "
                      "object_name, object_uid FROM temp.relationships r JOIN rel b ON b.id = r.id "
                      "ORDER BY r.type, subject_kind, subject_group, subject_namespace, "
                      "subject_name, object_kind, object_group, object_namespace, object_name, "
                      "b.attrs",
                      NULL, ret, reterr);
}

int kd_archive_origins(struct kd_archive *archive, struct kd_archive_walk **ret,
                       struct kd_error *reterr)
{
    return begin_walk(archive,
                      "SELECT kind, api_group, namespace, name, plugin, attributes, "
                      "subject_version, subject_uid, object_version, object_uid "
                      "FROM temp.origins WHERE relationship_id = ?1 "
                      "ORDER BY kind, api_group, namespace, name, plugin",
                      NULL, ret, reterr);
}

void kd_archive_origins_of(struct kd_archive_walk *walk, int64_t relation)
{
    (void)sqlite3_reset(walk->rows); /* repeats the error of the step, which was told */
    (void)sqlite3_bind_int64(walk->rows, 1, relation); /* there is such a parameter */
}

int kd_archive_mentioned(struct kd_archive *archive, struct kd_archive_walk **ret,
                         struct kd_error *reterr)
{
    return begin_walk(archive,
                      "SELECT k.grp, '', k.name, n.ns, n.name, '' FROM kind k "
                      "JOIN node n ON n.kind = k.id "
                      "WHERE NOT EXISTS(SELECT 1 FROM resource r WHERE r.node = n.id) AND "
                      "(EXISTS(SELECT 1 FROM rel WHERE subject = n.id) OR "
                      "EXISTS(SELECT 1 FROM rel WHERE object = n.id)) "
                      "ORDER BY k.name, k.grp, n.ns, n.name",
                      NULL, ret, reterr);
}

/* Never without a pointer. */
static struct kd_str text(sqlite3_stmt *stmt, int column)
{
    struct kd_str found = kd_db_text(stmt, column);
    return found.ptr ? found : KD_STR("");
}

/* 1: a row, 0: the end. */
static int step(struct kd_archive_walk *walk, sqlite3_stmt *stmt, struct kd_error *reterr)
{
    int rc = sqlite3_step(stmt);
    return rc == SQLITE_ROW    ? 1
           : rc == SQLITE_DONE ? 0
                               : fail(walk->archive, kd_db_code(rc), reterr);
}

/* The six texts of a reference, as the API orders them. */
static struct kd_ref ref_at(sqlite3_stmt *stmt, int column)
{
    return (struct kd_ref){
        .group = text(stmt, column),
        .version = text(stmt, column + 1),
        .kind = text(stmt, column + 2),
        .ns = text(stmt, column + 3),
        .name = text(stmt, column + 4),
        .uid = text(stmt, column + 5),
    };
}

int kd_archive_next_resource(struct kd_archive_walk *walk, struct kd_archive_resource *ret,
                             struct kd_error *reterr)
{
    sqlite3_stmt *rows = walk->rows;
    int rc = step(walk, rows, reterr);
    if (rc <= 0) {
        return rc;
    }
    *ret = (struct kd_archive_resource){
        .id = sqlite3_column_int64(rows, 0),
        .ref = ref_at(rows, 1),
        .version = text(rows, 7),
        .plugin = text(rows, 8),
        .labels = text(rows, 9),
        .annotations = text(rows, 10),
        .created_at = text(rows, 11),
        .updated_at = text(rows, 12),
    };
    (void)sqlite3_reset(walk->data); /* ended well, or we would not be here */
    (void)sqlite3_bind_int64(walk->data, 1, ret->id);
    KD_TRY(step(walk, walk->data, reterr));
    ret->data = text(walk->data, 0);
    return 1;
}

int kd_archive_next_relation(struct kd_archive_walk *walk, struct kd_archive_relation *ret,
                             struct kd_error *reterr)
{
    sqlite3_stmt *rows = walk->rows;
    int rc = step(walk, rows, reterr);
    if (rc <= 0) {
        return rc;
    }
    *ret = (struct kd_archive_relation){
        .id = sqlite3_column_int64(rows, 0),
        .type = text(rows, 1),
        .identity = text(rows, 2),
        .attrs = text(rows, 3),
        .resolved = sqlite3_column_int(rows, 4) != 0,
        .subject = ref_at(rows, 5),
        .object = ref_at(rows, 11),
    };
    return 1;
}

int kd_archive_next_origin(struct kd_archive_walk *walk, struct kd_archive_origin *ret,
                           struct kd_error *reterr)
{
    sqlite3_stmt *rows = walk->rows;
    int rc = step(walk, rows, reterr);
    if (rc <= 0) {
        return rc;
    }
    *ret = (struct kd_archive_origin){
        .ref = { .kind = text(rows, 0),
                 .group = text(rows, 1),
                 .ns = text(rows, 2),
                 .name = text(rows, 3) },
        .plugin = text(rows, 4),
        .attrs = text(rows, 5),
        .subject_version = text(rows, 6),
        .subject_uid = text(rows, 7),
        .object_version = text(rows, 8),
        .object_uid = text(rows, 9),
    };
    return 1;
}

int kd_archive_next_mentioned(struct kd_archive_walk *walk, struct kd_ref *ret,
                              struct kd_error *reterr)
{
    int rc = step(walk, walk->rows, reterr);
    *ret = rc == 1 ? ref_at(walk->rows, 0) : *ret;
    return rc;
}

void kd_archive_end(struct kd_archive_walk *walk)
{
    if (walk) {
        (void)sqlite3_finalize(walk->rows); /* repeats the error of the step */
        (void)sqlite3_finalize(walk->data);
        kd_free(walk);
    }
}
