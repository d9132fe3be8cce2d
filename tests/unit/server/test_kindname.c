/* Kinds and references as people write them. */
#include "server/kindname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/limits.h"
#include "base/str.h"
#include "source.h"

struct asking {
    struct kd_context context;
    struct kd_arena arena;
};

static int setup(void **state)
{
    static struct asking asking;
    asking = (struct asking){ .context = { .source = source_all } };
    kd_arena_init(&asking.arena, KD_MIB);
    *state = &asking;
    return 0;
}

static int teardown(void **state)
{
    struct asking *asking = *state;
    kd_arena_release(&asking->arena);
    return 0;
}

static void test_each_name_of_a_kind(void **state)
{
    static const struct {
        const char *text, *group, *kind;
    } rows[] = {
        { "Pod", "", "Pod" },
        { "pod", "", "Pod" },
        { "pods", "", "Pod" },
        { "po", "", "Pod" },
        { "ReplicaSet", "apps", "ReplicaSet" },
        { "replicaset", "apps", "ReplicaSet" },
        { "replicasets", "apps", "ReplicaSet" },
        { "rs", "apps", "ReplicaSet" },
        { "rs.apps", "apps", "ReplicaSet" },
        { "ReplicaSet.apps", "apps", "ReplicaSet" },
        { "Event", "", "Event" },
        { "ev", "", "Event" },
        { "Event.events.k8s.io", "events.k8s.io", "Event" },
        { "events.events.k8s.io", "events.k8s.io", "Event" },
        { "Event.", "", "Event" },
        { "PODS", "", "Pod" },
        { "pods.v1", "", "Pod" },
        { "replicasets.v1.apps", "apps", "ReplicaSet" },
    };
    struct asking *asking = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_kind_name found = { 0 };
        assert_int_equal(
            kd_kind_find(&asking->context, kd_str_from(rows[i].text), &asking->arena, &found), 0);
        assert_string_equal(found.group, rows[i].group);
        assert_string_equal(found.kind, rows[i].kind);
    }
}

static void test_unknown_kinds(void **state)
{
    static const char *const names[] = {
        "",      "Po",   "PO", "pods.apps", "Node",       "podss",       "rs.apps.v1",
        ".apps", "pod/", "P",  "pods.v2",   "rs.v2.apps", "pods.v1.apps"
    };
    struct asking *asking = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(names); i++) {
        struct kd_kind_name found = { 0 };
        assert_int_equal(
            kd_kind_find(&asking->context, kd_str_from(names[i]), &asking->arena, &found),
            KD_ENOENT);
        assert_null(found.kind);
    }
}

static void test_references(void **state)
{
    static const struct {
        const char *text, *group, *kind, *ns, *name;
    } rows[] = {
        { "Pod/shop/web", "", "Pod", "shop", "web" },
        { "po/shop/web", "", "Pod", "shop", "web" },
        { "rs.apps/shop/web", "apps", "ReplicaSet", "shop", "web" },
        { "Node//n1", NULL, "Node", "", "n1" }, /* no plugin runs it: as it is written */
        { "Widget.example.org/a/b", "example.org", "Widget", "a", "b" },
        { "Widget./a/b", "", "Widget", "a", "b" },
    };
    struct asking *asking = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_match match = { 0 };
        assert_int_equal(kd_reference_parse(&asking->context, kd_str_from(rows[i].text),
                                            &asking->arena, &match, NULL),
                         0);
        if (rows[i].group) {
            assert_string_equal(match.group, rows[i].group);
        } else {
            assert_null(match.group);
        }
        assert_string_equal(match.kind, rows[i].kind);
        assert_true(kd_str_is(*match.ns, rows[i].ns));
        assert_non_null(match.ns->ptr);
        assert_true(kd_str_is(*match.name, rows[i].name));
    }
}

static void test_bad_references(void **state)
{
    static const char *const texts[] = { "",      "Pod",    "Pod/web",   "/a/b",    "//",
                                         "Pod//", "Pod/a/", "Pod/a/b/c", "Pod/a/b/" };
    struct asking *asking = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(texts); i++) {
        struct kd_match match = { 0 };
        struct kd_error error = { 0 };
        assert_int_equal(kd_reference_parse(&asking->context, kd_str_from(texts[i]), &asking->arena,
                                            &match, &error),
                         KD_EINVAL);
        assert_non_null(strstr(error.text, "Kind/namespace/name"));
        assert_null(match.kind);
    }
}

#define ASKING_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ASKING_TEST(test_each_name_of_a_kind),
        ASKING_TEST(test_unknown_kinds),
        ASKING_TEST(test_references),
        ASKING_TEST(test_bad_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
