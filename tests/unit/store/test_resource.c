/* Resources: put, get, walk, count, remove, and what their texts go through (B62, B63). */
#include "fixture.h"

static struct kd_stored get(struct fixture *f, struct kd_arena *arena, const char *kind,
                            const char *ns, const char *name, int expected)
{
    struct kd_str ns_str = kd_cstr(ns);
    struct kd_str name_str = kd_cstr(name);
    struct kd_match match = { .kind = kind, .ns = &ns_str, .name = &name_str };
    struct kd_stored stored = { 0 };
    assert_int_equal(kd_store_get(f->store, &match, arena, &stored), expected);
    return stored;
}

static void assert_str(struct kd_str str, const char *expected)
{
    KD_AUTO_FREE char *text = kd_str_dup(str);
    assert_string_equal(text, expected);
}

static void put_and_get(void **state)
{
    struct fixture *f = *state;
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, KD_MIB);
    struct kd_put put = put_of(ref_of("apps", "Deployment", "default", "web", "u1"), "7");
    put_now(f, &put);
    struct kd_stored stored = get(f, &arena, "Deployment", "default", "web", 0);
    assert_str(stored.ref.group, "apps");
    assert_str(stored.ref.version, "v1");
    assert_str(stored.ref.uid, "u1");
    assert_str(stored.version_text, "7");
    assert_str(stored.labels, "{\"app\":\"x\"}");
    assert_str(stored.data, "{\"kind\":\"x\"}");
    assert_int_equal(stored.created_ns, 1000);
    assert_true(stored.updated_ns > 0);
    assert_int_equal(kd_store_count(f->store, "apps", "Deployment"), 1);
    assert_int_equal(kd_store_count(f->store, "", "Deployment"), 0);
    (void)get(f, &arena, "Deployment", "default", "other", KD_ENOENT);
    (void)get(f, &arena, "Unknown", "default", "web", KD_ENOENT);
}

static void update_keeps_created(void **state)
{
    struct fixture *f = *state;
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, KD_MIB);
    struct kd_put put = put_of(ref_of("", "Pod", "a", "p", "u1"), "1");
    put_now(f, &put);
    put.version_text = KD_STR("2");
    put.created_ns = 0;
    put_now(f, &put);
    struct kd_stored stored = get(f, &arena, "Pod", "a", "p", 0);
    assert_str(stored.version_text, "2");
    assert_int_equal(stored.created_ns, 1000);
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 1);
}

static void add_fails_when_there(void **state)
{
    struct fixture *f = *state;
    struct kd_put put = put_of(ref_of("", "Pod", "a", "p", "u1"), "1");
    assert_int_equal(kd_store_add(f->store, &put), 0);
    assert_int_equal(kd_store_add(f->store, &put), KD_EEXIST);
    remove_now(f, put.ref);
    assert_int_equal(kd_store_add(f->store, &put), 0);
    put.ref.name = KD_STR("");
    assert_int_equal(kd_store_add(f->store, &put), KD_EINVAL);
}

static void same_put_writes_nothing(void **state)
{
    struct fixture *f = *state;
    struct kd_relation relation = { .type = KD_STR("Uses"),
                                    .subject = ref_of("", "Pod", "a", "p", "u1"),
                                    .object = ref_of("", "Node", "", "n", "") };
    struct kd_put put = put_of(relation.subject, "1");
    put.relations = &relation;
    put.n_relations = 1;
    put_now(f, &put);
    uint64_t seq = kd_store_seq(f->store);
    assert_int_equal(seq, 2); /* the resource and its relation */
    put_now(f, &put);
    assert_int_equal(kd_store_seq(f->store), seq);
    fixture_reopen(f);
    put_now(f, &put); /* known from the file */
    assert_int_equal(kd_store_seq(f->store), seq);
}

static void stale_remove_spares_a_newer_object(void **state)
{
    struct fixture *f = *state;
    struct kd_put put = put_of(ref_of("", "Pod", "a", "p", "u2"), "1");
    put_now(f, &put);
    remove_now(f, ref_of("", "Pod", "a", "p", "u1"));
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 1);
    remove_now(f, ref_of("", "Pod", "a", "p", ""));
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 0);
    remove_now(f, ref_of("", "Pod", "a", "p", ""));
    remove_now(f, ref_of("", "Unknown", "a", "p", ""));
}

static int add_name(void *arg, const struct kd_stored *stored)
{
    return kd_buf_printf(arg, "%.*s.%.*s/%.*s/%.*s ", KD_STR_ARG(stored->ref.kind),
                         KD_STR_ARG(stored->ref.group), KD_STR_ARG(stored->ref.ns),
                         KD_STR_ARG(stored->ref.name));
}

static void assert_walk(struct fixture *f, const struct kd_match *match, const struct kd_ref *after,
                        const char *expected)
{
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    assert_int_equal(kd_buf_puts(&out, ""), 0);
    assert_int_equal(kd_store_each(f->store, match, after, false, add_name, &out), 0);
    assert_string_equal(out.ptr ? out.ptr : "", expected);
}

static void walks_in_key_order(void **state)
{
    struct fixture *f = *state;
    static const char *const keys[][4] = {
        { "apps", "Set", "b", "x" }, { "apps", "Set", "a", "z" }, { "batch", "Set", "a", "y" },
        { "apps", "Set", "a", "x" }, { "", "Node", "", "n" },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(keys); i++) {
        struct kd_put put = put_of(ref_of(keys[i][0], keys[i][1], keys[i][2], keys[i][3], ""), "1");
        assert_int_equal(kd_store_put(f->store, &put), 0);
    }
    assert_int_equal(kd_store_flush(f->store), 0);
    struct kd_str a = KD_STR("a");
    struct kd_str x = KD_STR("x");
    struct kd_match match = { .kind = "Set" };
    assert_walk(f, &match, NULL, "Set.apps/a/x Set.apps/a/z Set.apps/b/x Set.batch/a/y ");
    struct kd_ref after = ref_of("apps", "Set", "a", "x", "");
    assert_walk(f, &match, &after, "Set.apps/a/z Set.apps/b/x Set.batch/a/y ");
    match.name = &x;
    assert_walk(f, &match, NULL, "Set.apps/a/x Set.apps/b/x ");
    match.ns = &a;
    assert_walk(f, &match, NULL, "Set.apps/a/x ");
    assert_walk(f, &match, &after, "");
    match.name = NULL;
    assert_walk(f, &match, &after, "Set.apps/a/z Set.batch/a/y ");
    match.group = "batch";
    assert_walk(f, &match, NULL, "Set.batch/a/y ");
    after = ref_of("batch", "Set", "b", "", "");
    assert_walk(f, &match, &after, "");
    assert_walk(f, &(struct kd_match){ 0 }, NULL,
                "Node./"
                "/n Set.apps/a/x Set.apps/a/z Set.apps/b/x Set.batch/a/y ");
}

static int stop_at_once(void *arg, const struct kd_stored *stored)
{
    (void)stored;
    ++*(int *)arg;
    return KD_ECANCELED;
}

static int add_key(void *arg, const struct kd_ref *ref, struct kd_str version_text)
{
    return kd_buf_printf(arg, "%.*s/%.*s#%.*s@%.*s ", KD_STR_ARG(ref->ns), KD_STR_ARG(ref->name),
                         KD_STR_ARG(ref->uid), KD_STR_ARG(version_text));
}

static void keys_and_early_ends(void **state)
{
    struct fixture *f = *state;
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    struct kd_put one = put_of(ref_of("", "Pod", "b", "p", "u1"), "1");
    struct kd_put two = put_of(ref_of("", "Pod", "a", "q", "u2"), "2");
    put_now(f, &one);
    put_now(f, &two);
    int calls = 0;
    struct kd_match match = { .group = "", .kind = "Pod" };
    assert_int_equal(kd_store_each(f->store, &match, NULL, true, stop_at_once, &calls),
                     KD_ECANCELED);
    assert_int_equal(calls, 1);
    assert_int_equal(kd_store_each_key(f->store, "", "Pod", add_key, &out), 0);
    assert_string_equal(out.ptr, "a/q#u2@2 b/p#u1@1 ");
    assert_int_equal(kd_store_each_key(f->store, "x", "Pod", add_key, &out), 0);
}

/* B62, B63: what comes out is what went in, byte for byte. */
static void keeps_digits_and_odd_strings(void **state)
{
    static const char json[] =
        "{\"n\":9007199254740993,\"m\":1000000,\"cpu\":2,\"memory\":\"128974848\","
        "\"k\":\"a\\u0000b\",\"emoji\":\"\\ud83d\\ude00\",\"bad\":\"\\ud800\",\"port\":\"http\"}";
    static const char labels[] = "{\"raw\":\"a\0b\"}";
    struct fixture *f = *state;
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, KD_MIB);
    struct kd_record *record = record_of("a", "p", "u1", KD_STR(json), NULL);
    struct kd_put put = put_of(ref_of("", "Pod", "a", "p", "u1"), "1");
    put.record = record;
    put.data = KD_STR("");
    put.labels = KD_STR(labels);
    put.annotations = KD_STR(json);
    put_now(f, &put);
    kd_record_unref(record);
    struct kd_str odd = KD_STR("p\0q");
    put.ref.name = odd;
    put.record = NULL;
    put_now(f, &put);
    fixture_reopen(f);
    struct kd_stored stored = get(f, &arena, "Pod", "a", "p", 0);
    assert_str(stored.data, json);
    assert_str(stored.annotations, json);
    assert_int_equal(stored.labels.len, sizeof(labels) - 1);
    assert_memory_equal(stored.labels.ptr, labels, sizeof(labels));
    struct kd_match match = { .kind = "Pod", .ns = &(struct kd_str)KD_STR_INIT("a"), .name = &odd };
    assert_int_equal(kd_store_get(f->store, &match, &arena, &stored), 0);
    assert_true(kd_str_eq(stored.ref.name, odd));
    assert_str(stored.data, "");
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 2);
}

static void lives_in_memory(void **state)
{
    struct fixture *f = *state;
    struct kd_error err = { 0 };
    kd_store_close(f->store);
    assert_int_equal(setenv("TMPDIR", f->folder, 1), 0);
    assert_int_equal(open_at(":memory:", 100, f->metrics, &f->store, &err), 0);
    DIR *folder = opendir(f->folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        assert_null(strstr(entry->d_name, "kindred-graph")); /* nothing can be left behind */
    }
    closedir(folder);
    struct kd_put put = put_of(ref_of("", "Pod", "a", "p", "u1"), "1");
    put_now(f, &put);
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, KD_MIB);
    assert_str(get(f, &arena, "Pod", "a", "p", 0).ref.uid, "u1");
    assert_int_equal(unsetenv("TMPDIR"), 0);
}

static void counts_what_it_does(void **state)
{
    static const char *const lines[] = {
        ("antimetal_controller_resources_processed_total{group=\"apps\",version=\"v1\","
         "kind=\"Set\",action=\"created\"} 1\n"),
        "kind=\"Set\",action=\"updated\"} 1\n",
        "kind=\"Set\",action=\"unchanged\"} 1\n",
        "kind=\"Set\",action=\"deleted\"} 1\n",
        "kindred_store_batches_total 4\n",
        "kindred_store_batch_seconds_count 4\n",
        "kindred_store_rows_total{table=\"resource\"} 3\n",
        "kindred_store_rows_total{table=\"feed\"} 3\n",
        "kindred_store_queue 0\n",
    };
    struct fixture *f = *state;
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    struct kd_put put = put_of(ref_of("apps", "Set", "a", "s", "u1"), "1");
    put_now(f, &put);
    put_now(f, &put);
    put.version_text = KD_STR("2");
    put_now(f, &put);
    remove_now(f, put.ref);
    kd_store_close(f->store); /* the writer has set its last gauge */
    f->store = NULL;
    assert_int_equal(kd_metrics_write(f->metrics, KD_METRICS_TEXT, &out), 0);
    for (size_t i = 0; i < KD_ARRAY_LEN(lines); i++) {
        if (!strstr(out.ptr, lines[i])) {
            fail_msg("%s is not in\n%s", lines[i], out.ptr);
        }
    }
}

#define STORE_TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(put_and_get),
        STORE_TEST(update_keeps_created),
        STORE_TEST(add_fails_when_there),
        STORE_TEST(same_put_writes_nothing),
        STORE_TEST(stale_remove_spares_a_newer_object),
        STORE_TEST(walks_in_key_order),
        STORE_TEST(keys_and_early_ends),
        STORE_TEST(keeps_digits_and_odd_strings),
        STORE_TEST(lives_in_memory),
        STORE_TEST(counts_what_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
