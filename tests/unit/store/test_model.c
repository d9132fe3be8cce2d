/* Random puts and removes against a simple model: resources, relations, counts and the feed. */
#include "model.h"

#include "base/rand.h"

#define SEEDS 200
#define STEPS 60

struct run {
    struct fixture *f;
    struct kd_rand rand;
    struct model model;
    struct model_put last[N_NODES][N_INSTANCES];
    /* What the feed makes of it. */
    uint64_t seq;
    bool fed_there[N_NODES];
    int fed_uid[N_NODES];
    int fed_relation[2][N_NODES][N_NODES][2]; /* 0: none, else ready + 2 */
};

static int below(struct run *run, int n)
{
    return (int)kd_rand_below(&run->rand, (uint64_t)n);
}

static struct kd_ref node_ref(int node, int uid)
{
    int kind = node / N_NAMES;
    return ref_of(model_groups[kind], model_kinds[kind], kind == 1 ? "" : "ns",
                  model_names[node % N_NAMES], model_uids[uid]);
}

static int node_of(const struct kd_ref *ref)
{
    for (int node = 0; node < N_NODES; node++) {
        struct kd_ref other = node_ref(node, 0);
        if (kd_str_eq(ref->kind, other.kind) && kd_str_eq(ref->group, other.group) &&
            kd_str_eq(ref->ns, other.ns) && kd_str_eq(ref->name, other.name)) {
            return node;
        }
    }
    fail_msg("an unknown node");
    return -1;
}

static int uid_of(struct kd_str uid)
{
    return uid.len ? uid.ptr[1] - '0' : 0;
}

static void random_put(struct run *run, struct model_put *put)
{
    *put = (struct model_put){ .node = below(run, N_NODES),
                               .instance = below(run, 2) ? 0 : below(run, N_INSTANCES),
                               .uid = below(run, 6) == 0 ? 0 : 1 + below(run, 8) / 7,
                               .version = below(run, 4),
                               .created = below(run, 3),
                               .n = (size_t)below(run, N_RELATIONS + 1) };
    for (size_t i = 0; i < put->n; i++) {
        struct said_relation *rel = &put->relations[i];
        *rel = (struct said_relation){ .type = below(run, 2),
                                       .subject = below(run, N_NODES),
                                       .object = below(run, N_NODES),
                                       .attr = below(run, 2),
                                       .ready = below(run, 3) - 1,
                                       .subject_uid = below(run, 3),
                                       .object_uid = below(run, 3) };
        if (below(run, 2)) {
            rel->subject = put->node;
        }
        rel->subject_uid = rel->subject == put->node ? put->uid : rel->subject_uid;
        rel->object_uid = rel->object == put->node ? put->uid : rel->object_uid;
        if (i > 0 && below(run, 8) == 0) {
            *rel = put->relations[i - 1]; /* the same twice */
        }
    }
}

static void store_put(struct run *run, const struct model_put *put)
{
    struct kd_relation relations[N_RELATIONS];
    struct kd_attr attrs[N_RELATIONS][2];
    char version[2] = { (char)('0' + put->version), 0 };
    struct kd_put out = put_of(node_ref(put->node, put->uid), version);
    out.owner = put->instance == 0;
    out.instance = kd_cstr(model_instances[put->instance]);
    out.created_ns = put->created;
    out.relations = relations;
    out.n_relations = put->n;
    for (size_t i = 0; i < put->n; i++) {
        const struct said_relation *rel = &put->relations[i];
        attrs[i][0] = KD_ATTR_NUM("a", rel->attr);
        attrs[i][1] = KD_ATTR_FLAG("ready", rel->ready);
        relations[i] = (struct kd_relation){ .type = kd_cstr(model_types[rel->type]),
                                             .subject = node_ref(rel->subject, rel->subject_uid),
                                             .object = node_ref(rel->object, rel->object_uid),
                                             .attrs = attrs[i],
                                             .n_attrs = rel->ready < 0 ? 1 : 2 };
    }
    assert_int_equal(kd_store_put(run->f->store, &out), 0);
}

static void step(struct run *run)
{
    if (below(run, 4) == 0) {
        int node = below(run, N_NODES);
        int uid = below(run, 3) ? 0 : below(run, 3);
        struct kd_ref ref = node_ref(node, uid);
        model_remove(&run->model, node, uid);
        assert_int_equal(kd_store_remove(run->f->store, &ref), 0);
        return;
    }
    struct model_put put;
    random_put(run, &put);
    model_put(&run->model, &put);
    run->last[put.node][put.instance] = put;
    store_put(run, &put);
}

static int see_resource(void *arg, const struct kd_stored *stored)
{
    struct run *run = arg;
    int node = node_of(&stored->ref);
    const struct model *m = &run->model;
    assert_true(m->resources[node].there);
    assert_int_equal(uid_of(stored->ref.uid), m->resources[node].uid);
    assert_int_equal(stored->version_text.ptr[0] - '0', m->resources[node].version);
    assert_int_equal(stored->created_ns, m->resources[node].created);
    return 0;
}

static void check_resources(struct run *run)
{
    uint64_t total = 0;
    for (int node = 0; node < N_NODES; node++) {
        total += run->model.resources[node].there;
    }
    for (int kind = 0; kind < N_KINDS; kind++) {
        total -= kd_store_count(run->f->store, model_groups[kind], model_kinds[kind]);
    }
    assert_int_equal(total, 0);
    assert_int_equal(
        kd_store_each(run->f->store, &(struct kd_match){ 0 }, NULL, true, see_resource, run), 0);
}

static void read_attrs(struct kd_str attrs, int *ret_attr, int *ret_ready)
{
    KD_AUTO_FREE char *text = kd_str_dup(attrs);
    *ret_attr = strstr(text, "\"a\":1") != NULL;
    *ret_ready = strstr(text, "\"ready\":true") ? 1 : strstr(text, "\"ready\":false") ? 0 : -1;
}

struct seen {
    struct run *run;
    int n;
};

static int see_relation(void *arg, const struct kd_stored_relation *relation)
{
    struct seen *seen = arg;
    int attr = 0;
    int ready = 0;
    int model_ready = 0;
    bool resolved = false;
    int type = !kd_str_is(relation->type, model_types[0]);
    read_attrs(relation->attrs, &attr, &ready);
    assert_true(model_relation(&seen->run->model, type, node_of(&relation->subject),
                               node_of(&relation->object), attr, &model_ready, &resolved) > 0);
    assert_int_equal(ready, model_ready);
    assert_int_equal(relation->resolved, resolved);
    seen->n++;
    return 0;
}

static int model_count(const struct run *run)
{
    int n = 0;
    int ready = 0;
    bool resolved = false;
    for (int i = 0; i < 4 * N_NODES * N_NODES; i++) {
        int pair = i / 4;
        n += model_relation(&run->model, i % 4 / 2, pair / N_NODES, pair % N_NODES, i % 2, &ready,
                            &resolved) > 0;
    }
    return n;
}

static int feed_change(void *arg, const struct kd_change *change)
{
    struct run *run = arg;
    assert_int_equal(change->seq, run->seq + 1);
    run->seq = change->seq;
    if (change->type == KD_CHANGE_PUT || change->type == KD_CHANGE_DELETE) {
        int node = node_of(&change->ref);
        assert_true(change->type == KD_CHANGE_PUT || run->fed_there[node]);
        run->fed_there[node] = change->type == KD_CHANGE_PUT;
        run->fed_uid[node] = uid_of(change->ref.uid);
        return 0;
    }
    const struct kd_stored_relation *relation = &change->relation;
    int attr = 0;
    int ready = 0;
    read_attrs(relation->attrs, &attr, &ready);
    int *fed = &run->fed_relation[!kd_str_is(relation->type, model_types[0])]
                                 [node_of(&relation->subject)][node_of(&relation->object)][attr];
    assert_true(change->type == KD_CHANGE_RELATE || *fed != 0);
    assert_true(change->type == KD_CHANGE_UNRELATE || *fed != ready + 2);
    *fed = change->type == KD_CHANGE_RELATE ? ready + 2 : 0;
    return 0;
}

static void check_feed(struct run *run)
{
    const struct model *m = &run->model;
    int n = 0;
    assert_int_equal(kd_store_changes(run->f->store, run->seq, SIZE_MAX, feed_change, run), 0);
    assert_int_equal(run->seq, kd_store_seq(run->f->store));
    for (int node = 0; node < N_NODES; node++) {
        assert_int_equal(run->fed_there[node], m->resources[node].there);
        assert_true(!run->fed_there[node] || run->fed_uid[node] == m->resources[node].uid);
    }
    for (int i = 0; i < 4 * N_NODES * N_NODES; i++) {
        int pair = i / 4;
        int ready = 0;
        bool resolved = false;
        int fed = run->fed_relation[i % 4 / 2][pair / N_NODES][pair % N_NODES][i % 2];
        int there =
            model_relation(m, i % 4 / 2, pair / N_NODES, pair % N_NODES, i % 2, &ready, &resolved);
        assert_int_equal(fed, there ? ready + 2 : 0);
        n += there > 0;
    }
    assert_int_equal(n, model_count(run));
}

static void check(struct run *run)
{
    struct seen seen = { .run = run };
    assert_int_equal(kd_store_flush(run->f->store), 0);
    check_resources(run);
    assert_int_equal(
        kd_store_each_relation(run->f->store, NULL, NULL, NULL, 0, see_relation, &seen), 0);
    assert_int_equal(seen.n, model_count(run));
    check_feed(run);
}

/* What everyone said last, said again: nothing is written. */
static void check_repetition(struct run *run)
{
    uint64_t seq = kd_store_seq(run->f->store);
    for (int i = 0; i < N_NODES * N_INSTANCES; i++) {
        if (run->model.said[i / N_INSTANCES][i % N_INSTANCES].there) {
            store_put(run, &run->last[i / N_INSTANCES][i % N_INSTANCES]);
        }
    }
    check(run);
    assert_int_equal(kd_store_seq(run->f->store), seq);
}

/* With everything removed nothing is left but what the feed names. */
static void check_empty(struct run *run)
{
    for (int node = 0; node < N_NODES; node++) {
        struct kd_ref ref = node_ref(node, 0);
        model_remove(&run->model, node, 0);
        assert_int_equal(kd_store_remove(run->f->store, &ref), 0);
    }
    check(run);
    assert_int_equal(number_of(run->f, "SELECT (SELECT count(*) FROM rel) + (SELECT count(*) FROM "
                                       "origin) + (SELECT count(*) FROM said) + (SELECT count(*) "
                                       "FROM resource) + (SELECT count(*) FROM node WHERE id NOT "
                                       "IN (SELECT node FROM gone))"),
                     0);
    run->f->feed_keep = 0;
    fixture_reopen(run->f);
    struct model_put put = { .node = 0, .uid = 1, .instance = 0 };
    store_put(run, &put);
    assert_int_equal(kd_store_flush(run->f->store), 0);
    assert_int_equal(number_of(run->f, "SELECT count(*) FROM node"), 1);
}

static void run_seed(struct fixture *f, uint64_t seed)
{
    struct run *run = kd_zalloc(sizeof(*run));
    run->f = f;
    kd_rand_init(&run->rand, seed);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < STEPS; i++) {
        step(run);
        if (below(run, 8) == 0) {
            check(run);
        }
        if (below(run, 40) == 0) {
            fixture_reopen(f);
            check(run);
        }
    }
    check(run);
    check_repetition(run);
    check_empty(run);
    kd_free(run);
}

static void equals_the_model(void **state)
{
    const char *only = getenv("KD_SEED");
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        void *f = NULL;
        uint64_t this_seed = only ? strtoull(only, NULL, 10) : seed;
        (void)fixture_setup(&f);
        run_seed(f, this_seed);
        (void)fixture_teardown(&f);
        if (only) {
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(equals_the_model) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
