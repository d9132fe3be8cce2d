/* Relations: replaced by difference (B59), shared by origins (B61), resolved when read. */
#include "fixture.h"

static void relate(struct fixture *f, struct kd_put *put, const struct kd_relation *relations,
                   size_t n)
{
    put->relations = relations;
    put->n_relations = n;
    put_now(f, put);
}

static struct kd_relation owned_by(const char *owner, const char *uid, struct kd_ref self)
{
    return (struct kd_relation){ .type = KD_STR("OwnerReference"),
                                 .subject = ref_of("apps", "ReplicaSet", "a", owner, uid),
                                 .object = self };
}

/* B59: from owner r1 to r2, then the same again. */
static void replaces_by_difference(void **state)
{
    struct fixture *f = *state;
    struct kd_ref pod = ref_of("", "Pod", "a", "p", "u1");
    struct kd_put put = put_of(pod, "1");
    struct kd_relation both[] = {
        owned_by("r1", "o1", pod),
        { .type = KD_STR("Uses"), .subject = pod, .object = ref_of("", "Node", "", "n", "") }
    };
    relate(f, &put, both, 2);
    assert_relations(f, "OwnerReference {} ReplicaSet.apps/a/r1#o1 -> Pod./a/p#u1 unresolved\n"
                        "Uses {} Pod./a/p#u1 -> Node./"
                        "/n# unresolved\n");
    both[0] = owned_by("r2", "o2", pod);
    put.version_text = KD_STR("2");
    relate(f, &put, both, 2);
    const char *after = "Uses {} Pod./a/p#u1 -> Node./"
                        "/n# unresolved\n"
                        "OwnerReference {} ReplicaSet.apps/a/r2#o2 -> Pod./a/p#u1 unresolved\n";
    assert_relations(f, after);
    uint64_t seq = kd_store_seq(f->store);
    assert_int_equal(seq, 3 + 3); /* r1 taken back, r2 said, the pod put */
    relate(f, &put, both, 2);
    assert_relations(f, after);
    assert_int_equal(kd_store_seq(f->store), seq);
}

static void shows_what_is_resolved(void **state)
{
    struct fixture *f = *state;
    struct kd_ref pod = ref_of("", "Pod", "a", "p", "u1");
    struct kd_put put = put_of(pod, "1");
    struct kd_relation owned = owned_by("r1", "o1", pod);
    relate(f, &put, &owned, 1);
    struct kd_put owner = put_of(ref_of("apps", "ReplicaSet", "a", "r1", "o2"), "1");
    put_now(f, &owner);
    /* The pod means another object of that name. */
    assert_relations(f, "OwnerReference {} ReplicaSet.apps/a/r1#o1 -> Pod./a/p#u1 unresolved\n");
    owner.ref.uid = KD_STR("o1");
    put_now(f, &owner);
    assert_relations(f, "OwnerReference {} ReplicaSet.apps/a/r1#o1 -> Pod./a/p#u1 resolved\n");
    remove_now(f, owner.ref);
    assert_relations(f, "OwnerReference {} ReplicaSet.apps/a/r1#o1 -> Pod./a/p#u1 unresolved\n");
    remove_now(f, pod);
    assert_relations(f, "");
}

static void new_uid_is_a_new_object(void **state)
{
    struct fixture *f = *state;
    struct kd_ref pod = ref_of("", "Pod", "a", "p", "u1");
    struct kd_put put = put_of(pod, "1");
    struct kd_relation owned = owned_by("r1", "o1", pod);
    relate(f, &put, &owned, 1);
    struct kd_put observer = { .ref = pod, .instance = KD_STR("other") };
    struct kd_relation seen = { .type = KD_STR("Seen"), .subject = pod, .object = pod };
    relate(f, &observer, &seen, 1);
    uint64_t seq = kd_store_seq(f->store);
    put.ref.uid = KD_STR("u2");
    relate(f, &put, NULL, 0);
    assert_relations(f, ""); /* the observer's went too */
    assert_int_equal(kd_store_seq(f->store), seq + 4);
    assert_int_equal(kd_store_count(f->store, "", "Pod"), 1);
}

/* Whichever of owner and observer meets the new object first, nothing of it is lost. */
static void observer_may_come_first(void **state)
{
    struct fixture *f = *state;
    struct kd_put put = put_of(ref_of("", "Pod", "a", "p", "u1"), "1");
    put_now(f, &put);
    struct kd_ref next = ref_of("", "Pod", "a", "p", "u2");
    struct kd_put observer = { .ref = next, .instance = KD_STR("other") };
    struct kd_relation seen = { .type = KD_STR("Seen"), .subject = next, .object = next };
    relate(f, &observer, &seen, 1);
    assert_relations(f, "Seen {} Pod./a/p#u2 -> Pod./a/p#u2 unresolved\n");
    put.ref = next;
    put_now(f, &put);
    assert_relations(f, "Seen {} Pod./a/p#u2 -> Pod./a/p#u2 resolved\n");
}

static void say_endpoint(struct fixture *f, const char *slice, int ready, bool there)
{
    struct kd_attr attrs[] = { KD_ATTR_FLAG("ready", ready), KD_ATTR("ip", KD_STR("10.0.0.1")),
                               KD_ATTR_NUM("port", 80) };
    struct kd_relation relation = { .type = KD_STR("ServiceEndpoint"),
                                    .subject = ref_of("", "Service", "a", "s", ""),
                                    .object = ref_of("", "Pod", "a", "p", "u1"),
                                    .attrs = attrs,
                                    .n_attrs = 3 };
    struct kd_put put = put_of(ref_of("discovery.k8s.io", "EndpointSlice", "a", slice, slice), "1");
    relate(f, &put, &relation, there);
}

#define ENDPOINT(ready)                                                                            \
    "ServiceEndpoint {\"ip\":\"10.0.0.1\",\"port\":80,\"ready\":" ready                            \
    "} Service./a/s# -> Pod./a/p#u1 unresolved\n"

/* B61: one relation of three slices; ready when any says so; gone with the last. */
static void slices_share_an_endpoint(void **state)
{
    struct fixture *f = *state;
    say_endpoint(f, "s1", 0, true);
    assert_relations(f, ENDPOINT("false"));
    say_endpoint(f, "s2", 1, true);
    assert_relations(f, ENDPOINT("true"));
    uint64_t seq = kd_store_seq(f->store);
    say_endpoint(f, "s3", 1, true);
    assert_int_equal(kd_store_seq(f->store), seq + 1); /* the slice; the relation is as it was */
    remove_now(f, ref_of("discovery.k8s.io", "EndpointSlice", "a", "s1", ""));
    assert_relations(f, ENDPOINT("true"));
    say_endpoint(f, "s2", 0, true);
    assert_relations(f, ENDPOINT("true"));
    remove_now(f, ref_of("discovery.k8s.io", "EndpointSlice", "a", "s3", ""));
    assert_relations(f, ENDPOINT("false"));
    say_endpoint(f, "s2", 0, false);
    assert_relations(f, "");
}

static void doubles_in_one_put_are_one(void **state)
{
    struct fixture *f = *state;
    struct kd_attr no = KD_ATTR_FLAG("ready", 0);
    struct kd_attr yes = KD_ATTR_FLAG("ready", 1);
    struct kd_ref pod = ref_of("", "Pod", "a", "p", "u1");
    struct kd_relation twice[] = {
        { KD_STR("Uses"), pod, ref_of("", "Node", "", "n", ""), &no, 1 },
        { KD_STR("Uses"), pod, ref_of("", "Node", "", "n", ""), &yes, 1 },
    };
    struct kd_put put = put_of(pod, "1");
    relate(f, &put, twice, 2);
    assert_relations(f, "Uses {\"ready\":true} Pod./a/p#u1 -> Node./"
                        "/n# unresolved\n");
    assert_int_equal(kd_store_seq(f->store), 2);
    remove_now(f, pod);
    assert_relations(f, "");
}

/* The order of attributes means nothing, their texts do, quotes and NUL bytes included. */
static void attributes_are_identity(void **state)
{
    struct fixture *f = *state;
    struct kd_attr ab[] = { KD_ATTR("a", KD_STR("x\"\0y")), KD_ATTR_NUM("b", -5) };
    struct kd_attr ba[] = { ab[1], ab[0] };
    struct kd_attr other[] = { KD_ATTR("a", KD_STR("x\"")), KD_ATTR_NUM("b", -5) };
    struct kd_ref pod = ref_of("", "Pod", "a", "p", "");
    struct kd_ref node = ref_of("", "Node", "", "n", "");
    struct kd_relation three[] = { { KD_STR("Uses"), pod, node, ab, 2 },
                                   { KD_STR("Uses"), pod, node, ba, 2 },
                                   { KD_STR("Uses"), pod, node, other, 2 } };
    struct kd_put put = put_of(pod, "1");
    relate(f, &put, three, 3);
    assert_relations(f, "Uses {\"a\":\"x\\\"\\u0000y\",\"b\":-5} Pod./a/p# -> Node./"
                        "/n# unresolved\n"
                        "Uses {\"a\":\"x\\\"\",\"b\":-5} Pod./a/p# -> Node./"
                        "/n# unresolved\n");
}

static size_t lines(struct fixture *f, const struct kd_match *subject,
                    const struct kd_match *object, const char *type)
{
    size_t n = 0;
    KD_AUTO_FREE char *text = relations_text(f, subject, object, type);
    for (const char *at = text; (at = strchr(at, '\n')); at++) {
        n++;
    }
    return n;
}

static void any_end_may_be_open(void **state)
{
    struct fixture *f = *state;
    struct kd_ref pod = ref_of("", "Pod", "a", "p", "u1");
    struct kd_relation relations[] = {
        owned_by("r1", "o1", pod),
        owned_by("r2", "o2", pod),
        { .type = KD_STR("Uses"), .subject = pod, .object = ref_of("", "Node", "", "n", "") },
    };
    struct kd_put put = put_of(pod, "1");
    relate(f, &put, relations, 3);
    struct kd_str a = KD_STR("a");
    struct kd_str p = KD_STR("p");
    struct kd_str r2 = KD_STR("r2");
    struct kd_match this_pod = { .kind = "Pod", .ns = &a, .name = &p };
    struct kd_match sets = { .group = "apps", .kind = "ReplicaSet" };
    struct kd_match second = { .kind = "ReplicaSet", .ns = &a, .name = &r2 };
    struct kd_match wrong = { .group = "batch", .kind = "ReplicaSet" };
    struct kd_match named = { .kind = "ReplicaSet", .name = &r2 };
    assert_int_equal(lines(f, NULL, NULL, NULL), 3);
    assert_int_equal(lines(f, NULL, NULL, "OwnerReference"), 2);
    assert_int_equal(lines(f, NULL, NULL, "Unknown"), 0);
    assert_int_equal(lines(f, &this_pod, NULL, NULL), 1);
    assert_int_equal(lines(f, NULL, &this_pod, NULL), 2);
    assert_int_equal(lines(f, NULL, &this_pod, "Uses"), 0);
    assert_int_equal(lines(f, &sets, &this_pod, "OwnerReference"), 2);
    assert_int_equal(lines(f, &second, &this_pod, NULL), 1);
    assert_int_equal(lines(f, &named, NULL, NULL), 1);
    assert_int_equal(lines(f, &wrong, NULL, NULL), 0);
    assert_int_equal(lines(f, &sets, NULL, NULL), 2);
    assert_int_equal(lines(f, &second, &sets, NULL), 0);
    assert_int_equal(lines(f, &this_pod, &(struct kd_match){ .kind = "Node" }, "Uses"), 1);
}

static int page(void *arg, const struct kd_stored_relation *relation)
{
    *(uint64_t *)arg = relation->id;
    return KD_ECANCELED;
}

static void pages_by_id(void **state)
{
    struct fixture *f = *state;
    struct kd_ref pod = ref_of("", "Pod", "a", "p", "u1");
    struct kd_relation relations[] = { owned_by("r1", "", pod), owned_by("r2", "", pod),
                                       owned_by("r3", "", pod) };
    struct kd_put put = put_of(pod, "1");
    relate(f, &put, relations, 3);
    uint64_t id = 0;
    uint64_t last = 0;
    int n = 0;
    while (kd_store_each_relation(f->store, NULL, &(struct kd_match){ .kind = "Pod" }, NULL, last,
                                  page, &id) == KD_ECANCELED) {
        assert_true(id > last);
        last = id;
        n++;
    }
    assert_int_equal(n, 3);
}

#define STORE_TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(replaces_by_difference),
        STORE_TEST(shows_what_is_resolved),
        STORE_TEST(new_uid_is_a_new_object),
        STORE_TEST(observer_may_come_first),
        STORE_TEST(slices_share_an_endpoint),
        STORE_TEST(doubles_in_one_put_are_one),
        STORE_TEST(attributes_are_identity),
        STORE_TEST(any_end_may_be_open),
        STORE_TEST(pages_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
