/*
 * Terms of a controller: catching up with a graph that is there, the fence, and what is left behind
 * when a term ends.
 */
#include "unit/controller/fake_store_calls.h"
#include "unit/controller/fixture.h"

#include "base/fence.h"

#define FINGERPRINT 77

static void init(struct world *world)
{
    world_init_pods(world);
    world->fingerprint = FINGERPRINT;
}

/* Lets the timers run that hand the cache over to a late subscriber. */
static void hand_over(struct world *world)
{
    for (int i = 0; i < 2 * KD_TABLE_SHARDS; i++) {
        fake_advance(&world->fake, 0);
    }
}

/* A graph of a, b and gone, made by this fingerprint; a is as in the list. */
static void leave_graph(struct world *world, int64_t made_by)
{
    store_leave_version(&world->store, "Pod x/a", "u-a", "1");
    store_leave_version(&world->store, "Pod x/b", "u-b", "1");
    store_leave_version(&world->store, "Pod x/gone", "u-gone", "1");
    world->store.number = made_by;
    world->store.has_number = true;
}

#define THREE                                                                                      \
    LIST("9", "", POD("x", "a", "1", "") "," POD("x", "b", "5", "") "," POD("x", "c", "6", ""))

static void test_only_what_differs(void **state)
{
    struct world world;
    (void)state;
    init(&world);
    leave_graph(&world, FINGERPRINT);
    world_start(&world);
    world_list(&world, THREE);
    WAIT_UNTIL(world_is_synced(&world));
    assert_int_equal(atomic_load(&world.runs), 2); /* b and c */
    assert_true(store_has(&world.store, "Pod x/c"));
    assert_false(store_has(&world.store, "Pod x/gone"));
    world_release(&world);
}

/* Made by another plugin, say: nothing of it is trusted, and the mark goes before the first put. */
static void test_another_fingerprint(void **state)
{
    struct world world;
    (void)state;
    init(&world);
    leave_graph(&world, FINGERPRINT + 1);
    gate_set(&world.gate, true);
    world_start(&world);
    world_list(&world, THREE);
    WAIT_UNTIL(gate_waiting(&world.gate) == 2);
    assert_int_equal(store_number(&world.store), 0);
    gate_set(&world.gate, false);
    WAIT_UNTIL(world_is_synced(&world));
    assert_int_equal(atomic_load(&world.runs), 3);
    kd_controller_note_written(world.controller);
    assert_int_equal(store_number(&world.store), FINGERPRINT);
    world_release(&world);
}

static void test_second_term(void **state)
{
    struct world world;
    (void)state;
    init(&world);
    world_start(&world);
    world_list(&world, THREE);
    WAIT_UNTIL(world_is_synced(&world));
    kd_controller_note_written(world.controller);
    kd_controller_drop(world.controller);
    assert_false(world_is_synced(&world));
    fake_send(&world.fake,
              EVENT("MODIFIED", POD("x", "b", "10", ",\"spec\":{\"nodeName\":\"n\"}")));
    fake_send(&world.fake, EVENT("DELETED", POD("x", "c", "11", "")));
    fake_send(&world.fake, EVENT("ADDED", POD("x", "d", "12", "")));
    assert_true(world_is_idle(&world));
    assert_true(store_has(&world.store, "Pod x/c")); /* a follower changes nothing */
    int before = atomic_load(&world.runs);
    kd_controller_start(world.controller);
    hand_over(&world);
    WAIT_UNTIL(world_is_synced(&world));
    assert_int_equal(atomic_load(&world.runs) - before, 2); /* b and d; c has no object */
    assert_false(store_has(&world.store, "Pod x/c"));
    assert_true(store_has(&world.store, "Pod x/d"));
    world_release(&world);
}

/* A term that ends in the midst of its first list, with keys ready, delayed and in work. */
static void test_end_in_the_midst(void **state)
{
    struct world world;
    (void)state;
    init(&world);
    world.entry.tuning.workers = 1;
    atomic_store(&world.fail_with, KD_EIO);
    atomic_store(&world.fails_left, 1);
    gate_set(&world.gate, true);
    world_start(&world);
    world_list(&world, THREE);
    WAIT_UNTIL(gate_waiting(&world.gate) == 1);
    kd_controller_drop(world.controller);
    kd_controller_drop(world.controller); /* nothing to do */
    gate_set(&world.gate, false);
    WAIT_UNTIL(world_status(&world).queue.working == 0);
    assert_int_equal(atomic_load(&world.runs), 1); /* what was queued never ran */
    assert_false(world_is_synced(&world));
    for (int term = 0; term < 3; term++) {
        kd_controller_start(world.controller);
        hand_over(&world);
        if (term < 2) {
            kd_controller_drop(world.controller);
        }
    }
    WAIT_UNTIL(world_is_synced(&world) && world_is_idle(&world));
    assert_true(store_has(&world.store, "Pod x/a") && store_has(&world.store, "Pod x/b") &&
                store_has(&world.store, "Pod x/c"));
    world_release(&world);
}

static _Atomic int64_t boot_ns;

static int64_t boot_now(void *arg)
{
    (void)arg;
    return atomic_load(&boot_ns);
}

static const struct kd_clock boot_clock = { boot_now, boot_now, NULL };

/* B40: the deadline passes while a worker sits in a reconcile; none begins after it. */
static void test_B40_fence(void **state)
{
    struct world world;
    struct kd_fence fence;
    (void)state;
    init(&world);
    world.entry.tuning.workers = 1;
    kd_fence_init(&fence, &boot_clock);
    kd_fence_open_until(&fence, atomic_load(&boot_ns) + 10);
    world.fence = &fence;
    gate_set(&world.gate, true);
    world_start(&world);
    world_list(&world, THREE);
    WAIT_UNTIL(gate_waiting(&world.gate) == 1);
    atomic_fetch_add(&boot_ns, 10);
    gate_set(&world.gate, false);
    WAIT_UNTIL(world_status(&world).queue.working == 0);
    assert_int_equal(world_status(&world).queue.depth, 2);
    assert_int_equal(atomic_load(&world.runs), 1);
    kd_controller_drop(world.controller);
    kd_fence_open_until(&fence, KD_NEVER_NS);
    kd_controller_start(world.controller);
    hand_over(&world);
    WAIT_UNTIL(world_is_synced(&world));
    assert_true(store_has(&world.store, "Pod x/b"));
    world_release(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_differs), cmocka_unit_test(test_another_fingerprint),
        cmocka_unit_test(test_second_term),       cmocka_unit_test(test_end_in_the_midst),
        cmocka_unit_test(test_B40_fence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
