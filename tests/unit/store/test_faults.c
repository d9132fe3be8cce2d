/*
 * A file system that fails (full, input/output errors, short writes) at each of its calls in turn,
 * once and for good: no change is lost or half written, and all heals when there is room.
 */
#include "fixture.h"

#include "faulty.h"

#include <limits.h>

#define PODS 40
#define SAMPLES 24 /* of the calls of a run, spread over all; KD_FAIL_AT=n tries that one alone */

static void change(struct fixture *f, unsigned from, const char *version, const char *node)
{
    for (unsigned i = from; i < PODS; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "pod-%u", i);
        struct kd_ref pod = ref_of("", "Pod", "a", name, "u1");
        struct kd_relation bound = { KD_STR("PodNodeBinding"), pod,
                                     ref_of("", "Node", "", node, ""), NULL, 0 };
        struct kd_put put = put_of(pod, version);
        put.relations = &bound;
        put.n_relations = 1;
        assert_int_equal(kd_store_put(f->store, &put), 0);
    }
}

/* Puts, moves half of them to another node, takes one away. */
static void do_changes(struct fixture *f)
{
    change(f, 0, "1", "n1");
    change(f, PODS / 2, "2", "n2");
    struct kd_ref last = ref_of("", "Pod", "a", "pod-0", "");
    assert_int_equal(kd_store_remove(f->store, &last), 0);
}

struct tally {
    unsigned n, on_n1, on_n2;
};

static int tally_one(void *arg, const struct kd_stored_relation *relation)
{
    struct tally *tally = arg;
    tally->n++;
    tally->on_n1 += kd_str_is(relation->object.name, "n1");
    tally->on_n2 += kd_str_is(relation->object.name, "n2");
    return 0;
}

static void on_problem(void *arg, const char *text)
{
    (void)arg;
    fail_msg("the store says: %s", text);
}

static void assert_whole(struct fixture *f)
{
    struct tally tally = { 0 };
    struct kd_error err = { 0 };
    assert_int_equal(kd_store_health(f->store, &err), 0);
    assert_int_equal(kd_store_count(f->store, "", "Pod"), PODS - 1);
    assert_int_equal(kd_store_each_relation(f->store, NULL, NULL, NULL, 0, tally_one, &tally), 0);
    assert_int_equal(tally.n, PODS - 1);
    assert_int_equal(tally.on_n1, PODS / 2 - 1);
    assert_int_equal(tally.on_n2, PODS / 2);
    assert_int_equal(kd_store_check(f->store, on_problem, NULL), 0);
}

/* A file of its own for each run. Gives whether the fault came. */
static bool run(struct fixture *f, long n, enum fault kind, bool lasts)
{
    kd_store_close(f->store);
    f->store = NULL;
    (void)unlink(f->path);
    fixture_reopen(f);
    faulty_arm(n, kind, lasts);
    do_changes(f);
    if (lasts) { /* the batch is kept meanwhile */
        int rc = kd_store_flush_for(f->store, 50 * KD_MS_NS);
        assert_true(rc == KD_ETIMEOUT || !atomic_load(&faulty.fired));
        faulty_heal();
    }
    assert_int_equal(kd_store_flush(f->store), 0);
    bool fired = atomic_load(&faulty.fired);
    faulty_heal();
    assert_whole(f);
    fixture_reopen(f);
    assert_whole(f);
    return fired;
}

static void run_all(struct fixture *f, enum fault kind, bool lasts)
{
    const char *only = getenv("KD_FAIL_AT");
    (void)run(f, LONG_MAX, kind, false);
    long calls = atomic_load(&faulty.calls);
    assert_true(calls > 10);
    long step = only ? calls : calls / SAMPLES + 1;
    unsigned fired = 0;
    for (long n = only ? strtol(only, NULL, 10) : 1; n <= calls; n += step) {
        fired += run(f, n, kind, lasts);
    }
    assert_true(fired > 0);
}

static void a_full_disk_for_a_moment(void **state)
{
    run_all(*state, FAULT_FULL, false);
}

static void a_full_disk_until_there_is_room(void **state)
{
    run_all(*state, FAULT_FULL, true);
}

static void an_error_for_a_moment(void **state)
{
    run_all(*state, FAULT_IO, false);
}

static void errors_until_the_disk_is_well(void **state)
{
    run_all(*state, FAULT_IO, true);
}

static void short_writes(void **state)
{
    run_all(*state, FAULT_SHORT, false);
    run_all(*state, FAULT_SHORT, true);
}

#define STORE_TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
    faulty_install();
    const struct CMUnitTest tests[] = {
        STORE_TEST(a_full_disk_for_a_moment),
        STORE_TEST(a_full_disk_until_there_is_room),
        STORE_TEST(an_error_for_a_moment),
        STORE_TEST(errors_until_the_disk_is_well),
        STORE_TEST(short_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
