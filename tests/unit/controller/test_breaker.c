/* The circuit breaker as a table, and the words for why a key is reconciled. */
#include "base/clock.h"
#include "base/macros.h"
#include "controller/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define RESET_NS (30 * KD_SEC_NS)
#define NOW_NS (1000 * KD_SEC_NS)

static void init(struct kd_breaker *breaker, int64_t limit)
{
    kd_breaker_init(breaker, limit, RESET_NS, NULL, "pod");
}

static void fail_times(struct kd_breaker *breaker, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(kd_breaker_due_ns(breaker), 0);
        kd_breaker_begin(breaker);
        kd_breaker_end(breaker, KD_VERDICT_BAD, NOW_NS);
    }
}

static void without_a_limit_it_never_opens(void **state)
{
    struct kd_breaker breaker;
    (void)state;
    init(&breaker, 0);
    fail_times(&breaker, 1000);
    assert_int_equal(breaker.state, KD_BREAKER_CLOSED);
}

static void opens_after_failures_in_a_row(void **state)
{
    struct kd_breaker breaker;
    (void)state;
    init(&breaker, 3);
    fail_times(&breaker, 2);
    kd_breaker_end(&breaker, KD_VERDICT_GOOD, NOW_NS);
    fail_times(&breaker, 2);
    kd_breaker_end(&breaker, KD_VERDICT_NONE, NOW_NS); /* neither good nor bad */
    assert_int_equal(breaker.state, KD_BREAKER_CLOSED);
    fail_times(&breaker, 1);
    assert_int_equal(breaker.state, KD_BREAKER_OPEN);
    assert_int_equal(kd_breaker_due_ns(&breaker), NOW_NS + RESET_NS);
}

/* Others that were under way when it opened put the time off; one that went well closes it. */
static void what_was_under_way_counts_too(void **state)
{
    struct kd_breaker breaker;
    (void)state;
    init(&breaker, 1);
    fail_times(&breaker, 1);
    kd_breaker_end(&breaker, KD_VERDICT_BAD, NOW_NS + KD_SEC_NS);
    assert_int_equal(kd_breaker_due_ns(&breaker), NOW_NS + KD_SEC_NS + RESET_NS);
    kd_breaker_end(&breaker, KD_VERDICT_GOOD, NOW_NS + KD_SEC_NS);
    assert_int_equal(breaker.state, KD_BREAKER_CLOSED);
    assert_int_equal(kd_breaker_due_ns(&breaker), 0);
}

static void one_probe_decides(void **state)
{
    static const struct {
        enum kd_verdict verdict;
        enum kd_breaker_state after;
    } rows[] = {
        { KD_VERDICT_GOOD, KD_BREAKER_CLOSED },
        { KD_VERDICT_BAD, KD_BREAKER_OPEN },
        { KD_VERDICT_NONE, KD_BREAKER_OPEN },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_breaker breaker;
        int64_t later_ns = NOW_NS + RESET_NS;
        init(&breaker, 2);
        fail_times(&breaker, 2);
        kd_breaker_begin(&breaker);
        assert_int_equal(breaker.state, KD_BREAKER_HALF_OPEN);
        assert_true(kd_breaker_due_ns(&breaker) == KD_NEVER_NS); /* no second one beside it */
        kd_breaker_end(&breaker, rows[i].verdict, later_ns);
        assert_int_equal(breaker.state, rows[i].after);
        assert_int_equal(kd_breaker_due_ns(&breaker),
                         rows[i].after == KD_BREAKER_OPEN ? later_ns + RESET_NS : 0);
    }
}

static void reasons_in_words(void **state)
{
    static const struct {
        uint32_t why, changed;
        const char *text;
    } rows[] = {
        { KD_WHY_ADDED | KD_WHY_FIRST, KD_CHANGED_ALL, "added" },
        { KD_WHY_CHANGED, KD_CHANGED_SPEC | KD_CHANGED_LABELS, "changed: labels, spec" },
        { KD_WHY_CHANGED | KD_WHY_RETRY, KD_CHANGED_STATUS, "changed, retry: status" },
        { KD_WHY_CHANGED, KD_CHANGED_ALL, "changed" },
        { KD_WHY_DELETED, KD_CHANGED_ALL, "deleted" },
        { KD_WHY_RELATED, 0, "related object changed" },
        { KD_WHY_RESYNC, 0, "resync" },
        { KD_WHY_SWEEP | KD_WHY_REQUEUE, 0, "not in the cache, requeue" },
        { 0, 0, "unknown" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        char text[KD_WHY_TEXT_MAX];
        assert_string_equal(kd_why_text(rows[i].why, rows[i].changed, text), rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_limit_it_never_opens),
        cmocka_unit_test(opens_after_failures_in_a_row),
        cmocka_unit_test(what_was_under_way_counts_too),
        cmocka_unit_test(one_probe_decides),
        cmocka_unit_test(reasons_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
