/*
 * Speed of core/server's search: three steps from a node with 100 pods, in a graph of 100,000 pods
 * with their ReplicaSets and Deployments; and a shortest path.
 *
 *     cmake -DKINDRED_BENCH=ON ... --target bench_server && build/bench_server
 */
#include "graph.h"

#include "server/traverse.h"

#define PODS 100000
#define DEPTH 3
#define SEARCHES 1000

static void put_owners(struct kd_store *store)
{
    for (unsigned i = 0; i < PODS; i += 10) {
        struct pod pod;
        name_pod(&pod, i);
        struct kd_ref set = ref("apps", "ReplicaSet", "team", pod.set, pod.set_uid);
        struct kd_ref deployment = ref("apps", "Deployment", "team", pod.set, pod.uid);
        const struct kd_relation owned = { KD_STR("OwnerReference"), deployment, set, NULL, 0 };
        struct kd_put put = { .ref = set,
                              .instance = KD_STR("set"),
                              .owner = true,
                              .record = record,
                              .version_text = KD_STR("1"),
                              .labels = KD_STR("{}"),
                              .annotations = KD_STR("{}"),
                              .relations = &owned,
                              .n_relations = 1 };
        must(kd_store_put(store, &put));
        put.ref = deployment;
        put.n_relations = 0;
        must(kd_store_put(store, &put));
    }
}

static void put_nodes(struct kd_store *store)
{
    for (unsigned i = 0; i < NODES; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "node-%u", i);
        const struct kd_put put = { .ref = ref("", "Node", "", name, name),
                                    .instance = KD_STR("node"),
                                    .owner = true,
                                    .record = record,
                                    .version_text = KD_STR("1"),
                                    .labels = KD_STR("{}"),
                                    .annotations = KD_STR("{}") };
        must(kd_store_put(store, &put));
    }
}

/* Gives the number of nodes found. */
static size_t search(struct kd_store *store, unsigned node)
{
    char text[32];
    struct kd_arena arena;
    struct kd_traverse traverse;
    uint64_t seq = 0;
    struct kd_str none = KD_STR("");
    (void)snprintf(text, sizeof(text), "node-%u", node);
    struct kd_str name = kd_cstr(text);
    const struct kd_match match = { "", "Node", &none, &name };
    kd_arena_init(&arena, KD_GIB);
    kd_traverse_init(&traverse, store, &arena);
    traverse.directions = KD_FOLLOW_IN;
    must(kd_store_view_begin(store, &seq));
    must(kd_traverse_root(&traverse, &match));
    for (uint64_t depth = 0; depth < DEPTH; depth++) {
        must(kd_traverse_level(&traverse, depth));
    }
    must(kd_traverse_identify(&traverse));
    kd_store_view_end(store);
    size_t n = traverse.nodes.n;
    kd_traverse_release(&traverse);
    kd_arena_release(&arena);
    return n;
}

int main(int argc, char **argv)
{
    static int64_t took[SEARCHES];
    char path[4096];
    size_t found = 0;
    (void)snprintf(path, sizeof(path), "%s", argc > 1 ? argv[1] : ":memory:");
    make_record();
    struct kd_store *store = open_store(path);
    for (unsigned i = 0; i < PODS; i++) {
        put_pod(store, i, 0);
    }
    put_owners(store);
    put_nodes(store);
    must(kd_store_flush(store));
    for (unsigned i = 0; i < SEARCHES; i++) {
        int64_t started_ns = kd_now_ns(&kd_system_clock);
        found += search(store, i % NODES);
        took[i] = kd_now_ns(&kd_system_clock) - started_ns;
    }
    printf("%zu nodes found in a search of depth %d\n", found / SEARCHES, DEPTH);
    print_times("depth 3", took, SEARCHES);
    kd_store_close(store);
    kd_record_unref(record);
    return 0;
}
