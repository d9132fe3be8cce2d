#include "archive/import.h"

#include "archive/rows.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "json/json.h"
#include "json/splitter.h"
#include "store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES (256 * KD_MIB)
#define BATCH 5000 /* lines of one transaction */
#define KEEP (256 * KD_KIB)
#define FORMAT 1

struct kd_import {
    struct kd_rows rows;
    struct kd_splitter *splitter;
    char *path;
    uint64_t line;
    int64_t seq;
    struct kd_error error; /* of the line that ended the import */
};

/* What one line cannot know, once all are there. */
static const char totals[] =
    "UPDATE kind SET stored = (SELECT count(*) FROM node n JOIN resource r ON r.node = n.id "
    "WHERE n.kind = kind.id);"
    "INSERT INTO said(node, instance, uid, resource_hash, relations_hash) "
    "SELECT node, instance, uid, NULL, 0 FROM resource;"
    "INSERT OR IGNORE INTO said(node, instance, uid, resource_hash, relations_hash) "
    "SELECT DISTINCT g.node, g.instance, r.uid, NULL, 0 FROM origin g "
    "LEFT JOIN resource r ON r.node = g.node;";

static int read_head(struct kd_import *import, struct kd_value line)
{
    struct kd_value head = { 0 };
    struct kd_value value = { 0 };
    int64_t format = 0;
    if (!kd_json_get(line, KD_STR("kindred"), &head) ||
        !kd_json_get(head, KD_STR("format"), &value) || kd_json_int(value, &format) < 0 ||
        format != FORMAT) {
        return kd_fail(&import->error, KD_EPARSE,
                       "this is no export of kindred's that this program can read: the first line "
                       "should be {\"kindred\":{\"format\":%d,...}}",
                       FORMAT);
    }
    if (!kd_json_get(head, KD_STR("seq"), &value) || kd_json_int(value, &import->seq) < 0) {
        return kd_fail(&import->error, KD_EPARSE, "the first line names no seq");
    }
    return 0;
}

static int read_row(struct kd_import *import, struct kd_value line)
{
    struct kd_value row = { 0 };
    if (kd_json_get(line, KD_STR("resource"), &row)) {
        return kd_rows_add_resource(&import->rows, row, &import->error);
    }
    if (kd_json_get(line, KD_STR("relation"), &row)) {
        return kd_rows_add_relation(&import->rows, row, &import->error);
    }
    return kd_fail(&import->error, KD_EPARSE, "it is neither a resource nor a relation");
}

static int next_batch(struct kd_import *import)
{
    struct kd_db *db = &import->rows.db;
    if (import->line % BATCH != 0) {
        return 0;
    }
    KD_TRY(kd_db_run(db, KD_SQL_COMMIT, ""));
    return kd_db_run(db, KD_SQL_BEGIN_WRITE, "");
}

static int on_line(void *arg, struct kd_str text)
{
    struct kd_import *import = arg;
    struct kd_value line = { 0 };
    import->line++;
    kd_arena_reset(&import->rows.arena, KEEP);
    KD_TRY(kd_json_parse(text, &line, &import->error));
    int rc = import->line == 1 ? read_head(import, line) : read_row(import, line);
    return rc < 0 ? rc : next_batch(import);
}

static void on_skipped(void *arg, struct kd_str head, uint64_t size)
{
    struct kd_import *import = arg;
    (void)head;
    import->line++;
    (void)kd_fail(&import->error, KD_ETOOBIG, "%llu bytes are too many",
                  (unsigned long long)size); /* looked at after this piece */
}

/* The line's own words, or those of the database. */
static int explain(struct kd_import *import, int rc, struct kd_error *reterr)
{
    if (import->error.code < 0) {
        return kd_fail(reterr, import->error.code, "line %llu: %s",
                       (unsigned long long)import->line, import->error.text);
    }
    return kd_fail(reterr, rc, "%s: %s", import->path, sqlite3_errmsg(import->rows.db.handle));
}

static int open_file(struct kd_import *import, struct kd_error *reterr)
{
    int fd = open(import->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return kd_fail(reterr, KD_EIO, "%s: %s", import->path, strerror(errno));
    }
    (void)close(fd); /* it is empty */
    KD_TRY(kd_db_open(&import->rows.db, import->path, KD_DB_WRITER, false, reterr));
    KD_TRY(kd_schema_prepare(&import->rows.db, import->path, reterr));
    int rc = kd_db_run(&import->rows.db, KD_SQL_BEGIN_WRITE, "");
    return rc < 0 ? explain(import, rc, reterr) : 0;
}

int kd_import_new(const char *path, struct kd_import **ret, struct kd_error *reterr)
{
    struct kd_import *import = kd_zalloc(sizeof(*import));
    const struct kd_split_sink sink = { import, on_line, on_skipped };
    import->path = kd_strdup(path);
    import->splitter = kd_splitter_new(KD_SPLIT_LINES, &sink, LINE_MAX_BYTES);
    kd_arena_init(&import->rows.arena, KD_MAX_SCRATCH);
    int rc = open_file(import, reterr);
    if (rc < 0) {
        kd_import_free(import);
        return rc;
    }
    *ret = import;
    return 0;
}

int kd_import_feed(struct kd_import *import, const char *ptr, size_t len, struct kd_error *reterr)
{
    int rc = kd_splitter_feed(import->splitter, ptr, len, NULL);
    return rc < 0 || import->error.code < 0 ? explain(import, rc, reterr) : 0;
}

static int write_totals(struct kd_import *import)
{
    struct kd_db *db = &import->rows.db;
    KD_TRY(kd_db_exec(db, totals));
    KD_TRY(kd_db_run(db, KD_SQL_SET_META, "ti", KD_STR("seq"), import->seq));
    KD_TRY(kd_db_run(db, KD_SQL_SET_META, "ti", KD_STR("rel"), import->rows.n_relations + 1));
    return kd_db_run(db, KD_SQL_COMMIT, "");
}

/* From here on it is a file like any other: without a log beside it, and on the disk. */
static int settle(struct kd_import *import)
{
    KD_TRY(write_totals(import));
    return kd_db_exec(&import->rows.db,
                      "PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE);"
                      "PRAGMA journal_mode = DELETE");
}

int kd_import_finish(struct kd_import *import, struct kd_error *reterr)
{
    if (kd_splitter_finish(import->splitter, NULL) < 0) {
        import->line++;
        (void)kd_fail(&import->error, KD_EPARSE, "it is cut off"); /* explained below */
    }
    if (import->error.code == 0 && import->line == 0) {
        (void)kd_fail(&import->error, KD_EPARSE, "there is none"); /* as above */
    }
    int rc = import->error.code < 0 ? import->error.code : settle(import);
    return rc < 0 ? explain(import, rc, reterr) : 0;
}

void kd_import_free(struct kd_import *import)
{
    if (import) {
        if (import->rows.db.handle) {
            kd_db_rollback(&import->rows.db);
        }
        kd_rows_release(&import->rows);
        kd_splitter_free(import->splitter);
        kd_free(import->path);
        kd_free(import);
    }
}
