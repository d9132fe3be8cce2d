/* The custom plugin: kinds, labels and relations from settings alone. */
#include "related.h"

#define CUSTOM PLUGINS "/custom.so"

static struct kd_test *open_with(const char *key, const char *value, int32_t want)
{
    struct kd_error error = { 0 };
    struct kd_test *test = kd_test_open(CUSTOM, &error);
    assert_non_null(test);
    kd_test_set(test, "group", "example.org");
    kd_test_set(test, "version", "v1");
    kd_test_set(test, "kind", "Widget");
    kd_test_set(test, "resource", "widgets");
    kd_test_set(test, key, value);
    int32_t rc = kd_test_start(test, &error);
    if ((rc < 0) != (want < 0)) {
        fail_msg("%s = %s: %s", key, value, error.text);
    }
    return test;
}

static void apply(struct kd_test *test, const char *spec)
{
    struct kd_error error = { 0 };
    char *json = kd_asprintf("{\"metadata\":{\"name\":\"w\",\"namespace\":\"shop\",\"labels\":"
                             "{\"own\":\"1\"}},\"spec\":%s}",
                             spec);
    assert_int_equal(kd_test_apply(test, json, &error), 0);
    assert_int_equal(kd_test_run(test), 1);
    assert_int_equal(kd_test_result(test), 0);
    kd_free(json);
}

static void assert_related(const char *rule, const char *spec, const char *want)
{
    struct kd_test *test = open_with("relations", rule, 0);
    apply(test, spec);
    assert_string_equal(kd_test_relations(test, "Widget", "shop", "w"), want);
    kd_test_close(test);
}

#define FROM " Widget.example.org:v1/shop/w -> "

static void test_rules(void **state)
{
    (void)state;
    assert_related("/spec/a -> Secret:v1 Uses", "{\"a\":\"s\"}", "Uses" FROM "Secret/shop/s\n");
    assert_related("/spec/a -> Secret:v1 Uses", "{\"a\":7}", "");
    assert_related("/spec/a -> Secret:v1 Uses", "{}", "");
    assert_related("/spec/a -> Class.x.org:v2 Of cluster", "{\"a\":{\"name\":\"c\"}}",
                   "Of" FROM "Class.x.org:v2//c\n");
    assert_related("/spec/a -> Secret:v1 Uses namespace=ns",
                   "{\"a\":{\"name\":\"c\",\"ns\":\"o\"}}", "Uses" FROM "Secret/o/c\n");
    assert_related("/spec/a -> * To",
                   "{\"a\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
                   "\"name\":\"d\"}}",
                   "To" FROM "Deployment.apps:v1/shop/d\n");
    assert_related("/spec/l/*/m/*/n -> Secret:v1 Uses",
                   "{\"l\":[{\"m\":[{\"n\":\"a\"},{\"n\":\"b\"}]},{\"m\":{}},3,{\"m\":{\"k\":"
                   "{\"n\":\"c\"}}}]}",
                   "Uses" FROM "Secret/shop/a\nUses" FROM "Secret/shop/b\nUses" FROM
                   "Secret/shop/c\n");
    assert_related("/spec/l/* -> Secret:v1 Uses", "{\"l\":[\"a\",null,\"a\"]}",
                   "Uses" FROM "Secret/shop/a\n");
}

static void test_labels(void **state)
{
    struct kd_test *test = open_with("labels", "size = /spec/size", 0);
    (void)state;
    apply(test, "{\"size\":3}");
    assert_non_null(strstr(kd_test_resource(test, "Widget", "shop", "w"),
                           "\"labels\":{\"own\":\"1\",\"size\":\"3\"}"));
    kd_test_close(test);
    test = open_with("labels", "own = /spec/size", 0); /* the object's own label stays */
    apply(test, "{\"size\":\"x\"}");
    assert_non_null(
        strstr(kd_test_resource(test, "Widget", "shop", "w"), "\"labels\":{\"own\":\"1\"}"));
    kd_test_close(test);
}

static void test_bad_rules(void **state)
{
    static const char *const rules[] = {
        "x",
        "/spec/a Secret Uses",
        "/spec/a -> Secret",
        "spec -> Secret Uses",
        "/ -> Secret Uses",
        "/*/a -> Secret Uses",
        "/spec/a* -> Secret Uses",
        "/spec//a -> Secret Uses",
        "/spec/a -> . Uses more",
        "/spec/a -> Secret Uses namespace=",
        "/spec/a -> Sec$ret Uses",
        "/spec/a -> Secret U/s",
        "/spec/a -> Secret Uses cluster too",
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rules); i++) {
        kd_test_close(open_with("relations", rules[i], -1));
    }
    kd_test_close(open_with("labels", "size /spec/size", -1));
    kd_test_close(open_with("labels", "si ze = /spec/size", -1));
    kd_test_close(open_with("labels", "size = /spec/*/size", -1));
    kd_test_close(open_with("kind", "", -1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_bad_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
