/* A store in a folder of its own, and short ways to put, remove and read. */
#ifndef KD_TEST_STORE_FIXTURE_H
#define KD_TEST_STORE_FIXTURE_H

#include "base/alloc.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/build.h"
#include "metrics/metrics.h"
#include "store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define UNUSED __attribute__((unused))

struct fixture {
    char *folder;
    char *path;
    int64_t feed_keep;
    struct kd_metrics *metrics;
    struct kd_store *store;
};

static UNUSED int open_at(const char *path, int64_t feed_keep, struct kd_metrics *metrics,
                          struct kd_store **ret, struct kd_error *reterr)
{
    KD_AUTO_FREE char *copy = kd_strdup(path);
    struct kd_store_settings settings = { .path = copy,
                                          .url = NULL,
                                          .batch_size = 1000,
                                          .flush_interval_ns = 200 * KD_MS_NS,
                                          .feed_keep = feed_keep };
    return kd_store_open(&settings, &kd_system_clock, metrics, ret, reterr);
}

static UNUSED void fixture_reopen(struct fixture *f)
{
    struct kd_error err = { 0 };
    kd_store_close(f->store);
    f->store = NULL;
    if (open_at(f->path, f->feed_keep, f->metrics, &f->store, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

static UNUSED int fixture_setup(void **state)
{
    struct fixture *f = kd_zalloc(sizeof(*f));
    kd_log_set_fd(open("/dev/null", O_WRONLY | O_CLOEXEC));
    f->folder = kd_strdup("/tmp/kd-store-test.XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->path = kd_asprintf("%s/graph.db", f->folder);
    f->feed_keep = 1000000;
    f->metrics = kd_metrics_new();
    fixture_reopen(f);
    *state = f;
    return 0;
}

static UNUSED int fixture_teardown(void **state)
{
    struct fixture *f = *state;
    kd_store_close(f->store);
    kd_metrics_free(f->metrics);
    DIR *folder = opendir(f->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    rmdir(f->folder);
    kd_free(f->folder);
    kd_free(f->path);
    kd_free(f);
    return 0;
}

static UNUSED struct kd_record *record_of(const char *ns, const char *name, const char *uid,
                                          struct kd_str json, struct kd_dict *dict)
{
    struct kd_record *record = NULL;
    struct kd_record_parts parts = { .key = { kd_cstr(ns), kd_cstr(name) },
                                     .uid = kd_cstr(uid),
                                     .version = KD_STR("1"),
                                     .json = json };
    assert_int_equal(kd_record_new(&parts, dict, &record), 0);
    return record;
}

static UNUSED struct kd_ref ref_of(const char *group, const char *kind, const char *ns,
                                   const char *name, const char *uid)
{
    struct kd_ref ref = kd_ref_named(group, "v1", kind, kd_cstr(ns), kd_cstr(name));
    ref.uid = kd_cstr(uid);
    return ref;
}

/* A put of an owner without relations. */
static UNUSED struct kd_put put_of(struct kd_ref ref, const char *version_text)
{
    return (struct kd_put){ .ref = ref,
                            .instance = KD_STR("main"),
                            .owner = true,
                            .version_text = kd_cstr(version_text),
                            .labels = KD_STR("{\"app\":\"x\"}"),
                            .annotations = KD_STR("{}"),
                            .created_ns = 1000,
                            .data = KD_STR("{\"kind\":\"x\"}") };
}

static UNUSED void put_now(struct fixture *f, const struct kd_put *put)
{
    assert_int_equal(kd_store_put(f->store, put), 0);
    assert_int_equal(kd_store_flush(f->store), 0);
}

static UNUSED void remove_now(struct fixture *f, struct kd_ref ref)
{
    assert_int_equal(kd_store_remove(f->store, &ref), 0);
    assert_int_equal(kd_store_flush(f->store), 0);
}

/* What another program reads in the file. */
static UNUSED int64_t number_of(struct fixture *f, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(stmt, 0);
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return number;
}

static UNUSED void exec_sql(struct fixture *f, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static UNUSED void put_line(struct kd_buf *out, const struct kd_stored_relation *r)
{
    assert_int_equal(
        kd_buf_printf(out, "%.*s %.*s %.*s.%.*s/%.*s/%.*s#%.*s -> %.*s.%.*s/%.*s/%.*s#%.*s %s\n",
                      KD_STR_ARG(r->type), KD_STR_ARG(r->attrs), KD_STR_ARG(r->subject.kind),
                      KD_STR_ARG(r->subject.group), KD_STR_ARG(r->subject.ns),
                      KD_STR_ARG(r->subject.name), KD_STR_ARG(r->subject.uid),
                      KD_STR_ARG(r->object.kind), KD_STR_ARG(r->object.group),
                      KD_STR_ARG(r->object.ns), KD_STR_ARG(r->object.name),
                      KD_STR_ARG(r->object.uid), r->resolved ? "resolved" : "unresolved"),
        0);
}

static UNUSED int add_line(void *arg, const struct kd_stored_relation *relation)
{
    put_line(arg, relation);
    return 0;
}

/* All relations, one a line, by id. The caller frees. */
static UNUSED char *relations_text(struct fixture *f, const struct kd_match *subject,
                                   const struct kd_match *object, const char *type)
{
    struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    assert_int_equal(kd_store_each_relation(f->store, subject, object, type, 0, add_line, &out), 0);
    return kd_buf_steal(&out);
}

static UNUSED void assert_relations(struct fixture *f, const char *expected)
{
    KD_AUTO_FREE char *text = relations_text(f, NULL, NULL, NULL);
    assert_string_equal(text, expected);
}

#endif
