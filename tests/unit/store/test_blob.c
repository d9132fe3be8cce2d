/* Records in the file: the dictionaries and bases that they need, and files of older versions. */
#include "fixture.h"
#include "informer/family.h"

static struct kd_stored get(struct fixture *f, struct kd_arena *arena, const char *kind,
                            const char *ns, const char *name, int expected)
{
    struct kd_str ns_str = kd_cstr(ns);
    struct kd_str name_str = kd_cstr(name);
    struct kd_match match = { .kind = kind, .ns = &ns_str, .name = &name_str };
    struct kd_stored stored = { 0 };
    assert_int_equal(kd_store_get(f->store, &match, arena, &stored), expected);
    return stored;
}

/* A dictionary lives in the file for as long as a record needs it. */
static void dictionaries_come_and_go(void **state)
{
    struct fixture *f = *state;
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, KD_MIB);
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&text, KD_MIB);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(kd_buf_printf(&text, "{\"some\":\"text\",\"number\":%d}", i * 7919), 0);
    }
    struct kd_dict *dict = kd_dict_new(kd_buf_str(&text));
    struct kd_record *record = record_of("a", "p", "u1", kd_buf_str(&text), dict);
    struct kd_encoded encoded;
    kd_record_encoded(record, &encoded);
    assert_int_equal(encoded.encoding, KD_ENCODING_ZSTD_DICT);
    struct kd_put put = put_of(ref_of("", "Pod", "a", "p", "u1"), "1");
    put.data = KD_STR("");
    put.record = record;
    put_now(f, &put);
    put.ref.name = KD_STR("q");
    put_now(f, &put);
    kd_record_unref(record);
    kd_dict_unref(dict);
    put.record = NULL;
    put.version_text = KD_STR("2");
    put_now(f, &put); /* q without a record: p still needs it */
    assert_int_equal(number_of(f, "SELECT sum(uses) FROM dict"), 1);
    fixture_reopen(f);
    struct kd_stored stored = get(f, &arena, "Pod", "a", "p", 0);
    assert_true(kd_str_eq(stored.data, kd_buf_str(&text)));
    remove_now(f, ref_of("", "Pod", "a", "p", ""));
    assert_int_equal(number_of(f, "SELECT count(*) FROM dict"), 0);
}

static struct kd_record *member_of(struct kd_families *families, const char *name,
                                   struct kd_str json, struct kd_dict *dict)
{
    struct kd_record *record = NULL;
    struct kd_record_parts parts = { .key = { KD_STR("a"), kd_cstr(name) },
                                     .uid = KD_STR("u1"),
                                     .version = KD_STR("1"),
                                     .owner = 5,
                                     .json = json };
    assert_int_equal(kd_record_new_in(families, &parts, dict, &record), 0);
    (void)kd_families_enter(families, record);
    return record;
}

struct kept {
    struct kd_str text;
    const struct kd_base *base;
    unsigned n, with_base;
};

static int on_kept(void *arg, const struct kd_kept *one)
{
    struct kept *kept = arg;
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_str text;
    kd_arena_init(&arena, KD_MIB);
    assert_int_equal(kd_encoded_decode(&one->encoded, one->dict, one->base, &arena, &text), 0);
    assert_true(kd_str_eq(text, kept->text));
    if (one->base) {
        assert_true(kept->with_base == 0 || one->base == kept->base); /* one for the family */
        kept->base = one->base;
        kept->with_base++;
    }
    kept->n++;
    return 0;
}

static void assert_kept(struct fixture *f, struct kd_str text)
{
    struct kept kept = { .text = text };
    assert_int_equal(kd_store_each_kept(f->store, "", "Pod", on_kept, &kept), 0);
    assert_int_equal(kept.n, 3);
    assert_int_equal(kept.with_base, 2);
    assert_int_equal(kd_store_each_kept(f->store, "", "Nonesuch", on_kept, &kept), 0);
    assert_int_equal(kept.n, 3);
}

/* So does a base, which needs a dictionary itself. */
static void bases_come_and_go(void **state)
{
    static const char *const names[] = { "p", "q", "r" };
    struct fixture *f = *state;
    struct kd_families families = { 0 };
    struct kd_record *records[3];
    KD_AUTO_ARENA struct kd_arena arena;
    KD_AUTO_BUF struct kd_buf text;
    kd_arena_init(&arena, KD_MIB);
    kd_buf_init(&text, KD_MIB);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(kd_buf_printf(&text, "{\"some\":\"text\",\"number\":%d}", i * 7919), 0);
    }
    struct kd_dict *dict = kd_dict_new(KD_STR("{\"some\":\"text\",\"number\":"));
    struct kd_put put = put_of(ref_of("", "Pod", "a", "p", "u1"), "1");
    put.data = KD_STR("");
    for (size_t i = 0; i < 3; i++) {
        records[i] = member_of(&families, names[i], kd_buf_str(&text), dict);
        assert_int_equal(kd_record_base(records[i]) != NULL, i > 0);
        put.ref.name = kd_cstr(names[i]);
        put.record = records[i];
        put_now(f, &put);
    }
    for (size_t i = 0; i < 3; i++) {
        (void)kd_families_leave(&families, records[i]);
        kd_record_unref(records[i]);
    }
    assert_int_equal(families.bases.n, 0);
    kd_families_release(&families);
    kd_dict_unref(dict);
    assert_int_equal(number_of(f, "SELECT uses FROM base"), 2);
    assert_int_equal(number_of(f, "SELECT uses FROM dict"), 2); /* p and the base */
    assert_int_equal(number_of(f, "SELECT count(*) FROM record WHERE dict IS NULL"), 2);
    fixture_reopen(f);
    for (size_t i = 0; i < 3; i++) {
        struct kd_stored stored = get(f, &arena, "Pod", "a", names[i], 0);
        assert_true(kd_str_eq(stored.data, kd_buf_str(&text)));
    }
    assert_kept(f, kd_buf_str(&text));
    remove_now(f, ref_of("", "Pod", "a", "p", ""));
    remove_now(f, ref_of("", "Pod", "a", "q", ""));
    assert_int_equal(number_of(f, "SELECT uses FROM base"), 1);
    assert_int_equal(number_of(f, "SELECT uses FROM dict"), 1);
    assert_true(kd_str_eq(get(f, &arena, "Pod", "a", "r", 0).data, kd_buf_str(&text)));
    put.record = NULL;
    put.version_text = KD_STR("2");
    put_now(f, &put); /* r without a record */
    assert_int_equal(number_of(f, "SELECT count(*) FROM base"), 0);
    assert_int_equal(number_of(f, "SELECT count(*) FROM dict"), 0);
}

#define DROP_VIEWS "DROP VIEW resources; DROP VIEW relationships; DROP VIEW origins; "

/* What each version's file did not have yet. */
static const struct {
    int version;
    const char *lacks;
} older[] = {
    { 1, DROP_VIEWS "DROP TABLE base; ALTER TABLE record DROP COLUMN base; DROP TABLE mark; "
                    "DROP TABLE pending; PRAGMA user_version = 1" },
    { 2, DROP_VIEWS "DROP TABLE mark; DROP TABLE pending; PRAGMA user_version = 2" },
    { 3, DROP_VIEWS "PRAGMA user_version = 3" },
};

static void opens_older_files(void **state)
{
    struct fixture *f = *state;
    struct kd_record *record = record_of("a", "p", "u1", KD_STR("{\"kind\":\"Pod\"}"), NULL);
    for (size_t i = 0; i < KD_ARRAY_LEN(older); i++) {
        KD_AUTO_ARENA struct kd_arena arena;
        kd_arena_init(&arena, KD_MIB);
        struct kd_put put = put_of(ref_of("", "Pod", "a", "p", "u1"), "1");
        put.data = KD_STR("");
        put.record = record;
        put_now(f, &put);
        kd_store_close(f->store);
        f->store = NULL;
        exec_sql(f, older[i].lacks);
        fixture_reopen(f);
        assert_true(kd_str_is(get(f, &arena, "Pod", "a", "p", 0).data, "{\"kind\":\"Pod\"}"));
        assert_int_equal(number_of(f, "PRAGMA user_version"), 4);
        assert_int_equal(number_of(f, "SELECT count(*) FROM resources WHERE name = 'p'"), 1);
        const struct kd_mark mark = { .kind = KD_STR("Pod"), .version = KD_STR("7") };
        assert_int_equal(kd_store_mark(f->store, &mark), 0);
        bases_come_and_go(state);
        assert_int_equal(number_of(f, "SELECT count(*) FROM mark"), 1);
    }
    kd_record_unref(record);
}

#define STORE_TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(dictionaries_come_and_go),
        STORE_TEST(bases_come_and_go),
        STORE_TEST(opens_older_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
