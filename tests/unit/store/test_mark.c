/* Marks: how far a kind is complete, committed with what they speak of. */
#include "fixture.h"

static struct kd_mark mark_of(const char *version, const struct kd_key *pending, size_t n)
{
    return (struct kd_mark){ .group = KD_STR("apps"),
                             .kind = KD_STR("Deployment"),
                             .scope = KD_STR("all of it"),
                             .version = kd_cstr(version),
                             .pending = pending,
                             .n_pending = n };
}

static void mark_now(struct fixture *f, const struct kd_mark *mark)
{
    assert_int_equal(kd_store_mark(f->store, mark), 0);
    assert_int_equal(kd_store_flush(f->store), 0);
}

/* "SCOPE@VERSION: NS/NAME NS/NAME", or "none". The caller frees. */
static char *mark_text(struct fixture *f)
{
    struct kd_mark mark = { 0 };
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_buf out;
    kd_arena_init(&arena, KD_MIB);
    kd_buf_init(&out, KD_MIB);
    int rc = kd_store_read_mark(f->store, "apps", "Deployment", &arena, &mark);
    if (rc == KD_ENOENT) {
        assert_int_equal(kd_buf_puts(&out, "none"), 0);
        return kd_buf_steal(&out);
    }
    assert_int_equal(rc, 0);
    assert_int_equal(
        kd_buf_printf(&out, "%.*s@%.*s:", KD_STR_ARG(mark.scope), KD_STR_ARG(mark.version)), 0);
    for (size_t i = 0; i < mark.n_pending; i++) {
        assert_int_equal(kd_buf_printf(&out, " %.*s/%.*s", KD_STR_ARG(mark.pending[i].ns),
                                       KD_STR_ARG(mark.pending[i].name)),
                         0);
    }
    return kd_buf_steal(&out);
}

static void assert_mark(struct fixture *f, const char *expected)
{
    KD_AUTO_FREE char *text = mark_text(f);
    assert_string_equal(text, expected);
}

static void replaces_and_goes(void **state)
{
    struct fixture *f = *state;
    const struct kd_key keys[] = { { KD_STR("a"), KD_STR("x") },
                                   { KD_STR("a"), KD_STR("y") },
                                   { KD_STR(""), KD_STR("z") } };
    struct kd_mark mark = mark_of("7", keys, KD_ARRAY_LEN(keys));
    assert_mark(f, "none");
    mark_now(f, &mark);
    assert_mark(f, "all of it@7: /z a/x a/y");
    mark = mark_of("9", keys, 1);
    mark.scope = KD_STR("some");
    mark_now(f, &mark);
    assert_mark(f, "some@9: a/x");
    fixture_reopen(f);
    assert_mark(f, "some@9: a/x");
    mark = mark_of("", NULL, 0);
    mark_now(f, &mark);
    assert_mark(f, "none");
    assert_int_equal(number_of(f, "SELECT count(*) FROM pending"), 0);
}

static void is_no_change_of_the_graph(void **state)
{
    struct fixture *f = *state;
    struct kd_mark mark = mark_of("7", NULL, 0);
    uint64_t seq = kd_store_seq(f->store);
    mark_now(f, &mark);
    assert_int_equal(kd_store_seq(f->store), seq);
}

/* Whatever the batches are, who sees the mark sees what was put before it. */
static void comes_with_what_was_put_before(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 3000; i++) {
        char name[16];
        char version[16];
        (void)snprintf(name, sizeof(name), "d%d", i);
        (void)snprintf(version, sizeof(version), "%d", i + 1);
        struct kd_put put = put_of(ref_of("apps", "Deployment", "a", name, "u"), "1");
        struct kd_mark mark = mark_of(version, NULL, 0);
        assert_int_equal(kd_store_put(f->store, &put), 0);
        int rc = kd_store_mark(f->store, &mark);
        assert_true(rc == 0 || rc == KD_EAGAIN);
        if (i % 100 == 0) {
            const char *sql = "SELECT (SELECT count(*) FROM resource) - "
                              "(SELECT ifnull(max(CAST(version AS INTEGER)), 0) FROM mark)";
            assert_true(number_of(f, sql) >= 0);
        }
    }
    assert_int_equal(kd_store_flush(f->store), 0);
    assert_int_equal(kd_store_count(f->store, "apps", "Deployment"), 3000);
}

static void many_keys_are_pending(void **state)
{
    struct fixture *f = *state;
    struct kd_key *keys = kd_zalloc_array(5000, sizeof(*keys));
    char(*names)[16] = kd_zalloc_array(5000, sizeof(*names));
    for (int i = 0; i < 5000; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "d%d", i);
        keys[i] = (struct kd_key){ KD_STR("a"), kd_cstr(names[i]) };
    }
    struct kd_mark mark = mark_of("7", keys, 5000);
    mark_now(f, &mark);
    kd_free(keys);
    kd_free(names);
    struct kd_mark read = { 0 };
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, 4 * KD_MIB);
    assert_int_equal(kd_store_read_mark(f->store, "apps", "Deployment", &arena, &read), 0);
    assert_int_equal(read.n_pending, 5000);
}

#define STORE_TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(replaces_and_goes),
        STORE_TEST(is_no_change_of_the_graph),
        STORE_TEST(comes_with_what_was_put_before),
        STORE_TEST(many_keys_are_pending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
