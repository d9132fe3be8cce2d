/* The change feed: order, bounds, restarts, and snapshots that join it while others write. */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>

static int add_change(void *arg, const struct kd_change *change)
{
    static const char *const names[] = { "put", "delete", "relate", "unrelate" };
    struct kd_buf *out = arg;
    assert_int_equal(
        kd_buf_printf(out, "%llu %s ", (unsigned long long)change->seq, names[change->type]), 0);
    if (change->type == KD_CHANGE_RELATE || change->type == KD_CHANGE_UNRELATE) {
        put_line(out, &change->relation);
        return 0;
    }
    return kd_buf_printf(out, "%.*s/%.*s#%.*s\n", KD_STR_ARG(change->ref.kind),
                         KD_STR_ARG(change->ref.name), KD_STR_ARG(change->ref.uid));
}

static void assert_changes(struct fixture *f, uint64_t since, size_t max, const char *expected)
{
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    assert_int_equal(kd_buf_puts(&out, ""), 0);
    assert_int_equal(kd_store_changes(f->store, since, max, add_change, &out), 0);
    assert_string_equal(out.ptr ? out.ptr : "", expected);
}

static void put_related(struct fixture *f, const char *name, const char *node)
{
    struct kd_attr attr = KD_ATTR("nodeName", kd_cstr(node));
    struct kd_ref pod = ref_of("", "Pod", "a", name, "u1");
    struct kd_relation relation = { .type = KD_STR("PodNodeBinding"),
                                    .subject = pod,
                                    .object = ref_of("", "Node", "", node, ""),
                                    .attrs = &attr,
                                    .n_attrs = 1 };
    struct kd_put put = put_of(pod, node);
    put.relations = &relation;
    put.n_relations = 1;
    put_now(f, &put);
}

#define BOUND(node, uid)                                                                           \
    "PodNodeBinding {\"nodeName\":\"" node "\"} Pod./a/p#" uid " -> Node./"                        \
    "/" node "# unresolved\n"

/* What is gone can still be read in full, also after a restart. */
static void tells_each_change_in_full(void **state)
{
    struct fixture *f = *state;
    static const char all[] =
        "1 put Pod/p#u1\n2 relate " BOUND("n1", "u1") "3 put Pod/p#u1\n4 unrelate " BOUND(
            "n1", "u1") "5 relate " BOUND("n2", "u1") "6 unrelate " BOUND("n2", "u1") "7 delete "
                                                                                      "Pod/p#u1\n";
    put_related(f, "p", "n1");
    put_related(f, "p", "n2");
    remove_now(f, ref_of("", "Pod", "a", "p", ""));
    assert_changes(f, 0, 100, all);
    fixture_reopen(f);
    assert_int_equal(kd_store_seq(f->store), 7);
    assert_changes(f, 0, 100, all);
    assert_changes(f, 5, 1, "6 unrelate " BOUND("n2", "u1"));
    assert_changes(f, 7, 100, "");
    put_related(f, "q", "n1");
    assert_int_equal(kd_store_seq(f->store), 9);
}

static void keeps_what_it_may(void **state)
{
    struct fixture *f = *state;
    f->feed_keep = 4;
    fixture_reopen(f);
    put_related(f, "p", "n1");
    put_related(f, "q", "n1");
    assert_changes(f, 0, 1, "1 put Pod/p#u1\n");
    remove_now(f, ref_of("", "Pod", "a", "p", ""));
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    assert_int_equal(kd_store_changes(f->store, 1, 10, add_change, &out), KD_ENOENT);
    assert_int_equal(out.len, 0);
    assert_changes(f, 5, 10, "6 delete Pod/p#u1\n");
    assert_int_equal(kd_store_changes(f->store, 7, 10, add_change, &out), KD_ENOENT);
    f->feed_keep = 0;
    fixture_reopen(f);
    remove_now(f, ref_of("", "Pod", "a", "q", ""));
    assert_int_equal(number_of(f, "SELECT count(*) FROM feed"), 0);
    assert_int_equal(number_of(f, "SELECT count(*) FROM node"), 0);
    fixture_reopen(f);
    assert_int_equal(kd_store_seq(f->store), 8);
    assert_changes(f, 8, 10, "");
}

/* A follower as a client would be: a snapshot, then changes; checked for gaps and doubles. */
struct follower {
    struct fixture *f;
    struct kd_store_subscription *subscription;
    pthread_mutex_t lock;
    pthread_cond_t told;
    uint64_t known; /* under lock: the last seq that was told */
    uint64_t seq;
    bool there[64]; /* by the number in the name */
};

static void on_seq(void *arg, uint64_t seq)
{
    struct follower *follower = arg;
    pthread_mutex_lock(&follower->lock);
    assert_true(seq > follower->known);
    follower->known = seq;
    pthread_cond_signal(&follower->told);
    pthread_mutex_unlock(&follower->lock);
}

static bool *place_of(struct follower *follower, struct kd_str name)
{
    uint64_t number = 0;
    assert_true(kd_str_to_u64(name, &number) && number < KD_ARRAY_LEN(follower->there));
    return &follower->there[number];
}

static int take_stored(void *arg, const struct kd_stored *stored)
{
    struct follower *follower = arg;
    *place_of(follower, stored->ref.name) = true;
    return 0;
}

static int follow_change(void *arg, const struct kd_change *change)
{
    struct follower *follower = arg;
    bool *there = place_of(follower, change->ref.name);
    assert_int_equal(change->seq, follower->seq + 1);
    follower->seq = change->seq;
    /* A double put or delete here would be a snapshot that does not fit its seq. */
    assert_int_equal(*there, change->type == KD_CHANGE_DELETE);
    *there = change->type == KD_CHANGE_PUT;
    return 0;
}

static void snapshot(struct follower *follower)
{
    struct kd_match match = { .kind = "Pod" };
    memset(follower->there, 0, sizeof(follower->there));
    assert_int_equal(kd_store_view_begin(follower->f->store, &follower->seq), 0);
    assert_int_equal(kd_store_each(follower->f->store, &match, NULL, false, take_stored, follower),
                     0);
    assert_int_equal(kd_store_seq(follower->f->store), follower->seq);
    kd_store_view_end(follower->f->store);
}

#define TOGGLES 3000

static void *toggle_all(void *arg)
{
    struct fixture *f = arg;
    bool there[64] = { 0 };
    for (unsigned i = 0; i < TOGGLES; i++) {
        char name[8];
        unsigned which = (i * 29 + i / 64) % 64;
        (void)snprintf(name, sizeof(name), "%u", which);
        struct kd_put put = put_of(ref_of("", "Pod", "a", name, ""), "1");
        there[which] = !there[which];
        assert_int_equal(
            there[which] ? kd_store_put(f->store, &put) : kd_store_remove(f->store, &put.ref), 0);
        if (i % 50 == 0) {
            assert_int_equal(kd_store_flush(f->store), 0);
        }
    }
    assert_int_equal(kd_store_flush(f->store), 0);
    return NULL;
}

static void snapshots_join_the_feed(void **state)
{
    struct follower follower = { .f = *state };
    pthread_t writer;
    pthread_mutex_init(&follower.lock, NULL);
    pthread_cond_init(&follower.told, NULL);
    assert_int_equal(pthread_create(&writer, NULL, toggle_all, follower.f), 0);
    follower.subscription =
        kd_store_subscribe(follower.f->store, on_seq, &follower, &follower.known);
    snapshot(&follower);
    for (int round = 1; follower.seq < 200; round++) {
        pthread_mutex_lock(&follower.lock);
        while (follower.known <= follower.seq) {
            pthread_cond_wait(&follower.told, &follower.lock);
        }
        pthread_mutex_unlock(&follower.lock);
        assert_int_equal(
            kd_store_changes(follower.f->store, follower.seq, 1000, follow_change, &follower), 0);
        if (round % 3 == 0) {
            snapshot(&follower);
        }
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(
        kd_store_changes(follower.f->store, follower.seq, SIZE_MAX, follow_change, &follower), 0);
    assert_int_equal(follower.seq, kd_store_seq(follower.f->store));
    kd_store_unsubscribe(follower.subscription);
    uint64_t n = 0;
    for (size_t i = 0; i < KD_ARRAY_LEN(follower.there); i++) {
        n += follower.there[i];
    }
    assert_int_equal(n, kd_store_count(follower.f->store, "", "Pod"));
    pthread_cond_destroy(&follower.told);
    pthread_mutex_destroy(&follower.lock);
}

struct quitter {
    struct kd_store_subscription *subscription;
    _Atomic int calls;
};

static void quit_at_once(void *arg, uint64_t seq)
{
    struct quitter *quitter = arg;
    (void)seq;
    quitter->calls++;
    kd_store_unsubscribe(quitter->subscription);
}

static void may_unsubscribe_from_the_call(void **state)
{
    struct fixture *f = *state;
    struct quitter quitter = { 0 };
    uint64_t seq = 0;
    quitter.subscription = kd_store_subscribe(f->store, quit_at_once, &quitter, &seq);
    put_related(f, "p", "n1");
    put_related(f, "p", "n2");
    kd_store_close(f->store); /* all calls are over after it */
    f->store = NULL;
    assert_int_equal(quitter.calls, 1);
}

/* A reader that stands still in its snapshot holds nobody up, and sees what it saw. */
struct slow {
    struct fixture *f;
    int rows;
};

static int write_while_reading(void *arg, const struct kd_stored *stored)
{
    struct slow *slow = arg;
    (void)stored;
    char name[16];
    (void)snprintf(name, sizeof(name), "new-%d", slow->rows++);
    uint64_t before = kd_store_seq(slow->f->store);
    put_related(slow->f, name, "n1"); /* returns when it is committed */
    assert_int_equal(kd_store_seq(slow->f->store), before);
    return 0;
}

static void slow_reader_stops_nobody(void **state)
{
    struct slow slow = { .f = *state };
    struct kd_match match = { .kind = "Pod" };
    put_related(slow.f, "a", "n1");
    put_related(slow.f, "zzz", "n1");
    assert_int_equal(kd_store_each(slow.f->store, &match, NULL, false, write_while_reading, &slow),
                     0);
    assert_int_equal(slow.rows, 2);
    assert_int_equal(kd_store_count(slow.f->store, "", "Pod"), 4);
}

#define STORE_TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(tells_each_change_in_full), STORE_TEST(keeps_what_it_may),
        STORE_TEST(snapshots_join_the_feed),   STORE_TEST(may_unsubscribe_from_the_call),
        STORE_TEST(slow_reader_stops_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
