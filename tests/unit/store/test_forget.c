/* What one instance said is taken back, and what the others say stays. */
#include "fixture.h"

#include "store/state.h"

static struct kd_put said_by(const char *instance, bool owner, struct kd_ref ref,
                             const struct kd_relation *relation)
{
    struct kd_put put = owner ? put_of(ref, "1") : (struct kd_put){ .ref = ref };
    put.instance = kd_cstr(instance);
    put.owner = owner;
    put.relations = relation;
    put.n_relations = relation ? 1 : 0;
    return put;
}

static void forget_now(struct fixture *f, struct kd_ref ref, const char *instance)
{
    assert_int_equal(kd_store_forget(f->store, &ref, kd_cstr(instance)), 0);
    assert_int_equal(kd_store_flush(f->store), 0);
}

static void fill(struct fixture *f)
{
    struct kd_ref pod = ref_of("", "Pod", "a", "p", "u1");
    struct kd_ref node = ref_of("", "Node", "", "n", "u2");
    struct kd_relation bound = { .type = KD_STR("Bound"), .subject = pod, .object = node };
    struct kd_relation seen = { .type = KD_STR("Seen"), .subject = pod, .object = node };
    struct kd_put puts[] = { said_by("pod", true, pod, &bound), said_by("o", false, pod, &seen),
                             said_by("node", true, node, NULL) };
    for (size_t i = 0; i < KD_ARRAY_LEN(puts); i++) {
        put_now(f, &puts[i]);
    }
}

static void an_owner_takes_its_resource_along(void **state)
{
    struct fixture *f = *state;
    fill(f);
    forget_now(f, ref_of("", "Pod", "a", "p", ""), "pod");
    assert_relations(f, "Seen {} Pod./a/p#u1 -> Node.//n#u2 unresolved\n");
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 0);
    assert_int_equal(kd_store_count(f->store, "", "Node"), 1);
    forget_now(f, ref_of("", "Pod", "a", "p", ""), "pod"); /* again: nothing to do */
    forget_now(f, ref_of("", "Pod", "a", "never", ""), "pod");
    forget_now(f, ref_of("x", "Never", "a", "p", ""), "nobody");
    forget_now(f, ref_of("", "Pod", "a", "p", ""), "o");
    assert_relations(f, "");
    assert_int_equal(number_of(f, "SELECT count(*) FROM said"), 1);
}

static void an_observer_takes_its_relations_only(void **state)
{
    struct fixture *f = *state;
    fill(f);
    forget_now(f, ref_of("", "Pod", "a", "p", ""), "o");
    assert_relations(f, "Bound {} Pod./a/p#u1 -> Node.//n#u2 resolved\n");
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 1);
}

/* In one batch, in the order in which they were said. */
static void what_is_said_afterwards_stays(void **state)
{
    struct fixture *f = *state;
    struct kd_ref pod = ref_of("", "Pod", "a", "p", "u1");
    struct kd_put put = said_by("pod", true, pod, NULL);
    assert_int_equal(kd_store_put(f->store, &put), 0);
    assert_int_equal(kd_store_forget(f->store, &pod, KD_STR("pod")), 0);
    put_now(f, &put);
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 1);
    assert_int_equal(kd_store_put(f->store, &put), 0);
    forget_now(f, pod, "pod");
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 0);
}

static int add_said(void *arg, const struct kd_ref *ref, struct kd_str instance)
{
    return kd_buf_printf(arg, "%.*s/%.*s %.*s by %.*s\n", KD_STR_ARG(ref->kind),
                         KD_STR_ARG(ref->group), KD_STR_ARG(ref->name), KD_STR_ARG(instance));
}

static int add_key(void *arg, const struct kd_ref *ref, struct kd_str version_text)
{
    (void)version_text;
    return kd_buf_printf(arg, "%.*s\n", KD_STR_ARG(ref->name));
}

static int refuse(void *arg, const struct kd_ref *ref, struct kd_str instance)
{
    (void)arg;
    (void)ref;
    (void)instance;
    return KD_EAGAIN;
}

static void all_that_was_said_is_walked_in_pages(void **state)
{
    struct fixture *f = *state;
    struct kd_said_at at = { 0, 0 };
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    fill(f);
    assert_int_equal(kd_store_walk_said(f->store, &at, 2, refuse, NULL), KD_EAGAIN);
    assert_int_equal(kd_store_walk_said(f->store, &at, 2, add_said, &out), 2);
    assert_int_equal(kd_store_walk_said(f->store, &at, 2, add_said, &out), 1);
    assert_int_equal(kd_store_walk_said(f->store, &at, 2, add_said, &out), 0);
    assert_string_equal(out.ptr, "Pod/ p by pod\nPod/ p by o\nNode/ n by node\n");
    kd_buf_clear(&out, 0);
    assert_int_equal(kd_store_each_said(f->store, "", "Pod", "o", add_key, &out), 0);
    assert_int_equal(kd_store_each_said(f->store, "", "Node", "o", add_key, &out), 0);
    assert_int_equal(kd_store_each_said(f->store, "", "Never", "o", add_key, &out), 0);
    assert_int_equal(kd_store_each_said(f->store, "", "Pod", "never", add_key, &out), 0);
    assert_string_equal(out.ptr, "p\n");
}

/* With the file held by another program the queue only grows. */
static void a_full_queue_is_not_waited_for(void **state)
{
    struct fixture *f = *state;
    struct kd_ref pod = ref_of("", "Pod", "a", "p", "");
    sqlite3 *db = NULL;
    int rc = 0;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    for (int i = 0; rc == 0 && i <= KD_MAX_STORE_QUEUE; i++) {
        rc = kd_store_forget(f->store, &pod, KD_STR("pod"));
    }
    assert_int_equal(rc, KD_EAGAIN);
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(kd_store_flush(f->store), 0);
    forget_now(f, pod, "pod");
}

#define STORE_TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(an_owner_takes_its_resource_along),
        STORE_TEST(an_observer_takes_its_relations_only),
        STORE_TEST(what_is_said_afterwards_stays),
        STORE_TEST(all_that_was_said_is_walked_in_pages),
        STORE_TEST(a_full_queue_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
