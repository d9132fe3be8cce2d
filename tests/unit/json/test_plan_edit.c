/* Plans that write, against the model: what strip leaves and what keep keeps. */
#include "plan_model.h"

static void strip_leaves_the_rest(void **state)
{
    struct round r;
    (void)state;
    round_init(&r);
    for (int i = 0; i < 20000; i++) {
        round_begin(&r, i % 3, i % 2);
        assert_int_equal(kd_json_plan_strip(r.plan, r.root, &r.out), 0);
        const struct tree *expected = model_strip(&r.maker, r.tree, r.front);
        if (!tree_matches(expected, must_parse(&r.out))) {
            round_fail(&r, "strip differs");
        }
    }
    round_release(&r);
}

static void keep_keeps_what_matches(void **state)
{
    struct round r;
    (void)state;
    round_init(&r);
    for (int i = 0; i < 20000; i++) {
        round_begin(&r, i % 3, false);
        assert_int_equal(kd_json_plan_keep(r.plan, r.root, &r.out), 0);
        const struct tree *expected = model_keep(&r.maker, r.tree, r.front);
        struct kd_value kept = must_parse(&r.out);
        if (expected ? !tree_matches(expected, kept)
                     : !kd_str_eq(kd_buf_str(&r.out),
                                  kd_str_from(r.root.type == KD_JSON_OBJECT  ? "{}"
                                              : r.root.type == KD_JSON_ARRAY ? "[]"
                                                                             : "null"))) {
            round_fail(&r, "keep differs");
        }
    }
    round_release(&r);
}

static bool same_text(struct kd_value a, struct kd_value b)
{
    return a.type == b.type && a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* What was kept reads as the whole document did, twins and array indexes included. */
static void a_kept_document_reads_the_same(void **state)
{
    struct round r;
    struct kd_value whole[MAX_PATHS];
    struct kd_value kept[MAX_PATHS];
    (void)state;
    round_init(&r);
    for (int i = 0; i < 20000; i++) {
        round_begin(&r, false, i % 2);
        assert_int_equal(kd_json_plan_keep(r.plan, r.root, &r.out), 0);
        kd_json_plan_run(r.plan, r.root, whole);
        kd_json_plan_run(r.plan, must_parse(&r.out), kept);
        for (size_t k = 0; k < r.n; k++) {
            if (!same_text(whole[k], kept[k])) {
                round_fail(&r, "what was kept reads differently");
            }
        }
    }
    round_release(&r);
}

static void edit(const char *path, const char *text, bool strip, const char *expected)
{
    KD_AUTO_BUF struct kd_buf out;
    struct kd_json_plan *plan = NULL;
    struct kd_value root;
    kd_buf_init(&out, KD_MIB);
    assert_int_equal(kd_json_plan_new(&path, 1, true, &plan, NULL), 0);
    assert_int_equal(kd_json_parse(kd_str_from(text), &root, NULL), 0);
    assert_int_equal(
        strip ? kd_json_plan_strip(plan, root, &out) : kd_json_plan_keep(plan, root, &out), 0);
    assert_string_equal(out.ptr, expected);
    kd_json_plan_free(plan);
}

static void edits_by_example(void **state)
{
    (void)state;
    edit("/a", "{\"a\":1}", true, "{}");
    edit("/*", "{\"a\":1,\"b\":2}", true, "{}");
    edit("/a", "{\"a\":1 , \"b\":2}", true, "{\"b\":2}");
    edit("/b", "{\"a\":1 , \"b\":2 }", true, "{\"a\":1 }");
    edit("/b", "{\"a\":1,\"b\":2,\"c\":3}", true, "{\"a\":1,\"c\":3}");
    edit("/metadata/managedFields", "{\"metadata\":{\"managedFields\":[{}],\"name\":\"x\"}}", true,
         "{\"metadata\":{\"name\":\"x\"}}");
    edit("/*/1", "[[1,2,3],[4],{\"1\":5}]", true, "[[1,3],[4],{}]");
    edit("/a/*/n", "{\"a\":[{\"x\":0},{\"n\":1,\"x\":0},2],\"b\":1}", false,
         "{\"a\":[null,{\"n\":1}]}");
    edit("/a", "{\"b\":1}", false, "{}");
    edit("/0", "[7,8]", false, "[7]");
    edit("/a", "12", true, "12");
    edit("/a", "12", false, "null");
    edit("/a/b", "{\"a\":{\"b\":1},\"a\":{}}", false, "{\"a\":{\"b\":1},\"a\":null}");
}

static void a_full_buffer_is_left_as_it_was(void **state)
{
    static const char *const paths[] = { "/a" };
    KD_AUTO_BUF struct kd_buf out;
    struct kd_json_plan *plan = NULL;
    struct kd_value root;
    (void)state;
    kd_buf_init(&out, 12);
    assert_int_equal(kd_json_plan_new(paths, 1, false, &plan, NULL), 0);
    assert_int_equal(kd_json_parse(KD_STR("{\"b\":[],\"a\":\"123456789\"}"), &root, NULL), 0);
    assert_int_equal(kd_buf_puts(&out, "before"), 0);
    assert_int_equal(kd_json_plan_keep(plan, root, &out), KD_ETOOBIG);
    assert_string_equal(out.ptr, "before");
    assert_int_equal(kd_json_plan_strip(plan, root, &out), KD_ETOOBIG);
    assert_string_equal(out.ptr, "before");
    kd_json_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strip_leaves_the_rest),
        cmocka_unit_test(keep_keeps_what_matches),
        cmocka_unit_test(a_kept_document_reads_the_same),
        cmocka_unit_test(edits_by_example),
        cmocka_unit_test(a_full_buffer_is_left_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
