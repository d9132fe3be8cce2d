/* The pool: turns, limits, threads for what overruns, and the stop. */
#include "unit/controller/fake_store_calls.h"
#include "unit/controller/fixture.h"

#define N_ITEMS 200

static size_t pool_threads(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 2 ? (size_t)cores * 2 : 4;
}

/* A list of n pods "p0", "p1", ... */
static void list_pods(struct world *world, size_t n)
{
    struct kd_buf text;
    kd_buf_init(&text, KD_MIB);
    (void)kd_buf_puts(&text, "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[");
    for (size_t i = 0; i < n; i++) {
        (void)kd_buf_printf(&text,
                            "%s{\"metadata\":{\"name\":\"p%zu\",\"namespace\":\"a\",\"uid\":"
                            "\"u%zu\",\"resourceVersion\":\"%zu\"}}",
                            i ? "," : "", i, i, i + 1);
    }
    assert_int_equal(kd_buf_puts(&text, "]}"), 0);
    world_list(world, text.ptr);
    kd_buf_release(&text);
}

static char turns[64];
static _Atomic int n_turns;

static int32_t note_turn(void *self, struct kd_ctx *ctx, const struct kd_key *key,
                         struct kd_result *result)
{
    struct world *world = self;
    (void)ctx;
    (void)result;
    gate_pass(&world->gate);
    if (!kd_str_is(key->name, "p0")) {
        turns[atomic_fetch_add(&n_turns, 1)] = world->kind.def.kind[0];
    }
    return 0;
}

/* One worker is left, and has to serve two kinds that both have keys: it takes turns. */
static void test_turns(void **state)
{
    struct world holders, pods, nodes;
    size_t n_held = pool_threads() - 1;
    (void)state;
    world_init_pods(&holders);
    world_init(&pods, "Pod");
    world_init(&nodes, "Node");
    holders.kind.def.kind = "Holder";
    pods.kind.def.reconcile = note_turn; /* no sweep, which would take a turn too */
    nodes.kind.def.reconcile = note_turn;
    holders.entry.tuning.workers = (int64_t)n_held;
    gate_set(&holders.gate, true);
    gate_set(&pods.gate, true);
    world_start(&holders);
    world_start_guest(&pods, &holders);
    world_start_guest(&nodes, &holders);
    list_pods(&holders, n_held);
    WAIT_UNTIL(gate_waiting(&holders.gate) == n_held);
    list_pods(&pods, 1);
    WAIT_UNTIL(gate_waiting(&pods.gate) == 1); /* the last thread waits until all keys are there */
    fake_send(&pods.fake, EVENT("ADDED", POD("a", "x", "20", "")));
    fake_send(&pods.fake, EVENT("ADDED", POD("a", "y", "21", "")));
    fake_send(&pods.fake, EVENT("ADDED", POD("a", "z", "22", "")));
    list_pods(&nodes, 4);
    gate_set(&pods.gate, false);
    WAIT_UNTIL(world_is_idle(&pods) && world_is_idle(&nodes));
    assert_string_equal(turns, "PNPNPN"); /* p0 of the nodes comes between, and is not noted */
    gate_set(&holders.gate, false);
    WAIT_UNTIL(world_is_idle(&holders));
    world_release(&nodes);
    world_release(&pods);
    world_release(&holders);
}

#define N_SEATED 4 /* of threads there are no fewer anywhere */
#define N_SINGLE 20

static pthread_t runners[N_SEATED + N_SINGLE];
static _Atomic int n_runners;

static int32_t note_runner(void *self, struct kd_ctx *ctx, const struct kd_key *key,
                           struct kd_result *result)
{
    struct world *world = self;
    (void)ctx;
    (void)key;
    (void)result;
    gate_pass(&world->gate);
    runners[atomic_fetch_add(&n_runners, 1)] = pthread_self();
    return 0;
}

/* Of idle workers the last one goes on: keys that come one by one stay with one thread. */
static void test_the_last_goes_on(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    world.kind.def.reconcile = note_runner; /* no sweep, which would take a worker too */
    world.entry.tuning.workers = N_SEATED;
    gate_set(&world.gate, true);
    world_start(&world);
    list_pods(&world, N_SEATED);
    WAIT_UNTIL(gate_waiting(&world.gate) == N_SEATED);
    gate_set(&world.gate, false);
    for (int i = 0; i < N_SINGLE; i++) { /* quiet: who ended its work has sat down */
        WAIT_UNTIL(atomic_load(&n_runners) == N_SEATED + i &&
                   kd_controller_is_quiet(world.controller));
        char text[256];
        (void)snprintf(text, sizeof(text), EVENT("ADDED", POD("a", "one%d", "%d", "")), i, i,
                       20 + i);
        fake_send(&world.fake, text);
    }
    WAIT_UNTIL(atomic_load(&n_runners) == N_SEATED + N_SINGLE &&
               kd_controller_is_quiet(world.controller));
    for (int i = 1; i < N_SINGLE; i++) {
        assert_true(pthread_equal(runners[N_SEATED + i], runners[N_SEATED]));
    }
    world_release(&world);
}

static void test_limit(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    world.entry.tuning.workers = 2;
    gate_set(&world.gate, true);
    world_start(&world);
    list_pods(&world, 20);
    WAIT_UNTIL(gate_waiting(&world.gate) == 2);
    assert_int_equal(world_status(&world).queue.working, 2);
    assert_true(counter(world.metrics, "controller_runtime_reconcile_total", "Pod", "success") ==
                0);
    gate_set(&world.gate, false);
    WAIT_UNTIL(world_is_synced(&world));
    assert_int_equal(atomic_load(&world.runs), 20);
    world_release(&world);
}

/* Every thread is held past its deadline; another kind is served all the same. */
static void test_overrun(void **state)
{
    struct world slow, quick;
    size_t n = pool_threads();
    (void)state;
    world_init_pods(&slow);
    world_init(&quick, "Node");
    slow.entry.tuning.workers = (int64_t)n;
    slow.entry.tuning.reconcile_timeout_ns = 20 * KD_MS_NS;
    gate_set(&slow.gate, true);
    world_start(&slow);
    world_start_guest(&quick, &slow);
    list_pods(&slow, n);
    WAIT_UNTIL(gate_waiting(&slow.gate) == n);
    list_pods(&quick, 3);
    WAIT_UNTIL(world_is_synced(&quick));
    assert_int_equal(gate_waiting(&slow.gate), n);
    WAIT_UNTIL(counter(slow.metrics, "controller_runtime_reconcile_timeouts_total", "Pod", NULL) ==
               (double)n);
    gate_set(&slow.gate, false);
    WAIT_UNTIL(world_is_synced(&slow));
    /* Told once for each. */
    assert_true(counter(slow.metrics, "controller_runtime_reconcile_timeouts_total", "Pod", NULL) ==
                (double)n);
    world_release(&quick);
    world_release(&slow);
}

static void test_B34_drain(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    world.entry.tuning.workers = 1;
    gate_set(&world.gate, true);
    world_start(&world);
    list_pods(&world, N_ITEMS);
    WAIT_UNTIL(gate_waiting(&world.gate) == 1);
    gate_set(&world.gate, false);
    assert_true(kd_pool_stop(world.pool, in_ns(60 * KD_SEC_NS)));
    assert_int_equal(atomic_load(&world.runs), N_ITEMS);
    fake_send(&world.fake, EVENT("ADDED", POD("a", "late", "900", ""))); /* no new adds */
    assert_true(world_is_idle(&world));
    world_release(&world);
}

static struct world left_behind; /* static: its worker outlives the test */

/* Time runs out while the one worker hangs: the stop returns, and what it may touch stays. */
static void test_B34_time_runs_out(void **state)
{
    struct world *world = &left_behind;
    (void)state;
    world_init_pods(world);
    world->entry.tuning.workers = 1;
    gate_set(&world->gate, true);
    world_start(world);
    list_pods(world, N_ITEMS);
    WAIT_UNTIL(gate_waiting(&world->gate) == 1);
    int64_t deadline_ns = in_ns(50 * KD_MS_NS);
    assert_false(kd_pool_stop(world->pool, deadline_ns));
    assert_true(kd_now_ns(&kd_system_clock) >= deadline_ns);
    assert_int_equal(world_status(world).queue.depth, 0); /* dropped */
    kd_controller_free(world->controller);
    kd_pool_free(world->pool);
    gate_set(&world->gate, false);
    WAIT_UNTIL(store_puts(&world->store) == 1); /* it comes back and does no harm */
    WAIT_UNTIL(world_is_idle(world));
    assert_int_equal(atomic_load(&world->runs), 1);
}

static int32_t ask_again(void *self, struct kd_ctx *ctx, const struct kd_key *key,
                         struct kd_result *result)
{
    struct world *world = self;
    (void)ctx;
    (void)key;
    atomic_fetch_add(&world->runs, 1);
    gate_pass(&world->gate);
    result->requeue_after_ns = KD_MS_NS;
    return 0;
}

/* The controller goes while the plugin is at work and asks to come again: no call after that. */
static void test_B69_free_during_work(void **state)
{
    struct world world;
    (void)state;
    for (int i = 0; i < 50; i++) {
        world_init(&world, "Pod");
        world.kind.def.reconcile = ask_again;
        world_start(&world);
        list_pods(&world, 3);
        WAIT_UNTIL(atomic_load(&world.runs) >= 3);
        kd_controller_free(world.controller);
        int runs = atomic_load(&world.runs);
        world.controller = NULL;
        world_release(&world);
        assert_int_equal(atomic_load(&world.runs), runs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_the_last_goes_on),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_overrun),
        cmocka_unit_test(test_B34_drain),
        cmocka_unit_test(test_B34_time_runs_out),
        cmocka_unit_test(test_B69_free_during_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
