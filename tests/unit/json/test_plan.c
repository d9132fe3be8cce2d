/* Plans that read, against the model: what a path finds and which paths make a plan. */
#include "plan_model.h"

static void run_finds_what_the_model_finds(void **state)
{
    struct round r;
    struct kd_value slots[MAX_PATHS];
    unsigned found = 0;
    (void)state;
    round_init(&r);
    for (int i = 0; i < 20000; i++) {
        round_begin(&r, false, i % 2);
        kd_json_plan_run(r.plan, r.root, slots);
        for (size_t k = 0; k < r.n; k++) {
            const struct tree *expected = model_find(r.tree, &r.paths[k]);
            struct kd_value direct = { 0 };
            if (expected ? !tree_matches(expected, slots[k]) : slots[k].type != KD_JSON_NONE) {
                round_fail(&r, "run differs");
            }
            assert_int_equal(kd_json_at(r.root, r.texts[k], &direct), expected != NULL);
            assert_ptr_equal(direct.ptr, slots[k].ptr);
            found += expected != NULL;
        }
    }
    assert_true(found > 1000);
    round_release(&r);
}

struct seen {
    struct round *r;
    size_t n;
    size_t paths[4096];
    const char *places[4096];
};

static void note(void *arg, size_t path, struct kd_value value)
{
    struct seen *seen = arg;
    assert_true(seen->n < KD_ARRAY_LEN(seen->paths));
    seen->paths[seen->n] = path;
    seen->places[seen->n++] = value.ptr;
}

/* Checks the calls against the tree, in text order; returns how many there must have been. */
static size_t check_each(const struct seen *seen, size_t done, const struct tree *tree,
                         struct kd_value value, struct front front)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value child;
    uint64_t index = 0;
    kd_json_iter_init(&iter, value);
    for (const struct tree *c = tree->first; c; c = c->next, index++) {
        struct front next = step(&front, tree, c, index);
        int path = ending(&next);
        assert_true(kd_json_iter_next(&iter, &key, &child));
        if (path < 0) {
            done = check_each(seen, done, c, child, next);
        } else if (done >= seen->n || seen->paths[done] != (size_t)path ||
                   seen->places[done] != child.ptr) {
            round_fail(seen->r, "each differs");
        } else {
            done++;
        }
    }
    return done;
}

static void each_reports_every_match_once(void **state)
{
    struct round r;
    static struct seen seen;
    size_t total = 0;
    (void)state;
    round_init(&r);
    for (int i = 0; i < 20000; i++) {
        round_begin(&r, true, i % 2);
        seen.n = 0;
        seen.r = &r;
        kd_json_plan_each(r.plan, r.root, note, &seen);
        assert_int_equal(check_each(&seen, 0, r.tree, r.root, r.front), seen.n);
        total += seen.n;
    }
    assert_true(total > 10000);
    round_release(&r);
}

static void refuses_bad_paths(void **state)
{
    static const char *const bad[] = { "", "a", "spec/x", "/a~", "/a~2b", "/a/*/b" };
    struct kd_json_plan *plan = NULL;
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        const char *paths[] = { "/fine", bad[i] };
        struct kd_error err = { 0 };
        char quoted[32];
        assert_int_equal(kd_json_plan_new(paths, 2, false, &plan, &err), KD_EINVAL);
        (void)snprintf(quoted, sizeof(quoted), "\"%s\"", bad[i]);
        assert_non_null(strstr(err.text, quoted));
        assert_null(plan);
    }
}

static void bounds_a_plan(void **state)
{
    KD_AUTO_BUF struct kd_buf deep;
    struct kd_json_plan *plan = NULL;
    char *wide[KD_MAX_PLAN_NODES + 1];
    const char *path;
    (void)state;
    kd_buf_init(&deep, KD_MIB);
    for (int i = 0; i < KD_MAX_PLAN_DEPTH; i++) {
        assert_int_equal(kd_buf_puts(&deep, "/d"), 0);
    }
    path = deep.ptr;
    assert_int_equal(kd_json_plan_new(&path, 1, false, &plan, NULL), 0);
    kd_json_plan_free(plan);
    assert_int_equal(kd_buf_puts(&deep, "/d"), 0);
    path = deep.ptr;
    assert_int_equal(kd_json_plan_new(&path, 1, false, &plan, NULL), KD_ETOOBIG);
    for (size_t i = 0; i < KD_ARRAY_LEN(wide); i++) {
        wide[i] = kd_asprintf("/w%zu", i);
    }
    const char *const *paths = (const char *const *)wide;
    assert_int_equal(kd_json_plan_new(paths, KD_MAX_PLAN_NODES - 1, false, &plan, NULL), 0);
    kd_json_plan_free(plan);
    assert_int_equal(kd_json_plan_new(paths, KD_MAX_PLAN_NODES, false, &plan, NULL), KD_ETOOBIG);
    assert_int_equal(kd_json_plan_new(paths, KD_MAX_PLAN_NODES + 1, false, &plan, NULL),
                     KD_ETOOBIG);
    for (size_t i = 0; i < KD_ARRAY_LEN(wide); i++) {
        kd_free(wide[i]);
    }
}

static void the_same_path_twice_fills_both_slots(void **state)
{
    static const char *const paths[] = { "/a", "/b", "/a", "/a/c", "/a" };
    struct kd_value slots[5];
    struct kd_json_plan *plan = NULL;
    struct kd_value root;
    (void)state;
    assert_int_equal(kd_json_plan_new(paths, 5, false, &plan, NULL), 0);
    assert_int_equal(kd_json_parse(KD_STR("{\"a\":{\"c\":[]}}"), &root, NULL), 0);
    kd_json_plan_run(plan, root, slots);
    assert_int_equal(slots[0].type, KD_JSON_OBJECT);
    assert_ptr_equal(slots[2].ptr, slots[0].ptr);
    assert_ptr_equal(slots[4].ptr, slots[0].ptr);
    assert_int_equal(slots[1].type, KD_JSON_NONE);
    assert_int_equal(slots[3].type, KD_JSON_ARRAY);
    kd_json_plan_free(plan);
}

static void a_plan_of_nothing_finds_nothing(void **state)
{
    struct kd_json_plan *plan = NULL;
    struct kd_value root;
    (void)state;
    assert_int_equal(kd_json_plan_new(NULL, 0, false, &plan, NULL), 0);
    assert_int_equal(kd_json_parse(KD_STR("{\"a\":1}"), &root, NULL), 0);
    kd_json_plan_run(plan, root, NULL);
    kd_json_plan_run(plan, (struct kd_value){ 0 }, NULL);
    assert_int_equal(kd_json_plan_size(plan), 0);
    kd_json_plan_free(plan);
    kd_json_plan_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_finds_what_the_model_finds),
        cmocka_unit_test(each_reports_every_match_once),
        cmocka_unit_test(refuses_bad_paths),
        cmocka_unit_test(bounds_a_plan),
        cmocka_unit_test(the_same_path_twice_fills_both_slots),
        cmocka_unit_test(a_plan_of_nothing_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
