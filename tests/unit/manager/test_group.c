/* Which instance kinds share an informer, and when one that runs serves what is wanted. */
#include "manager/group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* An instance of one kind, and the entry that it comes from. */
struct one {
    struct kd_kind_entry entry;
    struct kd_instance instance;
    struct kd_instance_kind kind;
};

static void init(struct one *one, const char *name, const char *kind, uint32_t scope)
{
    char *empty = (char *)(uintptr_t) "";
    *one = (struct one){ .entry = { .label_selector = empty, .field_selector = empty } };
    one->entry.tuning =
        (struct kd_kind_tuning){ .mode = (char *)(uintptr_t) "full", .list_page = 500 };
    one->kind.def = (struct kd_kind){
        .group = "", .version = "v1", .kind = kind, .resource = kind, .scope = scope
    };
    one->kind.instance = &one->instance;
    one->instance = (struct kd_instance){
        .name = name, .entry = &one->entry, .kinds = &one->kind, .n_kinds = 1
    };
}

static void observe(struct one *one)
{
    one->kind.def.flags = KD_KIND_OBSERVER;
}

static size_t n_groups(struct one *a, struct one *b)
{
    struct kd_instance *instances[] = { &a->instance, &b->instance };
    struct kd_groups groups;
    kd_groups_make(&groups, instances, 2);
    size_t n = groups.n;
    kd_groups_release(&groups);
    return n;
}

static void the_owner_stands_first(void **state)
{
    struct one owner, observer;
    struct kd_instance *instances[] = { &observer.instance, &owner.instance };
    struct kd_groups groups;
    (void)state;
    init(&observer, "o", "Pod", KD_SCOPE_NAMESPACED);
    init(&owner, "p", "Pod", KD_SCOPE_NAMESPACED);
    observe(&observer);
    kd_groups_make(&groups, instances, 2);
    assert_int_equal(groups.n, 1);
    assert_ptr_equal(groups.items[0].members[0], &owner.kind);
    assert_ptr_equal(groups.items[0].members[1], &observer.kind);
    kd_groups_release(&groups);
}

static void another_scope_is_another_group(void **state)
{
    struct one a, b;
    char *namespaces[] = { (char *)(uintptr_t) "x" };
    (void)state;
    init(&a, "a", "Pod", KD_SCOPE_NAMESPACED);
    init(&b, "b", "Pod", KD_SCOPE_NAMESPACED);
    observe(&b);
    assert_int_equal(n_groups(&a, &b), 1);
    b.entry.namespaces = (struct kd_strlist){ namespaces, 1 };
    assert_int_equal(n_groups(&a, &b), 2);
    a.kind.def.scope = KD_SCOPE_CLUSTER; /* namespaces are nothing to it */
    b.kind.def.scope = KD_SCOPE_CLUSTER;
    assert_int_equal(n_groups(&a, &b), 1);
    b.entry.label_selector = (char *)(uintptr_t) "a=b";
    assert_int_equal(n_groups(&a, &b), 2);
    init(&b, "b", "Pod", KD_SCOPE_NAMESPACED);
    b.entry.tuning.mode = (char *)(uintptr_t) "fields";
    assert_int_equal(n_groups(&a, &b), 2);
    init(&b, "b", "Node", KD_SCOPE_NAMESPACED);
    assert_int_equal(n_groups(&a, &b), 2);
}

static struct kd_informer_spec spec_of(struct one *one)
{
    struct kd_instance *instances[] = { &one->instance };
    struct kd_groups groups;
    struct kd_informer_spec spec;
    kd_groups_make(&groups, instances, 1);
    kd_group_spec(&groups.items[0], 1, &spec);
    kd_groups_release(&groups);
    return spec;
}

static void excluded_namespaces_are_not_asked_for(void **state)
{
    struct one a;
    struct one b;
    char *some[] = { (char *)(uintptr_t) "x", (char *)(uintptr_t) "y", (char *)(uintptr_t) "z" };
    char * not [] = { (char *)(uintptr_t) "y", (char *)(uintptr_t) "kube-system" };
    (void)state;
    init(&a, "a", "Pod", KD_SCOPE_NAMESPACED);
    a.entry.exclude_namespaces = (struct kd_strlist){ not, 2 };
    struct kd_informer_spec spec = spec_of(&a);
    assert_string_equal(spec.field_selector,
                        "metadata.namespace!=y,metadata.namespace!=kube-system");
    assert_int_equal(spec.namespaces.n, 0);
    kd_group_spec_release(&spec);

    a.entry.field_selector = (char *)(uintptr_t) "spec.nodeName=n";
    spec = spec_of(&a);
    assert_string_equal(spec.field_selector,
                        "spec.nodeName=n,metadata.namespace!=y,metadata.namespace!=kube-system");
    kd_group_spec_release(&spec);

    a.entry.namespaces = (struct kd_strlist){ some, 3 };
    spec = spec_of(&a);
    assert_string_equal(spec.field_selector, "spec.nodeName=n");
    assert_int_equal(spec.namespaces.n, 2);
    assert_string_equal(spec.namespaces.items[0], "x");
    assert_string_equal(spec.namespaces.items[1], "z");
    kd_group_spec_release(&spec);

    init(&b, "b", "Pod", KD_SCOPE_NAMESPACED); /* the same objects asked for in other words */
    b.entry.field_selector = a.entry.field_selector;
    char *rest[] = { some[0], some[2] };
    b.entry.namespaces = (struct kd_strlist){ rest, 2 };
    observe(&b);
    assert_int_equal(n_groups(&a, &b), 1);
    b.entry.namespaces = (struct kd_strlist){ some, 3 };
    assert_int_equal(n_groups(&a, &b), 2);

    a.kind.def.scope = KD_SCOPE_CLUSTER;
    spec = spec_of(&a);
    assert_string_equal(spec.field_selector, "spec.nodeName=n");
    assert_int_equal(spec.namespaces.n, 0);
    kd_group_spec_release(&spec);
}

static const char *const few_fields[] = { "/spec/a" };
static const char *const more_fields[] = { "/spec/b", "/spec/a" };
static const struct kd_index index_a[] = { { "a", "/spec/a" } };
static const struct kd_index other_a[] = { { "a", "/spec/b" } };

static const struct kd_informer_spec base = {
    .group = "",
    .version = "v1",
    .kind = "Pod",
    .resource = "pods",
    .namespaced = true,
    .label_selector = "",
    .field_selector = "",
    .mode = "full",
    .list_page = 500,
};

static void an_informer_serves_what_needs_no_more(void **state)
{
    struct kd_informer_spec more = base;
    (void)state;
    assert_true(kd_spec_serves(&base, &base));
    more.list_page = 100;
    assert_false(kd_spec_serves(&base, &more));
    more = base;
    more.namespaces = (struct kd_strlist){ (char *[]){ (char *)(uintptr_t) "x" }, 1 };
    assert_false(kd_spec_serves(&base, &more));
    more = base;
    more.indexes = index_a;
    more.n_indexes = 1;
    assert_true(kd_spec_serves(&more, &base));
    assert_false(kd_spec_serves(&base, &more));
    struct kd_informer_spec other = more;
    other.indexes = other_a;
    assert_false(kd_spec_serves(&more, &other));
}

/* In mode "full" every field is there; noise that others would hear must not be dropped. */
static void fields_and_noise(void **state)
{
    struct kd_informer_spec few = base;
    struct kd_informer_spec more = base;
    (void)state;
    few.fields = few_fields;
    few.n_fields = 1;
    more.fields = more_fields;
    more.n_fields = 2;
    assert_true(kd_spec_serves(&few, &more));
    few.mode = more.mode = "fields";
    assert_false(kd_spec_serves(&few, &more));
    assert_true(kd_spec_serves(&more, &few));
    struct kd_informer_spec quiet = base;
    quiet.noise = few_fields;
    quiet.n_noise = 1;
    assert_true(kd_spec_serves(&base, &quiet));
    assert_false(kd_spec_serves(&quiet, &base));
}

static void a_group_asks_for_the_union(void **state)
{
    struct one a, b;
    struct kd_instance *instances[] = { &a.instance, &b.instance };
    struct kd_groups groups;
    struct kd_informer_spec spec;
    (void)state;
    init(&a, "a", "Pod", KD_SCOPE_NAMESPACED);
    init(&b, "b", "Pod", KD_SCOPE_NAMESPACED);
    observe(&b);
    a.kind.def.fields = few_fields;
    a.kind.def.n_fields = 1;
    b.kind.def.fields = more_fields;
    b.kind.def.n_fields = 2;
    b.kind.def.indexes = index_a;
    b.kind.def.n_indexes = 1;
    b.entry.tuning.list_page = 7; /* the owner's counts */
    kd_groups_make(&groups, instances, 2);
    kd_group_spec(&groups.items[0], 1000, &spec);
    assert_int_equal(spec.n_fields, 2);
    assert_string_equal(spec.fields[0], "/spec/a");
    assert_int_equal(spec.n_indexes, 1);
    assert_int_equal(spec.list_page, 500);
    assert_int_equal(spec.max_object_bytes, 1000);
    kd_group_spec_release(&spec);
    kd_groups_release(&groups);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_owner_stands_first),
        cmocka_unit_test(another_scope_is_another_group),
        cmocka_unit_test(excluded_namespaces_are_not_asked_for),
        cmocka_unit_test(an_informer_serves_what_needs_no_more),
        cmocka_unit_test(fields_and_noise),
        cmocka_unit_test(a_group_asks_for_the_union),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
