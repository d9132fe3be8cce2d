/* Single points of the queue, with the cases' numbers. */
#include "base/alloc.h"
#include "metrics/metrics.h"
#include "unit/queue/fake.h"

#include <kindred/plugin.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#define POD key_of("default", "pod")

static void add(struct kd_queue *queue, struct kd_key key, int32_t priority)
{
    (void)kd_queue_add(queue, key, priority, KD_WHY_ADDED, KD_CHANGED_SPEC);
}

static void test_order(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_queue *queue = queue_on(&fake, NULL);
    add(queue, key_of("", "low"), KD_PRIORITY_LOW);
    add(queue, key_of("", "a"), KD_PRIORITY_NORMAL);
    add(queue, key_of("", "raised"), KD_PRIORITY_LOW);
    add(queue, key_of("", "b"), KD_PRIORITY_NORMAL);
    add(queue, key_of("", "raised"), KD_PRIORITY_NORMAL); /* behind b: newly arrived */
    add(queue, key_of("", "a"), KD_PRIORITY_LOW);         /* keeps the higher one and its place */
    const char *const expected[] = { "a", "b", "raised", "low" };
    for (size_t i = 0; i < 4; i++) {
        kd_queue_done(queue, get_named(queue, expected[i]));
    }
    assert_null(kd_queue_get(queue));
    kd_queue_free(queue);
}

static void test_same_name_in_two_namespaces(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_queue *queue = queue_on(&fake, NULL);
    add(queue, key_of("a", "bc"), 0);
    add(queue, key_of("ab", "c"), 0);
    assert_int_equal(stats_of(queue).depth, 2);
    kd_queue_free(queue);
}

static void test_B33_add_during_processing(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_queue *queue = queue_on(&fake, NULL);
    add(queue, POD, KD_PRIORITY_NORMAL);
    const struct kd_queue_item *item = get_named(queue, "pod");
    for (int i = 0; i < 50; i++) {
        assert_int_equal(kd_queue_add(queue, POD, 0, KD_WHY_CHANGED, KD_CHANGED_STATUS),
                         i ? KD_WHY_CHANGED : 0);
    }
    assert_null(kd_queue_get(queue)); /* never two workers on a key */
    struct kd_queue_item stray = *item;
    kd_queue_done(queue, &stray); /* not a key in process */
    kd_queue_done(queue, NULL);
    assert_null(kd_queue_get(queue));
    kd_queue_done(queue, item);
    item = get_named(queue, "pod");
    assert_int_equal(item->why, KD_WHY_CHANGED);
    assert_int_equal(item->changed, KD_CHANGED_STATUS);
    kd_queue_done(queue, item);
    assert_null(kd_queue_get(queue)); /* exactly one more run */
    kd_queue_free(queue);
}

static void test_B34_drain_and_shutdown(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_queue *queue = queue_on(&fake, NULL);
    add(queue, key_of("", "a"), 0);
    add(queue, key_of("", "b"), 0);
    add(queue, key_of("", "c"), 0);
    kd_queue_add_after(queue, key_of("", "late"), KD_SEC_NS, KD_WHY_REQUEUE);
    const struct kd_queue_item *item = get_named(queue, "a");
    add(queue, key_of("", "a"), 0); /* dirty: still owed when the drain begins */
    kd_queue_shutdown(queue, true);
    add(queue, key_of("", "new"), 0);
    kd_queue_add_rate_limited(queue, key_of("", "a"));
    fake.now_ns += 10 * KD_SEC_NS;
    kd_queue_done(queue, get_named(queue, "b"));
    kd_queue_done(queue, item);
    kd_queue_done(queue, get_named(queue, "c"));
    item = get_named(queue, "a");
    kd_queue_shutdown(queue, false); /* after a drain it still counts */
    kd_queue_done(queue, item);
    assert_null(kd_queue_get(queue));
    assert_true(kd_queue_next_ns(queue) == KD_NEVER_NS);
    kd_queue_free(queue);
}

static void test_B34_shutdown_drops(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_queue *queue = queue_on(&fake, NULL);
    add(queue, key_of("", "a"), 0);
    add(queue, key_of("", "b"), 0);
    const struct kd_queue_item *item = get_named(queue, "a");
    add(queue, key_of("", "a"), 0);
    kd_queue_shutdown(queue, false);
    assert_null(kd_queue_get(queue));
    kd_queue_done(queue, item);
    assert_null(kd_queue_get(queue));
    assert_int_equal(stats_of(queue).depth, 0);
    kd_queue_free(queue);
}

static void test_B35_backoff(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_queue *queue = queue_on(&fake, NULL);
    int64_t last_ns = 0;
    add(queue, POD, KD_PRIORITY_LOW);
    for (uint32_t i = 0; i < 200; i++) {
        const struct kd_queue_item *item = get_named(queue, "pod");
        assert_int_equal(item->failures, i);
        assert_int_equal(item->priority, KD_PRIORITY_LOW); /* kept over retries */
        assert_int_equal(item->changed, KD_CHANGED_SPEC);
        kd_queue_add_rate_limited(queue, POD);
        kd_queue_done(queue, item);
        int64_t delay_ns = kd_queue_next_ns(queue) - fake.now_ns;
        assert_true(delay_ns == (i < 18 ? (5 * KD_MS_NS) << i : 1000 * KD_SEC_NS));
        assert_true(delay_ns >= last_ns);
        last_ns = delay_ns;
        fake.now_ns += delay_ns - 1;
        assert_null(kd_queue_get(queue));
        fake.now_ns += 1;
    }
    const struct kd_queue_item *item = get_named(queue, "pod");
    kd_queue_forget(queue, POD);
    kd_queue_add_rate_limited(queue, POD);
    kd_queue_done(queue, item);
    assert_true(kd_queue_next_ns(queue) == fake.now_ns + 5 * KD_MS_NS);
    kd_queue_free(queue);
}

static void test_B36_earliest_wins(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_queue *queue = queue_on(&fake, NULL);
    kd_queue_add_after(queue, POD, 5 * 3600 * KD_SEC_NS, KD_WHY_REQUEUE);
    add(queue, POD, 0); /* takes the pending one away */
    kd_queue_done(queue, get_named(queue, "pod"));
    assert_true(kd_queue_next_ns(queue) == KD_NEVER_NS);

    kd_queue_add_after(queue, POD, 3 * KD_SEC_NS, KD_WHY_REQUEUE);
    kd_queue_add_after(queue, POD, 5 * KD_SEC_NS, KD_WHY_REQUEUE);
    fake.now_ns += 3 * KD_SEC_NS;
    kd_queue_done(queue, get_named(queue, "pod"));
    fake.now_ns += 10 * KD_SEC_NS;
    assert_null(kd_queue_get(queue)); /* one run */
    kd_queue_free(queue);
}

static void test_B36_memory(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_queue *queue = queue_on(&fake, NULL);
    kd_queue_add_after(queue, POD, 3600 * KD_SEC_NS, KD_WHY_REQUEUE);
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 1000000; i++) {
        kd_queue_add_after(queue, POD, 3600 * KD_SEC_NS, KD_WHY_REQUEUE);
    }
    assert_int_equal(mallinfo2().uordblks, before);
    assert_int_equal(stats_of(queue).delayed, 1);
    kd_queue_free(queue);
}

/* Failing keys are kept, and go at forget; all others leave nothing behind. */
static void test_B29_entries_go(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_queue *queue = queue_on(&fake, NULL);
    size_t before = mallinfo2().uordblks;
    char name[32];
    for (int i = 0; i < 100000; i++) {
        (void)snprintf(name, sizeof(name), "pod-%d", i);
        add(queue, key_of("ns", name), 0);
        const struct kd_queue_item *item = get_named(queue, name);
        kd_queue_add_rate_limited(queue, item->key);
        kd_queue_forget(queue, item->key);
        add(queue, item->key, 0); /* deleted */
        kd_queue_done(queue, item);
        kd_queue_done(queue, get_named(queue, name));
    }
    assert_true(mallinfo2().uordblks < before + 4096);
    kd_queue_free(queue);
}

static void test_debounce(void **state)
{
    (void)state;
    struct fake_clock fake;
    fake_clock_init(&fake);
    struct kd_queue_settings settings = { .name = "pod",
                                          .backoff_base_ns = KD_MS_NS,
                                          .backoff_max_ns = KD_SEC_NS,
                                          .debounce_ns = 100 * KD_MS_NS };
    struct kd_queue *queue = kd_queue_new(&settings, &fake.clock, NULL, NULL, NULL);
    for (int i = 0; i < 10; i++) { /* steady changes do not put it off for ever */
        add(queue, POD, 0);
        assert_null(kd_queue_get(queue));
        fake.now_ns += 10 * KD_MS_NS;
    }
    kd_queue_done(queue, get_named(queue, "pod"));
    assert_true(kd_queue_next_ns(queue) == KD_NEVER_NS);
    kd_queue_free(queue);
}

/* First work is never held; of many failing keys only so many come again in a second. */
static void test_bucket_of_retries(void **state)
{
    (void)state;
    struct fake_clock fake;
    fake_clock_init(&fake);
    const struct kd_queue_settings settings = { .name = "pod",
                                                .backoff_base_ns = KD_MS_NS,
                                                .backoff_max_ns = KD_SEC_NS,
                                                .retry_qps = 10,
                                                .retry_burst = 5 };
    struct kd_queue *queue = kd_queue_new(&settings, &fake.clock, NULL, NULL, NULL);
    char names[30][8];
    for (int i = 0; i < 30; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "p%d", i);
        add(queue, key_of("", names[i]), 0);
    }
    for (int i = 0; i < 30; i++) { /* all at once, and all fail */
        const struct kd_queue_item *item = get_named(queue, names[i]);
        kd_queue_add_rate_limited(queue, item->key);
        kd_queue_done(queue, item);
    }
    static const struct {
        int64_t at_ns;
        unsigned ready;
    } rows[] = { { KD_MS_NS, 5 }, { 100 * KD_MS_NS, 6 }, { KD_SEC_NS, 15 }, { 3 * KD_SEC_NS, 30 } };
    int64_t begun_ns = fake.now_ns;
    unsigned taken = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct kd_queue_item *item;
        fake.now_ns = begun_ns + rows[i].at_ns;
        while ((item = kd_queue_get(queue)) != NULL) {
            kd_queue_forget_item(queue, item);
            kd_queue_done(queue, item);
            taken++;
        }
        assert_int_equal(taken, rows[i].ready);
    }
    kd_queue_free(queue);
}

/* A namespace with a thousand keys does not hold up another one's single key. */
static void test_fair_turns(void **state)
{
    (void)state;
    struct fake_clock fake;
    fake_clock_init(&fake);
    struct kd_queue_settings settings = {
        .name = "pod", .backoff_base_ns = KD_MS_NS, .backoff_max_ns = KD_SEC_NS, .fair = true
    };
    struct kd_queue *queue = kd_queue_new(&settings, &fake.clock, NULL, NULL, NULL);
    for (int i = 0; i < 1000; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "many-%d", i);
        add(queue, key_of("crowded", name), 0);
    }
    add(queue, key_of("quiet", "one"), 0);
    add(queue, key_of("quiet", "two"), 0);
    add(queue, key_of("", "node"), 0);
    static const char *const order[] = { "many-0", "one", "node", "many-1", "two", "many-2" };
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        kd_queue_done(queue, get_named(queue, order[i]));
    }
    add(queue, key_of("quiet", "urgent"), 1); /* priority goes before turns */
    kd_queue_done(queue, get_named(queue, "urgent"));
    kd_queue_done(queue, get_named(queue, "many-3"));
    kd_queue_free(queue);
}

static void test_keys(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_key *keys = NULL;
    size_t n = 0;
    struct kd_arena arena;
    struct kd_queue *queue = queue_on(&fake, NULL);
    kd_arena_init(&arena, 1 << 20);
    add(queue, key_of("a", "work"), 0);
    const struct kd_queue_item *item = get_named(queue, "work");
    kd_queue_add_after(queue, key_of("a", "late"), KD_SEC_NS, KD_WHY_REQUEUE);
    add(queue, key_of("b", "ready"), 0);
    assert_int_equal(kd_queue_keys(queue, 3, &arena, &keys, &n), 0);
    assert_int_equal(n, 3);
    assert_int_equal(kd_queue_keys(queue, 2, &arena, &keys, &n), KD_ETOOBIG);
    kd_queue_add_rate_limited(queue, key_of("a", "work"));
    kd_queue_done(queue, item); /* it waits for its next try */
    assert_int_equal(kd_queue_keys(queue, 3, &arena, &keys, &n), 0);
    assert_int_equal(n, 3);
    (void)kd_queue_clear(queue, 0);
    assert_int_equal(kd_queue_keys(queue, 0, &arena, &keys, &n), 0);
    assert_int_equal(n, 0);
    kd_arena_release(&arena);
    kd_queue_free(queue);
}

/* What is in work stays, all else goes, failures too. */
static void test_clear(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_queue *queue = queue_on(&fake, NULL);
    add(queue, key_of("", "work"), 0);
    const struct kd_queue_item *item = get_named(queue, "work");
    (void)kd_queue_add(queue, key_of("", "work"), 0, KD_WHY_FIRST, 0); /* once more, later */
    (void)kd_queue_add(queue, key_of("", "ready"), 0, KD_WHY_FIRST | KD_WHY_ADDED, 0);
    add(queue, key_of("", "other"), 0);
    kd_queue_add_after(queue, key_of("", "late"), KD_SEC_NS, KD_WHY_FIRST);
    kd_queue_add_rate_limited(queue, key_of("", "failed"));
    assert_int_equal(kd_queue_clear(queue, KD_WHY_FIRST), 3);
    assert_true(kd_queue_next_ns(queue) == KD_NEVER_NS);
    struct kd_queue_stats stats = stats_of(queue);
    assert_int_equal(stats.depth + stats.delayed, 0);
    assert_int_equal(stats.working, 1);
    assert_int_equal(kd_queue_clear(queue, KD_WHY_FIRST), 0);
    kd_queue_done(queue, item);
    assert_null(kd_queue_get(queue));
    add(queue, key_of("", "failed"), 0); /* adds go on */
    item = get_named(queue, "failed");
    assert_int_equal(item->failures, 0);
    kd_queue_done(queue, item);
    kd_queue_free(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_same_name_in_two_namespaces),
        cmocka_unit_test(test_B33_add_during_processing),
        cmocka_unit_test(test_B34_drain_and_shutdown),
        cmocka_unit_test(test_B34_shutdown_drops),
        cmocka_unit_test(test_B35_backoff),
        cmocka_unit_test(test_B36_earliest_wins),
        cmocka_unit_test(test_B36_memory),
        cmocka_unit_test(test_B29_entries_go),
        cmocka_unit_test(test_debounce),
        cmocka_unit_test(test_bucket_of_retries),
        cmocka_unit_test(test_fair_turns),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
