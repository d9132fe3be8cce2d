/* What comes in: filters, last states, observers, the sweep, and when a kind counts as synced. */
#include "unit/controller/fake_store_calls.h"
#include "unit/controller/fixture.h"

static uint32_t drop_all(void *self, const struct kd_event *event)
{
    struct world *world = self;
    assert_true(kd_str_is(event->ref.kind, "Pod") && kd_str_is(event->ref.ns, "a"));
    assert_true(event->resource_version.len > 0 && event->ref.uid.len > 0);
    return world->fail_with ? KD_FILTER_DROP : KD_FILTER_QUEUE;
}

static void test_filter(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    world.kind.def.filter = drop_all;
    world_start(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(store_has(&world.store, "Pod a/p") && world_is_idle(&world));
    atomic_store(&world.fail_with, 1);
    fake_send(&world.fake, EVENT("MODIFIED", POD("a", "p", "2", ",\"spec\":{}")));
    assert_true(world_is_idle(&world)); /* nothing was queued */
    fake_send(&world.fake, EVENT("DELETED", POD("a", "p", "3", "")));
    WAIT_UNTIL(!store_has(&world.store, "Pod a/p")); /* no filter keeps what is gone */
    world_release(&world);
}

static int32_t see_deleted(void *self, struct kd_ctx *ctx, const struct kd_object *last,
                           uint32_t flags)
{
    struct world *world = self;
    size_t len = strlen(world->deleted_seen);
    (void)ctx;
    int32_t rc = next_failure(world);
    (void)snprintf(world->deleted_seen + len, sizeof(world->deleted_seen) - len,
                   KD_STR_FMT "#" KD_STR_FMT "@" KD_STR_FMT "%s%s ", KD_STR_ARG(last->ref.name),
                   KD_STR_ARG(last->ref.uid), KD_STR_ARG(last->resource_version),
                   flags & KD_DELETED_FINAL_UNKNOWN ? "?" : "", rc < 0 ? "!" : "");
    atomic_fetch_add(&world->deleted_runs, 1);
    return rc;
}

static int32_t note_relate(void *self, struct kd_ctx *ctx, const struct kd_object *object,
                           struct kd_relations *out)
{
    struct world *world = self;
    size_t len = strlen(world->deleted_seen);
    (void)ctx;
    (void)out;
    (void)snprintf(world->deleted_seen + len, sizeof(world->deleted_seen) - len, "+" KD_STR_FMT " ",
                   KD_STR_ARG(object->ref.uid));
    return 0;
}

static void start_with_deleted(struct world *world)
{
    world_init(world, "Pod");
    world->entry.tuning.workers = 1;
    world->kind.def.deleted = see_deleted;
    world->kind.def.relate = note_relate;
    world_start(world);
}

static void test_last_state(void **state)
{
    struct world world;
    (void)state;
    start_with_deleted(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(world_is_synced(&world));
    fake_send(&world.fake, EVENT("DELETED", POD("a", "p", "7", "")));
    WAIT_UNTIL(!store_has(&world.store, "Pod a/p") && world_is_idle(&world));
    assert_string_equal(world.deleted_seen, "+u-p p#u-p@7 ");
    world_release(&world);
}

static void test_last_state_of_another_uid(void **state)
{
    struct world world;
    (void)state;
    start_with_deleted(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(world_is_synced(&world));
    fake_send(&world.fake,
              EVENT("MODIFIED", "{\"metadata\":{\"name\":\"p\",\"namespace\":\"a\",\"uid\":"
                                "\"new\",\"resourceVersion\":\"8\"}}"));
    WAIT_UNTIL(atomic_load(&world.deleted_runs) == 1 && world_is_idle(&world));
    assert_string_equal(world.deleted_seen, "+u-p p#u-p@1 +new "); /* before the new one */
    world_release(&world);
}

static void test_last_state_is_kept_for_a_retry(void **state)
{
    struct world world;
    (void)state;
    start_with_deleted(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(world_is_synced(&world));
    atomic_store(&world.fail_with, KD_EIO);
    atomic_store(&world.fails_left, 1);
    fake_send(&world.fake, EVENT("DELETED", POD("a", "p", "7", "")));
    WAIT_UNTIL(atomic_load(&world.deleted_runs) == 2 && world_is_idle(&world));
    assert_string_equal(world.deleted_seen, "+u-p p#u-p@7! p#u-p@7 ");
    assert_false(store_has(&world.store, "Pod a/p"));
    world_release(&world);
}

/* A delete that only a list shows. */
static void test_last_state_unknown(void **state)
{
    struct world world;
    (void)state;
    start_with_deleted(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(world_is_synced(&world));
    fake_send(&world.fake, EVENT("ERROR", STATUS("410", "Expired", "too old")));
    assert_false(fake_asks(&world.fake, "watch="));
    fake_answer(&world.fake, LIST("9", "", ""));
    WAIT_UNTIL(atomic_load(&world.deleted_runs) == 1 && world_is_idle(&world));
    assert_string_equal(world.deleted_seen, "+u-p p#u-p@1? ");
    world_release(&world);
}

static void test_observer(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    world.kind.def.flags = KD_KIND_OBSERVER;
    world_start(&world);
    store_leave(&world.store, "Pod a/stale");
    store_leave_by(&world.store, "Pod a/own", "test");
    world_list(&world, LIST("1", "",
                            "{\"metadata\":{\"name\":\"p\",\"namespace\":\"a\",\"uid\":\"u\","
                            "\"resourceVersion\":\"1\",\"ownerReferences\":[{\"apiVersion\":\"v1\","
                            "\"kind\":\"K\",\"name\":\"o\",\"uid\":\"x\"}]},"
                            "\"spec\":{\"nodeName\":\"n\"}}"));
    WAIT_UNTIL(world_is_synced(&world));
    KD_AUTO_FREE char *text = store_look(&world.store, "Pod a/p", false);
    assert_string_equal(text, "PodNodeBinding nodeName=n: Pod.v1./a/p#u -> Node.v1.//n#\n");
    KD_AUTO_FREE char *own = store_look(&world.store, "Pod a/own", false);
    assert_string_equal(own, ""); /* it has nothing to say of what is gone */
    KD_AUTO_FREE char *stale = store_look(&world.store, "Pod a/stale", false);
    assert_string_equal(stale, "left"); /* the owner's business */
    fake_send(&world.fake, EVENT("DELETED", POD("a", "p", "2", "")));
    WAIT_UNTIL(store_puts(&world.store) == 3 && world_is_idle(&world));
    KD_AUTO_FREE char *after = store_look(&world.store, "Pod a/p", false);
    assert_string_equal(after, "");
    assert_int_equal(world.store.removes, 0);
    assert_int_equal(world_status(&world).stored, 0);
    world_release(&world);
}

static void test_sweep(void **state)
{
    struct world world;
    char *namespaces[] = { (char[]){ "a" }, (char[]){ "b" } };
    (void)state;
    world_init_pods(&world);
    world.entry.namespaces = (struct kd_strlist){ namespaces, 2 }; /* less than before */
    world_start(&world);
    store_leave(&world.store, "Pod a/p");
    store_leave(&world.store, "Pod a/gone");
    store_leave(&world.store, "Pod elsewhere/q");
    store_leave(&world.store, "Node /n");
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(world_is_synced(&world));
    assert_false(store_has(&world.store, "Pod a/gone"));
    assert_true(store_has(&world.store, "Pod a/p"));
    assert_false(store_has(&world.store, "Pod elsewhere/q"));
    assert_true(store_has(&world.store, "Node /n"));
    world_release(&world);
}

/* Synced when each key of the first list has been through once, whatever happened meanwhile. */
static void test_synced(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    world.entry.tuning.workers = 3;
    gate_set(&world.gate, true);
    world_start(&world);
    world_list(&world, LIST("1", "",
                            POD("a", "p", "1", "") "," POD("a", "q", "1", "") "," POD(
                                "a", "r", "1", "") "," POD("a", "s", "1", "")));
    WAIT_UNTIL(gate_waiting(&world.gate) == 3);
    fake_send(&world.fake, EVENT("DELETED", POD("a", "s", "3", "")));
    fake_send(&world.fake, EVENT("DELETED", POD("a", "r", "4", "")));
    fake_send(&world.fake, EVENT("MODIFIED", POD("a", "p", "5", ",\"spec\":{}")));
    fake_send(&world.fake, EVENT("ADDED", POD("a", "t", "6", "")));
    assert_false(world_is_synced(&world));
    gate_set(&world.gate, false);
    WAIT_UNTIL(world_is_synced(&world) && world_is_idle(&world));
    assert_int_equal(world_status(&world).stored, 3);
    world_release(&world);
}

static void test_synced_with_nothing(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    world_start(&world);
    assert_false(world_is_synced(&world));
    world_list(&world, LIST("1", "", ""));
    WAIT_UNTIL(world_is_synced(&world));
    world_release(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_last_state),
        cmocka_unit_test(test_last_state_of_another_uid),
        cmocka_unit_test(test_last_state_is_kept_for_a_retry),
        cmocka_unit_test(test_last_state_unknown),
        cmocka_unit_test(test_observer),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_synced),
        cmocka_unit_test(test_synced_with_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
