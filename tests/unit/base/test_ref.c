/* References: their JSON, order, equality and hash. */
#include "check.h"

#include "base/ref.h"
#include "base/str.h"

static struct kd_ref ref(const char *kind, const char *group, const char *ns, const char *name)
{
    return (struct kd_ref){ .kind = kd_str_from(kind), .group = kd_str_from(group),
                            .ns = kd_str_from(ns), .name = kd_str_from(name) };
}

static void is_written(void **state)
{
    struct kd_ref one = ref("Deployment", "apps", "shop", "we\"b");
    KD_AUTO_BUF struct kd_buf out;
    (void)state;
    one.version = KD_STR("v1");
    kd_buf_init(&out, 1024);
    kd_ref_put_json(&out, &one);
    assert_true(kd_str_is(kd_buf_str(&out),
                          "{\"group\":\"apps\",\"version\":\"v1\",\"kind\":\"Deployment\","
                          "\"namespace\":\"shop\",\"name\":\"we\\\"b\",\"uid\":\"\"}"));
}

/* In their order; each differs from its neighbour in one part. */
static void is_ordered(void **state)
{
    const struct kd_ref rows[] = { ref("A", "", "", "x"),   ref("B", "", "", "x"),
                                   ref("B", "g", "", "x"),  ref("B", "g", "n", "x"),
                                   ref("B", "g", "n", "y") };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        for (size_t j = 0; j < KD_ARRAY_LEN(rows); j++) {
            int order = kd_ref_cmp(&rows[i], &rows[j]);
            assert_true(i == j ? order == 0 : i < j ? order < 0 : order > 0);
            assert_int_equal(kd_ref_same(&rows[i], &rows[j]), i == j);
            assert_int_equal(kd_ref_hash(&rows[i]) == kd_ref_hash(&rows[j]), i == j);
        }
    }
}

/* Version and uid belong to a mention, not to what is mentioned. */
static void is_the_same_by_another_mention(void **state)
{
    struct kd_ref one = ref("Pod", "", "shop", "web");
    struct kd_ref other = one;
    (void)state;
    other.version = KD_STR("v1");
    other.uid = KD_STR("u");
    assert_true(kd_ref_same(&one, &other));
    assert_int_equal(kd_ref_cmp(&one, &other), 0);
    assert_true(kd_ref_hash(&one) == kd_ref_hash(&other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_written),
        cmocka_unit_test(is_ordered),
        cmocka_unit_test(is_the_same_by_another_mention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
