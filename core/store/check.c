/* Whether the file is whole: SQLite's own check, then what holds between our tables. */
#include "base/str.h"
#include "store/state.h"

#include <stdio.h>

#define INTEGRITY "PRAGMA integrity_check(100)"

/* Each statement counts rows that must not be. */
static const struct rule {
    const char *words;
    const char *sql;
} rules[] = {
    { "resources of no node",
      "SELECT count(*) FROM resource WHERE node NOT IN (SELECT id FROM node)" },
    { "records of no resource",
      "SELECT count(*) FROM record WHERE node NOT IN (SELECT node FROM resource)" },
    { "nodes of no kind", "SELECT count(*) FROM node WHERE kind NOT IN (SELECT id FROM kind)" },
    { "relations with an end that is no node",
      "SELECT count(*) FROM rel WHERE subject NOT IN (SELECT id FROM node) "
      "OR object NOT IN (SELECT id FROM node)" },
    { "relations that nothing gave rise to",
      "SELECT count(*) FROM rel WHERE id NOT IN (SELECT rel FROM origin)" },
    { "origins of no relation",
      "SELECT count(*) FROM origin WHERE rel NOT IN (SELECT id FROM rel)" },
    { "kinds with a wrong count of resources",
      "SELECT count(*) FROM kind k WHERE k.stored != (SELECT count(*) FROM node n "
      "CROSS JOIN resource r ON r.node = n.id WHERE n.kind = k.id)" },
    { "records whose dictionary is gone",
      "SELECT count(*) FROM record WHERE dict IS NOT NULL AND dict NOT IN (SELECT id FROM dict)" },
    { "records whose base is gone",
      "SELECT count(*) FROM record WHERE base IS NOT NULL AND base NOT IN (SELECT id FROM base)" },
    { "changes behind the last one", "SELECT count(*) FROM feed WHERE seq > "
                                     "(SELECT value FROM meta WHERE key = 'seq')" },
};

struct checking {
    struct kd_db *db;
    void (*problem)(void *arg, const char *text);
    void *arg;
};

static int check_file(const struct checking *checking)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_code(sqlite3_prepare_v2(checking->db->handle, INTEGRITY, -1, &stmt, NULL)));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        const char *text = (const char *)sqlite3_column_text(stmt, 0);
        if (text && strcmp(text, "ok") != 0) {
            checking->problem(checking->arg, text);
        }
    }
    (void)sqlite3_finalize(stmt); /* repeats the error of the step */
    return rc;
}

static int check_rule(const struct checking *checking, const struct rule *rule)
{
    char text[128];
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_code(sqlite3_prepare_v2(checking->db->handle, rule->sql, -1, &stmt, NULL)));
    int rc = kd_db_next(stmt);
    long long n = rc == 1 ? sqlite3_column_int64(stmt, 0) : 0;
    if (n > 0) {
        (void)snprintf(text, sizeof(text), "%lld %s", n, rule->words); /* fits */
        checking->problem(checking->arg, text);
    }
    (void)sqlite3_finalize(stmt); /* as above */
    return rc < 0 ? rc : 0;
}

int kd_store_check(struct kd_store *store, void (*problem)(void *arg, const char *text), void *arg)
{
    struct kd_reader *reader = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &reader));
    const struct checking checking = { &reader->db, problem, arg };
    int rc = check_file(&checking);
    for (size_t i = 0; rc >= 0 && i < KD_ARRAY_LEN(rules); i++) {
        rc = check_rule(&checking, &rules[i]);
    }
    kd_reader_give(&store->readers, reader);
    return rc;
}
