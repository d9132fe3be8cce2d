/* A fence is shut at first, opens until its time, and shuts by itself. */
#include "base/fence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int64_t now_ns;

static int64_t fake_now(void *arg)
{
    (void)arg;
    return now_ns;
}

static const struct kd_clock clock_at_will = { fake_now, fake_now, NULL };

static void test_time(void **state)
{
    struct kd_fence fence;
    (void)state;
    now_ns = 100;
    kd_fence_init(&fence, &clock_at_will);
    assert_false(kd_fence_is_open(&fence));
    kd_fence_open_until(&fence, 150);
    assert_true(kd_fence_is_open(&fence));
    now_ns = 149;
    assert_true(kd_fence_is_open(&fence));
    now_ns = 150;
    assert_false(kd_fence_is_open(&fence));
    kd_fence_open_until(&fence, 151);
    assert_true(kd_fence_is_open(&fence));
    kd_fence_shut(&fence);
    assert_false(kd_fence_is_open(&fence));
}

static void test_for_good(void **state)
{
    struct kd_fence fence;
    (void)state;
    kd_fence_init(&fence, &clock_at_will);
    kd_fence_open_until(&fence, KD_NEVER_NS);
    now_ns = INT64_MAX;
    assert_true(kd_fence_is_open(&fence));
    assert_true(kd_fence_is_open(NULL));
}

/* The host's clock never stands behind the one that stops while the machine sleeps. */
static void test_clock(void **state)
{
    (void)state;
    int64_t monotonic_ns = kd_now_ns(&kd_system_clock);
    assert_true(kd_now_ns(&kd_boot_clock) >= monotonic_ns);
    int64_t first_ns = kd_now_ns(&kd_boot_clock);
    assert_true(kd_now_ns(&kd_boot_clock) >= first_ns);
    assert_true(kd_wall_ns(&kd_boot_clock) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_for_good),
        cmocka_unit_test(test_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
