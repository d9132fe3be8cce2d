/* What goes wrong outside: files that cannot be had, locks that others hold (B65), full queues. */
#include "fixture.h"

#include "base/fence.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

static void assert_refused(const char *path, int code, const char *text)
{
    struct kd_error err = { 0 };
    struct kd_store *store = NULL;
    assert_int_equal(open_at(path, 100, NULL, &store, &err), code);
    assert_null(store);
    if (!strstr(err.text, text)) {
        fail_msg("\"%s\" is not in \"%s\"", text, err.text);
    }
}

static void one_process_holds_the_file(void **state)
{
    struct fixture *f = *state;
    char pid[32];
    (void)snprintf(pid, sizeof(pid), "process %ld", (long)getpid());
    assert_refused(f->path, KD_EBUSY, pid);
    kd_store_close(f->store);
    f->store = NULL;
    fixture_reopen(f);
}

static void refuses_what_is_not_its_own(void **state)
{
    struct fixture *f = *state;
    kd_store_close(f->store);
    f->store = NULL;
    exec_sql(f, "PRAGMA user_version = 99");
    assert_refused(f->path, KD_ECONFIG, "schema version 99");
    exec_sql(f, "PRAGMA application_id = 1");
    assert_refused(f->path, KD_ECONFIG, "another program");
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    assert_true(fputs("this is no database, but a text of some length\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_refused(f->path, KD_ESTORE, "not a database");
    assert_refused(f->path, KD_ESTORE, "move the file away");
    assert_refused("/nowhere/graph.db", KD_ECONFIG, "No such file");
    assert_refused(f->folder, KD_ECONFIG, "directory");
}

static void others_cannot_read_the_file(void **state)
{
    struct fixture *f = *state;
    struct stat info;
    assert_int_equal(stat(f->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void sleep_until_health_is(struct fixture *f, bool healthy)
{
    struct kd_error err = { 0 };
    while ((kd_store_health(f->store, &err) == 0) != healthy) {
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
}

static int64_t cpu_ns(void)
{
    struct timespec used;
    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used), 0);
    return used.tv_sec * KD_SEC_NS + used.tv_nsec;
}

/* B65: a lock held from outside for 3 s while 1,000 changes come: none is lost, and the wait costs
 * next to nothing. */
static void keeps_a_batch_that_fails(void **state)
{
    struct fixture *f = *state;
    sqlite3 *other = NULL;
    struct kd_error err = { 0 };
    assert_int_equal(sqlite3_open(f->path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    for (int i = 0; i < 1000; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "pod-%d", i);
        struct kd_put put = put_of(ref_of("", "Pod", "a", name, "u1"), "1");
        assert_int_equal(kd_store_put(f->store, &put), 0);
    }
    sleep_until_health_is(f, false);
    int64_t used_ns = cpu_ns();
    assert_int_equal(kd_store_health(f->store, &err), KD_EBUSY);
    assert_non_null(strstr(err.text, "locked"));
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 0);
    assert_int_equal(kd_store_flush_for(f->store, KD_MS_NS), KD_ETIMEOUT);
    nanosleep(&(struct timespec){ .tv_sec = 3 }, NULL); /* what is tested, not a wait */
    assert_true(cpu_ns() - used_ns < KD_SEC_NS);
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    assert_int_equal(kd_store_flush(f->store), 0);
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 1000);
    assert_int_equal(kd_store_health(f->store, &err), 0);
}

/* Closing does not wait for ever: what could not be written is reported lost. */
static void closes_though_it_cannot_write(void **state)
{
    struct fixture *f = *state;
    sqlite3 *other = NULL;
    assert_int_equal(sqlite3_open(f->path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    struct kd_put put = put_of(ref_of("", "Pod", "a", "p", "u1"), "1");
    int64_t begun_ns = kd_now_ns(&kd_system_clock);
    for (int i = 0; i < 5000; i++) { /* more than a batch: the wait is no longer for many */
        char name[16];
        (void)snprintf(name, sizeof(name), "pod-%d", i);
        struct kd_put one = put_of(ref_of("", "Pod", "a", name, "u1"), "1");
        assert_int_equal(kd_store_put(f->store, &one), 0);
    }
    assert_int_equal(kd_store_put(f->store, &put), 0);
    kd_store_close(f->store);
    assert_true(kd_now_ns(&kd_system_clock) - begun_ns < 30 * KD_SEC_NS);
    f->store = NULL;
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    fixture_reopen(f);
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 0);
}

/* One write that cannot be done does not take the others with it. */
static void gives_up_only_the_hopeless(void **state)
{
    struct fixture *f = *state;
    struct kd_attr many[65];
    for (size_t i = 0; i < KD_ARRAY_LEN(many); i++) {
        many[i] = KD_ATTR_NUM("a", 1);
    }
    struct kd_put good = put_of(ref_of("", "Pod", "a", "good", "u1"), "1");
    struct kd_put bad = put_of(ref_of("", "Pod", "a", "bad", "u1"), "1");
    struct kd_relation relation = { .type = KD_STR("Uses"),
                                    .subject = good.ref,
                                    .object = bad.ref,
                                    .attrs = many,
                                    .n_attrs = KD_ARRAY_LEN(many) };
    bad.relations = &relation;
    bad.n_relations = 1;
    assert_int_equal(kd_store_put(f->store, &good), 0);
    assert_int_equal(kd_store_put(f->store, &bad), 0);
    assert_int_equal(kd_store_flush(f->store), KD_ESTORE);
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 1);
    assert_int_equal(kd_store_add(f->store, &bad), KD_ETOOBIG);
    assert_int_equal(kd_store_flush(f->store), 0);
}

#define N_THREADS 4
#define N_EACH 4000 /* more than the queue holds */

static void *put_many(void *arg)
{
    struct fixture *f = arg;
    static _Atomic int next;
    int base = next++ % N_THREADS * N_EACH;
    for (int i = 0; i < N_EACH; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "pod-%d", base + i);
        struct kd_put put = put_of(ref_of("", "Pod", "a", name, "u1"), "1");
        assert_int_equal(kd_store_put(f->store, &put), 0);
    }
    return NULL;
}

static void a_full_queue_waits(void **state)
{
    struct fixture *f = *state;
    pthread_t threads[N_THREADS];
    for (size_t i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, put_many, f), 0);
    }
    for (size_t i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(kd_store_flush(f->store), 0);
    assert_int_equal(kd_store_count(f->store, "", "Pod"), N_THREADS * N_EACH);
}

static uint64_t size_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return (uint64_t)info.st_size;
}

#define N_LARGE 100 /* a batch */
#define LARGE (16 * KD_KIB)

/* The log stays within its bound while twice as much passes through it (B65). */
static void the_log_is_bounded(void **state)
{
    struct fixture *f = *state;
    KD_AUTO_FREE char *log = kd_asprintf("%s-wal", f->path);
    KD_AUTO_FREE char *data = kd_zalloc(LARGE);
    memset(data, 'x', LARGE);
    uint64_t most = 0;
    for (int i = 0; i < 80 * N_LARGE; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "pod-%d", i);
        struct kd_put put = put_of(ref_of("", "Pod", "a", name, "u1"), "1");
        put.data = (struct kd_str){ data, LARGE };
        assert_int_equal(kd_store_put(f->store, &put), 0);
        if (i % N_LARGE == N_LARGE - 1) {
            assert_int_equal(kd_store_flush(f->store), 0);
            uint64_t size = size_of(log);
            most = size > most ? size : most;
        }
    }
    assert_true(most < 72 * KD_MIB);
    assert_true(size_of(f->path) > 100 * KD_MIB);
}

static _Atomic int64_t fence_ns;

static int64_t fence_now(void *arg)
{
    (void)arg;
    return atomic_load(&fence_ns);
}

static bool has_pod(struct fixture *f, const char *name)
{
    struct kd_str text = kd_str_from(name);
    const struct kd_match match = { .kind = "Pod", .name = &text };
    struct kd_arena arena;
    struct kd_stored stored;
    kd_arena_init(&arena, KD_MIB);
    int rc = kd_store_get(f->store, &match, &arena, &stored);
    kd_arena_release(&arena);
    return rc == 0;
}

/* No batch is begun or committed once the fence is shut (B40); the store serves on and writes again
 * when it opens. */
static void a_fence_stops_it(void **state)
{
    struct fixture *f = *state;
    const struct kd_clock clock = { fence_now, fence_now, NULL };
    struct kd_fence fence;
    struct kd_error err = { 0 };
    kd_fence_init(&fence, &clock);
    kd_fence_open_until(&fence, 10);
    kd_store_set_fence(f->store, &fence);
    struct kd_put put = put_of(ref_of("", "Pod", "a", "one", "u1"), "1");
    put_now(f, &put);
    atomic_store(&fence_ns, 10);
    uint64_t seq = kd_store_seq(f->store);
    put = put_of(ref_of("", "Pod", "a", "two", "u2"), "2");
    assert_int_equal(kd_store_put(f->store, &put), 0);
    assert_int_equal(kd_store_flush(f->store), KD_ESTORE);
    assert_false(has_pod(f, "two"));
    assert_int_equal(kd_store_seq(f->store), seq);
    assert_int_equal(kd_store_health(f->store, &err), 0); /* nothing is wrong with the store */
    kd_fence_open_until(&fence, KD_NEVER_NS);
    put_now(f, &put);
    assert_true(has_pod(f, "one") && has_pod(f, "two"));
}

/* The fence shuts while a batch waits for a lock from outside: it is never committed. */
static void a_fence_ends_a_batch_that_waits(void **state)
{
    struct fixture *f = *state;
    const struct kd_clock clock = { fence_now, fence_now, NULL };
    struct kd_fence fence;
    sqlite3 *other = NULL;
    atomic_store(&fence_ns, 0);
    kd_fence_init(&fence, &clock);
    kd_fence_open_until(&fence, 10);
    kd_store_set_fence(f->store, &fence);
    assert_int_equal(sqlite3_open(f->path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    struct kd_put put = put_of(ref_of("", "Pod", "a", "one", "u1"), "1");
    assert_int_equal(kd_store_put(f->store, &put), 0);
    sleep_until_health_is(f, false);
    atomic_store(&fence_ns, 10);
    assert_int_equal(kd_store_flush(f->store), KD_ESTORE);
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    assert_false(has_pod(f, "one"));
}

static void keeps_numbers(void **state)
{
    struct fixture *f = *state;
    int64_t number = 0;
    assert_int_equal(kd_store_get_number(f->store, "made x", &number), KD_ENOENT);
    assert_int_equal(kd_store_set_number(f->store, "made x", 1), 0);
    assert_int_equal(kd_store_set_number(f->store, "made y", 2), 0);
    assert_int_equal(kd_store_set_number(f->store, "made x", INT64_MIN), 0);
    assert_int_equal(kd_store_flush(f->store), 0);
    fixture_reopen(f);
    assert_int_equal(kd_store_get_number(f->store, "made x", &number), 0);
    assert_true(number == INT64_MIN);
    assert_int_equal(kd_store_get_number(f->store, "made y", &number), 0);
    assert_int_equal(number, 2);
}

#define STORE_TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(one_process_holds_the_file),
        STORE_TEST(refuses_what_is_not_its_own),
        STORE_TEST(others_cannot_read_the_file),
        STORE_TEST(keeps_a_batch_that_fails),
        STORE_TEST(closes_though_it_cannot_write),
        STORE_TEST(gives_up_only_the_hopeless),
        STORE_TEST(a_full_queue_waits),
        STORE_TEST(the_log_is_bounded),
        STORE_TEST(a_fence_stops_it),
        STORE_TEST(a_fence_ends_a_batch_that_waits),
        STORE_TEST(keeps_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
