/* The set of relations of one run. */
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "controller/relation_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct kd_arena arena;
    struct kd_relation_set set;
    struct kd_relations out;
};

static int set_up(void **state)
{
    static struct bench bench;
    struct kd_ref self = kd_ref_named("", "v1", "Service", KD_STR("a"), KD_STR("s"));
    bench = (struct bench){ 0 };
    kd_arena_init(&bench.arena, KD_MAX_SCRATCH);
    kd_relation_set_begin(&bench.set, &bench.arena);
    kd_relations_bind(&bench.out, &bench.set, &self);
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    kd_relation_set_end(&bench->set);
    kd_relation_set_release(&bench->set);
    kd_arena_release(&bench->arena);
    return 0;
}

static struct kd_ref pod(const char *name)
{
    return kd_ref_named("", "v1", "Pod", KD_STR("a"), kd_cstr(name));
}

static void test_once(void **state)
{
    struct bench *bench = *state;
    struct kd_ref other = pod("p");
    other.uid = KD_STR("u");
    other.version = KD_STR("v2");
    assert_int_equal(kd_relations_link(&bench->out, "T", pod("p")), 0);
    assert_int_equal(kd_relations_link(&bench->out, "T", pod("p")), 0);
    assert_int_equal(kd_relations_link(&bench->out, "T", other), 0); /* the same node */
    assert_int_equal(bench->set.n, 1);
    assert_int_equal(kd_relations_link(&bench->out, "U", pod("p")), 0);
    assert_int_equal(kd_relations_link(&bench->out, "T", pod("q")), 0);
    other.group = KD_STR("g");
    assert_int_equal(kd_relations_link(&bench->out, "T", other), 0);
    assert_int_equal(bench->set.n, 4);
}

static void test_attributes(void **state)
{
    struct bench *bench = *state;
    struct kd_str ip = KD_STR("10.0.0.1");
    assert_int_equal(kd_relations_add(&bench->out, "T", pod("p"), KD_ATTR("ip", ip),
                                      KD_ATTR_NUM("port", 80), KD_ATTR_FLAG("ready", 0)),
                     0);
    assert_int_equal(kd_relations_add(&bench->out, "T", pod("p"), KD_ATTR_FLAG("ready", 1),
                                      KD_ATTR_NUM("port", 80), KD_ATTR("ip", ip)),
                     0);
    assert_int_equal(kd_relations_add(&bench->out, "T", pod("p"), KD_ATTR_FLAG("ready", 0),
                                      KD_ATTR_NUM("port", 80), KD_ATTR("ip", ip)),
                     0);
    assert_int_equal(bench->set.n, 1);
    const struct kd_relation *relation = &bench->set.items[0];
    assert_int_equal(relation->n_attrs, 3);
    assert_true(kd_str_is(relation->attrs[2].key, "ready"));
    assert_int_equal(relation->attrs[2].number, 1); /* any of them said so */
    assert_int_equal(kd_relations_add(&bench->out, "T", pod("p"), KD_ATTR("ip", ip),
                                      KD_ATTR_NUM("port", 81), KD_ATTR_FLAG("ready", 0)),
                     0);
    assert_int_equal(kd_relations_add(&bench->out, "T", pod("p"), KD_ATTR("ip", ip)), 0);
    assert_int_equal(bench->set.n, 3);
}

static void test_text_is_copied(void **state)
{
    struct bench *bench = *state;
    char name[] = "name";
    char value[] = "value";
    struct kd_str text = { value, 5 };
    assert_int_equal(kd_relations_add(&bench->out, "T", pod(name), KD_ATTR("k", text)), 0);
    memset(name, 'x', 4);
    memset(value, 'x', 5);
    assert_true(kd_str_is(bench->set.items[0].object.name, "name"));
    assert_true(kd_str_is(bench->set.items[0].attrs[0].text, "value"));
    assert_true(kd_str_is(bench->set.items[0].subject.kind, "Service"));
}

static void test_bad_input(void **state)
{
    struct bench *bench = *state;
    struct kd_attr attrs[KD_MAX_RELATION_ATTRS + 1];
    struct kd_str none = { NULL, 0 };
    struct kd_ref object = pod("p");
    struct kd_attr odd = { .key = KD_STR("k"), .type = 9 };
    assert_int_equal(kd_relations_link(&bench->out, "", pod("p")), KD_EINVAL);
    assert_int_equal(kd_relations_link(&bench->out, "T", pod("")), KD_EINVAL);
    assert_int_equal(kd_relations_add(&bench->out, "T", pod("p"), KD_ATTR("", none)), KD_EINVAL);
    assert_int_equal(kd_relations_add(&bench->out, "T", pod("p"), odd), KD_EINVAL);
    assert_int_equal(
        kd_relations_add(&bench->out, "T", pod("p"), KD_ATTR("k", none), KD_ATTR_NUM("k", 1)),
        KD_EINVAL);
    assert_int_equal(bench->out.ops->add(&bench->out, KD_STR("T"), NULL, &object, NULL, 0),
                     KD_EINVAL);
    assert_int_equal(bench->out.ops->add(&bench->out, KD_STR("T"), &object, &object, NULL, 3),
                     KD_EINVAL);
    assert_int_equal(bench->set.n, 0);
    assert_int_equal(bench->set.rc, 0); /* the plugin's slip; the set is whole */
    memset(attrs, 0, sizeof(attrs));
    assert_int_equal(bench->out.ops->add(&bench->out, KD_STR("T"), &object, &object, attrs,
                                         KD_MAX_RELATION_ATTRS + 1),
                     KD_ETOOBIG);
    assert_int_equal(bench->set.rc, KD_ETOOBIG);
}

static void test_bound(void **state)
{
    struct bench *bench = *state;
    char name[32];
    for (int i = 0; i < KD_MAX_RELATIONS; i++) {
        (void)snprintf(name, sizeof(name), "p%d", i);
        assert_int_equal(kd_relations_link(&bench->out, "T", pod(name)), 0);
    }
    assert_int_equal(kd_relations_link(&bench->out, "T", pod("p0")), 0);
    assert_int_equal(kd_relations_link(&bench->out, "T", pod("one more")), KD_ETOOBIG);
    assert_int_equal(bench->set.rc, KD_ETOOBIG);
    assert_int_equal(bench->set.n, KD_MAX_RELATIONS);
    kd_relation_set_end(&bench->set);
    assert_int_equal(bench->set.cap, 0); /* a rare giant does not keep its memory */
}

static void test_no_scratch_left(void **state)
{
    struct bench *bench = *state;
    struct kd_arena small;
    kd_arena_init(&small, 64);
    kd_relation_set_begin(&bench->set, &small);
    assert_int_equal(kd_relations_link(&bench->out,
                                       "a longer name of a type, past the bound of "
                                       "the arena",
                                       pod("p")),
                     KD_ENOMEM);
    assert_int_equal(bench->set.rc, KD_ENOMEM);
    assert_int_equal(bench->set.n, 0);
    kd_arena_release(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_attributes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_text_is_copied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_input, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_scratch_left, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
