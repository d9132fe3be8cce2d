/* Many keys: nothing stands still, nothing is lost, nothing is left behind. */
#include "unit/controller/fake_store_calls.h"
#include "unit/controller/fixture.h"

#include <malloc.h>

#define N_BURST 10000
#define N_SHORT 100000
#define N_ALIVE 100

static _Atomic uint32_t last_seen[N_BURST];

static int32_t see_version(void *self, struct kd_ctx *ctx, const struct kd_object *object,
                           struct kd_relations *out)
{
    struct world *world = self;
    uint64_t index = 0;
    uint64_t version = 0;
    const struct kd_str digits = { object->ref.name.ptr + 1, object->ref.name.len - 1 };
    (void)ctx;
    (void)out;
    gate_pass(&world->gate);
    if (kd_str_to_u64(digits, &index) && kd_str_to_u64(object->resource_version, &version)) {
        atomic_store(&last_seen[index], (uint32_t)version);
    }
    return KD_ETERMINAL; /* the fake store's list of entries would be the slow part */
}

static void send_pod(struct world *world, const char *type, int index, int version)
{
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "{\"type\":\"%s\",\"object\":{\"metadata\":{\"name\":\"p%d\",\"namespace\":"
                   "\"a\",\"uid\":\"u%d\",\"resourceVersion\":\"%d\"},\"spec\":{\"v\":%d}}}\n",
                   type, index, index, version, version);
    fake_send(&world->fake, text);
}

/* The watch is read to its end while the one worker stands still; then each last state is seen. */
static void test_B28_burst(void **state)
{
    struct world world;
    (void)state;
    world_init(&world, "Pod");
    world.kind.def.relate = see_version;
    world.entry.tuning.workers = 1;
    gate_set(&world.gate, true);
    world_start(&world);
    world_list(&world, LIST("1", "", ""));
    for (int i = 0; i < N_BURST; i++) {
        send_pod(&world, "ADDED", i, 10 + i);
    }
    for (int i = 0; i < N_BURST; i++) {
        send_pod(&world, "MODIFIED", i, 10 + N_BURST + i);
    }
    assert_int_equal(gate_waiting(&world.gate), 1);
    assert_int_equal(world_status(&world).queue.working, 1);
    gate_set(&world.gate, false);
    WAIT_UNTIL(world_is_idle(&world));
    for (int i = 0; i < N_BURST; i++) {
        assert_int_equal(atomic_load(&last_seen[i]), 10 + N_BURST + i);
    }
    world_release(&world);
}

static int32_t see_gone(void *self, struct kd_ctx *ctx, const struct kd_object *last,
                        uint32_t flags)
{
    struct world *world = self;
    (void)ctx;
    (void)last;
    (void)flags;
    atomic_fetch_add(&world->deleted_runs, 1);
    return 0;
}

/* Every seventh pod fails for as long as it lives. */
static int32_t fail_some(void *self, struct kd_ctx *ctx, const struct kd_object *object,
                         struct kd_relations *out)
{
    uint64_t index = 0;
    const struct kd_str digits = { object->ref.name.ptr + 1, object->ref.name.len - 1 };
    (void)self;
    (void)ctx;
    (void)out;
    return kd_str_to_u64(digits, &index) && index % 7 == 0 ? KD_EIO : 0;
}

static void test_B29_short_lives(void **state)
{
    struct world world;
    size_t before = 0;
    (void)state;
    world_init(&world, "Pod");
    world.kind.def.relate = fail_some;
    world.kind.def.deleted = see_gone;
    world_start(&world);
    world_list(&world, LIST("1", "", ""));
    for (int i = 0; i < N_SHORT + N_ALIVE; i++) {
        if (i < N_SHORT) {
            send_pod(&world, "ADDED", i, 10 + 2 * i);
        }
        if (i >= N_ALIVE) {
            send_pod(&world, "DELETED", i - N_ALIVE, 11 + 2 * i);
        }
        if (i == 5000) {
            WAIT_UNTIL(world_status(&world).queue.depth == 0);
            before = mallinfo2().uordblks;
        }
        if (i % 1000 == 0) { /* the fake informer is faster than any server */
            WAIT_UNTIL(world_status(&world).queue.depth < 1000);
        }
    }
    WAIT_UNTIL(world_is_idle(&world));
    assert_true(mallinfo2().uordblks < before + 256 * KD_KIB);
    assert_null(world.store.items);
    assert_true(atomic_load(&world.deleted_runs) > 0);
    world_release(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B28_burst),
        cmocka_unit_test(test_B29_short_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
