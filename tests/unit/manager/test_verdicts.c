/* Texts that hold for a time. */
#include "manager/verdicts.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MANY 10000u

static struct kd_verdict_key key_of(const char *a, const char *b)
{
    const struct kd_str texts[] = { kd_str_from(a), kd_str_from(b) };
    return kd_verdict_key(texts, 2);
}

static void a_verdict_holds_until_its_time(void **state)
{
    struct kd_verdicts verdicts = { 0 };
    struct kd_verdict_key one = key_of("token", "one");
    struct kd_verdict_key two = key_of("token", "two");
    (void)state;
    assert_null(kd_verdicts_get(&verdicts, &one, 0));
    kd_verdicts_put(&verdicts, &one, KD_STR("yes"), 100);
    kd_verdicts_put(&verdicts, &two, KD_STR("no"), 30);
    assert_string_equal(kd_verdicts_get(&verdicts, &one, 99), "yes");
    assert_null(kd_verdicts_get(&verdicts, &one, 100));
    assert_string_equal(kd_verdicts_get(&verdicts, &two, 29), "no");
    assert_null(kd_verdicts_get(&verdicts, &two, 30));
    kd_verdicts_put(&verdicts, &one, KD_STR("changed"), 200);
    assert_string_equal(kd_verdicts_get(&verdicts, &one, 150), "changed");
    kd_verdicts_release(&verdicts);
}

static void borders_between_texts_count(void **state)
{
    struct kd_verdict_key a = key_of("ab", "c");
    struct kd_verdict_key b = key_of("a", "bc");
    struct kd_verdict_key c = key_of("ab", "c");
    (void)state;
    assert_memory_not_equal(a.bytes, b.bytes, sizeof(a.bytes));
    assert_memory_equal(a.bytes, c.bytes, sizeof(a.bytes));
}

static void any_number_of_callers_takes_bounded_memory(void **state)
{
    struct kd_verdicts verdicts = { 0 };
    char name[16];
    (void)state;
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof(name), "%u", i);
        struct kd_verdict_key key = key_of(name, "");
        kd_verdicts_put(&verdicts, &key, KD_STR("x"), (int64_t)i + 1000);
        assert_true(verdicts.map.n <= 4096);
        assert_non_null(kd_verdicts_get(&verdicts, &key, (int64_t)i));
    }
    kd_verdicts_release(&verdicts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verdict_holds_until_its_time),
        cmocka_unit_test(borders_between_texts_count),
        cmocka_unit_test(any_number_of_callers_takes_bounded_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
