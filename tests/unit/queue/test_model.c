/*
 * Thousands of seeded schedules, each compared step by step with a model that is a plain table of
 * keys and searches it whole for every answer. A failure prints its seed.
 */
#include "base/rand.h"
#include "unit/queue/fake.h"

#include <stdio.h>

#define N_KEYS 7
#define N_STEPS 250 /* below TICK, so that no two due times are equal */
#define N_SCHEDULES 10000
#define N_PRIORITIES 3
#define TICK 1000

#define BASE_NS (int64_t)(3 * TICK)
#define MAX_NS (int64_t)(40 * TICK)

enum place { NOWHERE, READY, DELAYED, DIRTY };

struct model_key {
    enum place place;
    bool working;
    int32_t priority, run_priority;
    uint32_t why, changed, run_changed, failures;
    int64_t due_ns;
    uint64_t arrival;
    const struct kd_queue_item *item; /* of the last run, perhaps long over */
};

struct world {
    struct fake_clock fake;
    struct kd_queue *queue;
    struct kd_rand rand;
    struct model_key keys[N_KEYS];
    char names[N_KEYS][8];
    uint64_t arrivals;
    bool fair;
    uint64_t turn[N_PRIORITIES][2]; /* of a fair queue: which namespace has waited longest */
    uint64_t wakes;
    int64_t debounce_ns;
    bool shut;
};

static void on_wake(void *arg)
{
    ((struct world *)arg)->wakes++;
}

static struct kd_key key_at(const struct world *world, size_t i)
{
    return key_of(i % 2 ? "ns" : "", world->names[i]);
}

static const int32_t priorities[N_PRIORITIES] = { KD_PRIORITY_LOW, KD_PRIORITY_NORMAL, 7 };

static uint64_t *turn_of(struct world *world, const struct model_key *key)
{
    size_t level = 0;
    while (priorities[level] != key->priority) {
        level++;
    }
    return &world->turn[level][(key - world->keys) % 2];
}

/* A namespace that had nothing ready of the priority comes last in turn. */
static void model_join(struct world *world, const struct model_key *joining)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        const struct model_key *key = &world->keys[i];
        if (key != joining && key->place == READY &&
            turn_of(world, key) == turn_of(world, joining)) {
            return;
        }
    }
    *turn_of(world, joining) = world->arrivals++;
}

static void model_ready(struct world *world, struct model_key *key)
{
    key->place = key->working ? DIRTY : READY;
    key->arrival = world->arrivals++;
    if (key->place == READY) {
        model_join(world, key);
    }
}

static uint32_t model_want(struct world *world, struct model_key *key, int32_t priority,
                           uint32_t why, uint32_t changed, int64_t delay_ns)
{
    int64_t due_ns = world->fake.now_ns + delay_ns;
    uint32_t waited = key->place == NOWHERE ? 0 : key->why;
    if (key->place == NOWHERE) {
        key->priority = priority;
        key->why = why;
        key->changed = changed;
    } else {
        if (priority > key->priority) {
            key->priority = priority;
            key->arrival = world->arrivals++;
            if (key->place == READY) {
                model_join(world, key);
            }
        }
        key->why |= why;
        key->changed |= changed;
    }
    if (delay_ns <= 0 && (key->place == NOWHERE || key->place == DELAYED)) {
        model_ready(world, key);
    } else if (delay_ns > 0 && key->place == NOWHERE) {
        key->place = DELAYED;
        key->due_ns = due_ns;
    } else if (delay_ns > 0 && key->place == DELAYED && due_ns < key->due_ns) {
        key->due_ns = due_ns;
    }
    return waited;
}

static struct model_key *model_earliest(struct world *world)
{
    struct model_key *best = NULL;
    for (size_t i = 0; i < N_KEYS; i++) {
        struct model_key *key = &world->keys[i];
        if (key->place == DELAYED && (!best || key->due_ns < best->due_ns)) {
            best = key;
        }
    }
    return best;
}

static bool comes_before(struct world *world, const struct model_key *a, const struct model_key *b)
{
    if (a->priority != b->priority) {
        return a->priority > b->priority;
    }
    uint64_t turn_a = *turn_of(world, a);
    uint64_t turn_b = *turn_of(world, b);
    return world->fair && turn_a != turn_b ? turn_a < turn_b : a->arrival < b->arrival;
}

static struct model_key *model_first(struct world *world)
{
    struct model_key *best = NULL;
    for (size_t i = 0; i < N_KEYS; i++) {
        struct model_key *key = &world->keys[i];
        if (key->place == READY && (!best || comes_before(world, key, best))) {
            best = key;
        }
    }
    return best;
}

static int64_t model_next(struct world *world)
{
    struct model_key *earliest = model_earliest(world);
    return model_first(world) ? 0 : earliest ? earliest->due_ns : KD_NEVER_NS;
}

static int64_t model_backoff(const struct model_key *key)
{
    int64_t delay_ns = BASE_NS;
    for (uint32_t i = 0; i < key->failures && delay_ns < MAX_NS; i++) {
        delay_ns *= 2;
    }
    return delay_ns < MAX_NS ? delay_ns : MAX_NS;
}

static void step_add(struct world *world, size_t i)
{
    int32_t priority = priorities[kd_rand_below(&world->rand, N_PRIORITIES)];
    uint32_t why = 1u << kd_rand_below(&world->rand, 4);
    uint32_t changed = 1u << kd_rand_below(&world->rand, 6);
    uint32_t waited = kd_queue_add(world->queue, key_at(world, i), priority, why, changed);
    uint32_t expected = world->shut ? 0
                                    : model_want(world, &world->keys[i], priority, why, changed,
                                                 world->debounce_ns);
    assert_int_equal(waited, expected);
}

static void step_add_after(struct world *world, size_t i)
{
    struct model_key *key = &world->keys[i];
    int64_t delay_ns = ((int64_t)kd_rand_below(&world->rand, 9) - 1) * TICK;
    kd_queue_add_after(world->queue, key_at(world, i), delay_ns, KD_WHY_REQUEUE);
    if (!world->shut) {
        (void)model_want(world, key, key->working ? key->run_priority : KD_PRIORITY_NORMAL,
                         KD_WHY_REQUEUE, 0, delay_ns);
    }
}

static void step_rate_limited(struct world *world, size_t i)
{
    struct model_key *key = &world->keys[i];
    kd_queue_add_rate_limited(world->queue, key_at(world, i));
    if (!world->shut) {
        int64_t delay_ns = model_backoff(key);
        key->failures++;
        (void)model_want(world, key, key->working ? key->run_priority : KD_PRIORITY_NORMAL,
                         KD_WHY_RETRY, key->working ? key->run_changed : 0, delay_ns);
    }
}

static void step_forget(struct world *world, size_t i)
{
    kd_queue_forget(world->queue, key_at(world, i));
    world->keys[i].failures = 0;
}

static void step_get(struct world *world, size_t i)
{
    (void)i;
    struct model_key *due;
    while ((due = model_earliest(world)) != NULL && due->due_ns <= world->fake.now_ns) {
        model_ready(world, due);
    }
    uint64_t wakes = world->wakes;
    const struct kd_queue_item *item = kd_queue_get(world->queue);
    assert_int_equal(world->wakes, wakes); /* get never wakes */
    struct model_key *key = model_first(world);
    assert_true((item == NULL) == (key == NULL));
    if (!key) {
        return;
    }
    struct kd_key expected = key_at(world, (size_t)(key - world->keys));
    assert_true(kd_str_eq(item->key.ns, expected.ns) && kd_str_eq(item->key.name, expected.name));
    assert_int_equal(item->priority, key->priority);
    assert_int_equal(item->why, key->why);
    assert_int_equal(item->changed, key->changed);
    assert_int_equal(item->failures, key->failures);
    *turn_of(world, key) = world->arrivals++;
    key->place = NOWHERE;
    key->working = true;
    key->run_priority = key->priority;
    key->run_changed = key->changed;
    key->item = item;
}

/* Also ends what is not in work: that changes nothing. */
static void step_done(struct world *world, size_t i)
{
    struct model_key *key = &world->keys[i];
    if (!key->working && key->item) { /* its memory may serve another key in work by now */
        for (size_t j = 0; j < N_KEYS; j++) {
            if (world->keys[j].working && world->keys[j].item == key->item) {
                return;
            }
        }
    }
    kd_queue_done(world->queue, key->item);
    if (key->working) {
        key->working = false;
        if (key->place == DIRTY) {
            model_ready(world, key);
        }
    }
}

static void step_shutdown(struct world *world, bool drain)
{
    kd_queue_shutdown(world->queue, drain);
    world->shut = true;
    for (size_t i = 0; i < N_KEYS; i++) {
        struct model_key *key = &world->keys[i];
        if (key->place == DELAYED || !drain) {
            key->place = NOWHERE;
        }
    }
}

static void compare(struct world *world)
{
    struct kd_queue_stats stats = stats_of(world->queue);
    uint64_t depth = 0, delayed = 0, working = 0;
    for (size_t i = 0; i < N_KEYS; i++) {
        depth += world->keys[i].place == READY;
        delayed += world->keys[i].place == DELAYED;
        working += world->keys[i].working;
    }
    assert_int_equal(stats.depth, depth);
    assert_int_equal(stats.delayed, delayed);
    assert_int_equal(stats.working, working);
    assert_true((stats.oldest_work_ns != 0) == (working != 0));
    assert_true(kd_queue_next_ns(world->queue) == model_next(world));
}

static void (*const steps[])(struct world *world, size_t i) = {
    step_add,          step_add,    step_add_after, step_add_after, step_rate_limited,
    step_rate_limited, step_forget, step_get,       step_get,       step_get,
    step_done,         step_done,   step_done,
};

static void step(struct world *world)
{
    int64_t before_ns = model_next(world);
    uint64_t wakes = world->wakes;
    size_t which = kd_rand_below(&world->rand, sizeof(steps) / sizeof(steps[0]));
    steps[which](world, kd_rand_below(&world->rand, N_KEYS));
    if (steps[which] != step_get) { /* told exactly when there is something sooner */
        assert_int_equal(world->wakes - wakes, model_next(world) < before_ns);
    }
    compare(world);
    world->fake.now_ns += 1 + (int64_t)kd_rand_below(&world->rand, 3) * TICK;
}

static void run_schedule(uint64_t seed)
{
    struct world world = { .arrivals = 1 };
    kd_rand_init(&world.rand, seed);
    world.debounce_ns = seed % 4 ? 0 : 2 * TICK;
    world.fair = seed % 3 == 0;
    for (size_t i = 0; i < N_KEYS; i++) {
        (void)snprintf(world.names[i], sizeof(world.names[i]), "k%zu", i / 2); /* fits */
    }
    struct kd_queue_settings settings = { .name = "pod",
                                          .backoff_base_ns = BASE_NS,
                                          .backoff_max_ns = MAX_NS,
                                          .debounce_ns = world.debounce_ns,
                                          .fair = world.fair };
    fake_clock_init(&world.fake);
    world.queue = kd_queue_new(&settings, &world.fake.clock, NULL, on_wake, &world);
    for (size_t i = 0; i < N_STEPS; i++) {
        step(&world);
        if (i == N_STEPS - 50 && seed % 2) {
            step_shutdown(&world, seed % 4 == 1);
            compare(&world);
        }
    }
    for (size_t i = 0; i < N_KEYS; i++) {
        step_done(&world, i);
    }
    compare(&world);
    kd_queue_free(world.queue);
}

static void test_schedules(void **state)
{
    for (uint64_t seed = 1; seed <= N_SCHEDULES; seed++) {
        *(uint64_t *)*state = seed;
        run_schedule(seed);
    }
}

static uint64_t current_seed;

static int set_up(void **state)
{
    *state = &current_seed;
    return 0;
}

static int tell_seed(void **state)
{
    (void)state;
    if (current_seed != N_SCHEDULES) {
        print_error("failed with seed %llu\n", (unsigned long long)current_seed);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_schedules, set_up, tell_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
