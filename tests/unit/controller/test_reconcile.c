/* From an event to the store: resources, relations, deletes, results. */
#include "unit/controller/fake_store_calls.h"
#include "unit/controller/fixture.h"

#define FULL_POD(rv)                                                                               \
    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"a\",\"uid\":\"u1\",\"resourceVersion\":\"" rv   \
    "\",\"labels\":{\"app\":\"x\"},\"annotations\":{\"note\":\"y\"},"                              \
    "\"creationTimestamp\":\"1970-01-01T00:00:05Z\",\"ownerReferences\":[7,{\"kind\":\"Half\"},"   \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"r\",\"uid\":\"u9\"},"          \
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n1\",\"uid\":\"u8\"},"                    \
    "{\"apiVersion\":\"v1\",\"kind\":3,\"name\":\"n1\",\"uid\":\"u8\"}]},"                         \
    "\"spec\":{\"nodeName\":\"n1\"}}"

static int node_is_cluster(void *arg, struct kd_str group, struct kd_str kind)
{
    (void)arg;
    return kd_str_is(kind, "Node") && group.len == 0 ? 1 : -1;
}

static void test_put(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    world.metrics = kd_metrics_new();
    world_start_on(&world, kd_pool_new(&kd_system_clock, world.metrics), as_store(&world.store),
                   world.metrics, (struct kd_scopes){ NULL, node_is_cluster });
    assert_true(TOTAL(&world, "requeue") == 0 && TOTAL(&world, "requeue_after") == 0);
    world_list(&world, LIST("9", "", FULL_POD("5")));
    WAIT_UNTIL(world_is_synced(&world));
    KD_AUTO_FREE char *text = store_look(&world.store, "Pod a/p", false);
    assert_string_equal(text, "labels {\"app\":\"x\"} annotations {\"note\":\"y\"} data \n"
                              "PodNodeBinding nodeName=n1: Pod.v1./a/p#u1 -> Node.v1.//n1#\n"
                              "OwnerReference apiVersion=apps/v1 kind=ReplicaSet name=r uid=u9: "
                              "ReplicaSet.v1.apps/a/r#u9 -> Pod.v1./a/p#u1\n"
                              "OwnerReference apiVersion=v1 kind=Node name=n1 uid=u8: "
                              "Node.v1.//n1#u8 -> Pod.v1./a/p#u1\n");
    assert_true(world.store.items->created_ns == 5 * KD_SEC_NS);
    assert_string_equal(world.store.items->version, "5");
    assert_string_equal(world.store.items->instance, "test");
    assert_int_equal(world_status(&world).stored, 1);

    fake_send(&world.fake, EVENT("MODIFIED", POD("a", "p", "10", "")));
    WAIT_UNTIL(store_puts(&world.store) == 2 && world_is_idle(&world));
    fake_send(&world.fake, EVENT("DELETED", POD("a", "p", "11", "")));
    WAIT_UNTIL(!store_has(&world.store, "Pod a/p") && world_is_idle(&world));
    assert_true(TOTAL(&world, "success") == 3);
    assert_int_equal(world_status(&world).stored, 0);
    world_release(&world);
}

/* A key, not an object, is in the queue: an unknown node does not hold a pod up, and no late work
 * brings a deleted pod back. */
static void test_B32_keys(void **state)
{
    struct world pods, nodes;
    (void)state;
    world_init_pods(&pods);
    world_init(&nodes, "Node");
    world_start(&pods);
    world_start_guest(&nodes, &pods);
    world_list(&pods, LIST("1", "", ""));
    world_list(&nodes, LIST("1", "", ""));
    fake_send(&pods.fake, EVENT("ADDED", POD("a", "p", "2", ",\"spec\":{\"nodeName\":\"n9\"}")));
    WAIT_UNTIL(store_has(&pods.store, "Pod a/p"));
    KD_AUTO_FREE char *text = store_look(&pods.store, "Pod a/p", false);
    assert_non_null(strstr(text, "PodNodeBinding nodeName=n9: Pod.v1./a/p#u-p -> Node.v1.//n9#"));

    gate_set(&pods.gate, true); /* the pod is in work while it goes */
    fake_send(&pods.fake, EVENT("MODIFIED", POD("a", "p", "3", ",\"spec\":{\"nodeName\":\"n8\"}")));
    WAIT_UNTIL(gate_waiting(&pods.gate) == 1);
    fake_send(&pods.fake, EVENT("DELETED", POD("a", "p", "4", "")));
    atomic_store(&pods.fail_with, KD_EIO);
    atomic_store(&pods.fails_left, 1); /* the try under way fails, and would be repeated */
    gate_set(&pods.gate, false);
    fake_send(&nodes.fake, EVENT("ADDED", POD("", "n9", "5", "")));
    WAIT_UNTIL(store_has(&pods.store, "Node /n9") && world_is_idle(&pods) && world_is_idle(&nodes));
    assert_false(store_has(&pods.store, "Pod a/p"));
    world_release(&nodes);
    world_release(&pods);
}

static void test_B33_add_during_work(void **state)
{
    struct world world;
    char text[512];
    (void)state;
    world_init_pods(&world);
    world_start(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(world_is_synced(&world));
    atomic_store(&world.runs, 0);
    gate_set(&world.gate, true);
    for (int i = 2; i <= 52; i++) {
        (void)snprintf(text, sizeof(text),
                       EVENT("MODIFIED", POD("a", "p", "%d", ",\"spec\":{\"i\":%d}")), i, i);
        fake_send(&world.fake, text);
        WAIT_UNTIL(gate_waiting(&world.gate) ==
                   1); /* the first is in work, and stays the only one */
    }
    gate_set(&world.gate, false);
    WAIT_UNTIL(world_is_idle(&world));
    assert_int_equal(atomic_load(&world.runs), 2);
    KD_AUTO_FREE char *version = store_look(&world.store, "Pod a/p", true);
    assert_string_equal(version, "52");
    world_release(&world);
}

static void test_error_is_retried(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    atomic_store(&world.fail_with, KD_EIO);
    atomic_store(&world.fails_left, 3);
    world_start(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(store_has(&world.store, "Pod a/p") && world_is_idle(&world));
    assert_true(TOTAL(&world, "error") == 3);
    assert_true(TOTAL(&world, "success") == 1);
    struct kd_controller_status status = world_status(&world);
    assert_int_equal(status.errors, 3);
    assert_string_equal(status.last_error, ""); /* it went well in the end */
    world_release(&world);
}

static void test_terminal_error(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    atomic_store(&world.fail_with, KD_ETERMINAL);
    atomic_store(&world.fails_left, 1);
    world_start(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(world_is_synced(&world)); /* one bad object does not hold the kind up */
    struct kd_controller_status status = world_status(&world);
    assert_int_equal(status.queue.depth + status.queue.delayed, 0);
    assert_string_equal(status.last_error, "a/p: relate: terminal error, no retry");
    assert_true(TOTAL(&world, "error") == 1);
    assert_true(counter(world.metrics, "controller_runtime_terminal_reconcile_errors_total", "Pod",
                        NULL) == 1);
    assert_true(counter(world.metrics, "controller_runtime_reconcile_errors_total", "Pod", NULL) ==
                1);
    fake_send(&world.fake, EVENT("DELETED", POD("a", "p", "2", "")));
    WAIT_UNTIL(world_is_idle(&world) && TOTAL(&world, "success") == 1);
    assert_string_equal(world_status(&world).last_error, "");
    world_release(&world);
}

static void test_store_refuses(void **state)
{
    struct world world;
    (void)state;
    world_init_pods(&world);
    world.store.fail_with = KD_ESTORE;
    world_start(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(world_status(&world).errors >= 2);
    assert_string_equal(world_status(&world).last_error, "a/p: store: store failed");
    pthread_mutex_lock(&world.store.lock);
    world.store.fail_with = 0;
    pthread_mutex_unlock(&world.store.lock);
    WAIT_UNTIL(store_has(&world.store, "Pod a/p"));
    world_release(&world);
}

static int32_t own_reconcile(void *self, struct kd_ctx *ctx, const struct kd_key *key,
                             struct kd_result *result)
{
    struct world *world = self;
    const struct kd_object *object = NULL;
    int32_t rc = ctx->ops->get(ctx, key, &object);
    int run = atomic_fetch_add(&world->runs, 1);
    assert_int_equal(rc, run < 2 ? 0 : KD_ENOENT);
    assert_true(rc != 0 || kd_str_is(object->ref.name, "p"));
    result->requeue_after_ns = run == 0 ? KD_MS_NS : 0;
    return 0;
}

static void test_own_reconcile_and_requeue(void **state)
{
    struct world world;
    (void)state;
    world_init(&world, "Pod");
    world.kind.def.reconcile = own_reconcile;
    world_start(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", "")));
    WAIT_UNTIL(atomic_load(&world.runs) == 2 && world_is_idle(&world));
    assert_true(TOTAL(&world, "requeue_after") == 1);
    assert_true(TOTAL(&world, "success") == 1);
    fake_send(&world.fake, EVENT("DELETED", POD("a", "p", "2", "")));
    WAIT_UNTIL(atomic_load(&world.runs) == 3 && world_is_idle(&world));
    assert_int_equal(world.store.puts + world.store.removes, 0);
    world_release(&world);
}

static int32_t come_again(void *self, struct kd_ctx *ctx, const struct kd_key *key,
                          struct kd_result *result)
{
    struct world *world = self;
    (void)ctx;
    (void)key;
    result->requeue_after_ns = atomic_fetch_add(&world->runs, 1) < 12 ? KD_MS_NS : 0;
    return 0;
}

/* While one key is ready the queue does not tell of those that wait: none of them is forgotten. */
static void test_several_keys_that_come_again(void **state)
{
    struct world world;
    (void)state;
    world_init(&world, "Pod");
    world.entry.tuning.workers = 1;
    world.kind.def.reconcile = come_again;
    world_start(&world);
    world_list(&world,
               LIST("1", "",
                    POD("a", "p", "1", "") "," POD("a", "q", "1", "") "," POD("a", "r", "1", "")));
    WAIT_UNTIL(atomic_load(&world.runs) == 15 && world_is_idle(&world));
    assert_true(TOTAL(&world, "requeue_after") == 12);
    world_release(&world);
}

static int32_t convert_parts(void *self, struct kd_ctx *ctx, const struct kd_object *object,
                             struct kd_resource *res)
{
    char *labels = kd_ctx_alloc(ctx, 16);
    (void)self;
    (void)object;
    assert_int_equal(res->ops->set_labels(res, KD_STR("[1]")), KD_EPARSE);
    assert_int_equal(res->ops->set_annotations(res, KD_STR("{")), KD_EPARSE);
    (void)snprintf(labels, 16, " {\"a\":\"b\"} ");
    assert_int_equal(res->ops->set_labels(res, kd_str_from(labels)), 0);
    memset(labels, 'x', 16); /* it was copied */
    return res->ops->set_data(res, KD_STR("{\"own\":true}"));
}

static void test_convert(void **state)
{
    struct world world;
    (void)state;
    world_init(&world, "Pod");
    world.kind.def.convert = convert_parts;
    world_start(&world);
    world_list(&world, LIST("1", "", FULL_POD("1")));
    WAIT_UNTIL(world_is_synced(&world));
    KD_AUTO_FREE char *text = store_look(&world.store, "Pod a/p", false);
    const char *expected =
        "labels {\"a\":\"b\"} annotations {\"note\":\"y\"} data {\"own\":true}\n";
    assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
    world_release(&world);
}

static int32_t list_by_node(void *self, struct kd_ctx *ctx, const struct kd_object *object,
                            struct kd_relations *out)
{
    const struct kd_key *keys = NULL;
    uint64_t n = 0;
    (void)self;
    (void)object;
    assert_int_equal(ctx->ops->list(ctx, "no such index", KD_STR("n1"), &keys, &n), KD_ENOENT);
    assert_int_equal(ctx->ops->list(ctx, "spec.nodeName", KD_STR("n1"), &keys, &n), 0);
    for (uint64_t i = 0; i < n; i++) {
        struct kd_ref peer = kd_ref_named("", "v1", "Pod", keys[i].ns, keys[i].name);
        assert_int_equal(kd_relations_link(out, "Peer", peer), 0);
    }
    assert_true(ctx->ops->now(ctx) > 0);
    kd_ctx_log(ctx, KD_LOG_DEBUG, "listed");
    return 0;
}

static void test_context_reads_the_cache(void **state)
{
    static const struct kd_index indexes[] = { { "spec.nodeName", "/spec/nodeName" } };
    struct world world;
    (void)state;
    world_init(&world, "Pod");
    world.kind.def.relate = list_by_node;
    world.kind.def.indexes = indexes;
    world.kind.def.n_indexes = 1;
    world_start(&world);
    world_list(&world, LIST("1", "", POD("a", "p", "1", ",\"spec\":{\"nodeName\":\"n1\"}")));
    WAIT_UNTIL(world_is_synced(&world));
    KD_AUTO_FREE char *text = store_look(&world.store, "Pod a/p", false);
    assert_non_null(strstr(text, "Peer: Pod.v1./a/p#u-p -> Pod.v1./a/p#\n"));
    world_release(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put),
        cmocka_unit_test(test_B32_keys),
        cmocka_unit_test(test_B33_add_during_work),
        cmocka_unit_test(test_error_is_retried),
        cmocka_unit_test(test_terminal_error),
        cmocka_unit_test(test_store_refuses),
        cmocka_unit_test(test_own_reconcile_and_requeue),
        cmocka_unit_test(test_several_keys_that_come_again),
        cmocka_unit_test(test_convert),
        cmocka_unit_test(test_context_reads_the_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
