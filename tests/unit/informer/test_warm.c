/* A cache that goes on where an earlier process left off: no list, the same records, families too.
 */
#include "informer/family.h"
#include "unit/informer/fake.h"

#define PODS 40
#define OWNERS 4

static struct fake first;  /* the earlier process */
static struct fake second; /* the one after it */

static const char dict_text[] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"";

static struct kd_informer_spec spec_of(void)
{
    static const struct kd_index indexes[] = { { "spec.nodeName", "/spec/nodeName" } };
    struct kd_informer_spec spec = fake_spec();
    spec.indexes = indexes;
    spec.n_indexes = 1;
    return spec;
}

/* Pods of one owner differ in their names and numbers alone; one in five has no owner. */
static void put_pod(struct kd_buf *buf, unsigned i, unsigned version, int value)
{
    struct kd_rand rand;
    unsigned owner = i % (OWNERS + 1);
    kd_rand_init(&rand, owner);
    (void)kd_buf_printf(buf,
                        "{\"metadata\":{\"name\":\"p%u\",\"namespace\":\"d\",\"uid\":\"u%u\","
                        "\"resourceVersion\":\"%u\"",
                        i, i, version);
    if (owner) {
        (void)kd_buf_printf(buf, ",\"ownerReferences\":[{\"uid\":\"o%u\",\"controller\":true}]",
                            owner);
    }
    (void)kd_buf_printf(buf, "},\"spec\":{\"nodeName\":\"n%u\",\"value\":%d,\"pad\":\"", i % 3,
                        value);
    for (size_t k = 0; k < 1000; k++) {
        (void)kd_buf_putc(buf, (char)('a' + (char)kd_rand_below(&rand, 26)));
    }
    (void)kd_buf_puts(buf, "\"}}");
}

static void send_pod(struct fake *fake, const char *type, unsigned i, unsigned version, int value)
{
    KD_AUTO_BUF struct kd_buf buf;
    kd_buf_init(&buf, KD_MIB);
    (void)kd_buf_printf(&buf, "{\"type\":\"%s\",\"object\":", type);
    put_pod(&buf, i, version, value);
    (void)kd_buf_puts(&buf, "}\n");
    fake_send(fake, buf.ptr);
}

static int setup(void **state)
{
    struct kd_informer_spec spec = spec_of();
    (void)state;
    fake_init(&first);
    fake_start(&first, &spec);
    first.informer->dict = kd_dict_new(kd_cstr(dict_text));
    first.informer->trained = true;
    fake_answer(&first, LIST("5", "", ""));
    for (unsigned i = 0; i < PODS; i++) {
        send_pod(&first, "ADDED", i, 10 + i, 0);
    }
    struct kd_informer_env env;
    fake_init(&second);
    env = fake_env(&second, 9);
    assert_int_equal(kd_informer_new_in(&env, NULL, &spec, &second.informer, NULL), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fake_release(&first);
    fake_release(&second);
    return 0;
}

/* As the store does: encoded bytes, and dictionaries and bases made anew, once for each id. */
static struct {
    struct kd_dict *dict;
    struct kd_base *bases[2 * OWNERS];
    size_t n_bases;
} kept_parts;

static struct kd_base *base_again(struct kd_base *base)
{
    struct kd_encoded encoded;
    struct kd_base **bases = kept_parts.bases;
    for (size_t i = 0; i < kept_parts.n_bases; i++) {
        if (kd_base_id(bases[i]) == kd_base_id(base)) {
            return bases[i];
        }
    }
    assert_true(kept_parts.n_bases < 2 * OWNERS);
    kd_base_encoded(base, &encoded);
    struct kd_dict *dict = encoded.encoding == KD_ENCODING_ZSTD_DICT ? kept_parts.dict : NULL;
    assert_int_equal(kd_base_load(kd_base_id(base), &encoded, dict, &bases[kept_parts.n_bases]), 0);
    return bases[kept_parts.n_bases++];
}

static void load_one(void *arg, struct kd_record *record)
{
    struct kd_kept kept = { 0 };
    (void)arg;
    kd_record_encoded(record, &kept.encoded);
    kept.dict = kd_record_dict(record) ? kept_parts.dict : NULL;
    kept.base = kd_record_base(record) ? base_again(kd_record_base(record)) : NULL;
    assert_int_equal(kd_informer_load(second.informer, &kept), 0);
}

static void load_all(void)
{
    memset(&kept_parts, 0, sizeof(kept_parts));
    kept_parts.dict = kd_dict_new(kd_cstr(dict_text));
    kd_informer_each(first.informer, load_one, NULL);
    for (size_t i = 0; i < kept_parts.n_bases; i++) {
        kd_base_unref(kept_parts.bases[i]);
    }
    kd_dict_unref(kept_parts.dict);
}

static struct kd_record *get(struct fake *fake, unsigned i)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "p%u", i);
    struct kd_record *record =
        kd_informer_get(fake->informer, (struct kd_key){ KD_STR("d"), kd_cstr(name) });
    assert_non_null(record);
    return record;
}

static void assert_same(unsigned i)
{
    struct kd_record *a = get(&first, i);
    struct kd_record *b = get(&second, i);
    struct kd_encoded x;
    struct kd_encoded y;
    char u[KD_VERSION_MAX];
    char v[KD_VERSION_MAX];
    kd_record_encoded(a, &x);
    kd_record_encoded(b, &y);
    assert_int_equal(kd_record_changed(a, b), 0);
    assert_true(kd_str_eq(kd_record_version(a, u), kd_record_version(b, v)));
    assert_true(kd_str_eq(x.bytes, y.bytes)); /* nothing was compressed again */
    assert_int_equal(x.base_id, y.base_id);
    kd_record_unref(a);
    kd_record_unref(b);
}

static void the_same_cache_without_a_list(void **state)
{
    (void)state;
    load_all();
    for (unsigned i = 0; i < PODS; i++) {
        assert_same(i);
    }
    struct kd_informer_status a;
    struct kd_informer_status b;
    kd_informer_resume(second.informer, KD_STR("77"));
    kd_informer_get_status(first.informer, &a);
    kd_informer_get_status(second.informer, &b);
    assert_int_equal(b.objects, PODS);
    assert_int_equal(a.raw_bytes, b.raw_bytes);
    assert_true(b.ever_synced);
    assert_string_equal(b.version, "77");
    kd_informer_start(second.informer);
    assert_true(fake_asks(&second, "watch=true") || fake_asks(&second, "watch=1"));
    assert_true(fake_asks(&second, "resourceVersion=77"));
    assert_int_equal(second.n_requests, 1);
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_key *keys;
    size_t n = 0;
    kd_arena_init(&arena, KD_MIB);
    assert_int_equal(
        kd_informer_by_index(second.informer, "spec.nodeName", KD_STR("n1"), &arena, &keys, &n), 0);
    assert_int_equal(n, (PODS + 1) / 3);
}

static void families_go_on(void **state)
{
    (void)state;
    load_all();
    kd_informer_resume(second.informer, KD_STR("77"));
    kd_informer_start(second.informer);
    for (unsigned i = 0; i < PODS; i++) { /* every member changes, some go */
        send_pod(&second, i % 7 ? "MODIFIED" : "DELETED", i, 100 + i, 1);
    }
    send_pod(&second, "ADDED", 1001, 200, 0);
    struct kd_record *record = get(&second, 1001);
    struct kd_encoded encoded;
    kd_record_encoded(record, &encoded);
    assert_int_equal(encoded.encoding, KD_ENCODING_ZSTD_BASE);
    kd_record_unref(record);
    for (unsigned i = 0; i < PODS; i++) {
        send_pod(&second, "DELETED", i, 300 + i, 1);
    }
    send_pod(&second, "DELETED", 1001, 400, 0);
    assert_int_equal(second.informer->table.families.bases.n, 0);
}

static void subscribers_get_all_and_are_synced(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PODS; i++) { /* two are enough to read */
        if (i > 1) {
            send_pod(&first, "DELETED", i, 90 + i, 0);
        }
    }
    load_all();
    kd_informer_resume(second.informer, KD_STR("500"));
    second.subscription = fake_subscribe(&second);
    kd_informer_start(second.informer);
    fake_advance(&second, KD_SEC_NS);
    const char *told = second.told.ptr;
    assert_non_null(strstr(told, "+d/p0i "));
    assert_non_null(strstr(told, "+d/p1i "));
    assert_non_null(strstr(told, "synced "));
    kd_buf_clear(&second.told, KD_MIB);
    send_pod(&second, "DELETED", 0, 600, 0);
    fake_expect(&second, "-d/p0 ");
}

static void what_was_pending_is_renewed(void **state)
{
    KD_AUTO_BUF struct kd_buf buf;
    (void)state;
    kd_buf_init(&buf, KD_MIB);
    load_all();
    put_pod(&buf, 3, 400, 5);
    assert_int_equal(kd_informer_renew(second.informer, kd_buf_str(&buf)), 0);
    kd_informer_forget(second.informer, (struct kd_key){ KD_STR("d"), KD_STR("p4") });
    kd_informer_forget(second.informer, (struct kd_key){ KD_STR("d"), KD_STR("none") });
    struct kd_record *record = get(&second, 3);
    char version[KD_VERSION_MAX];
    assert_true(kd_str_is(kd_record_version(record, version), "400"));
    kd_record_unref(record);
    assert_null(kd_informer_get(second.informer, (struct kd_key){ KD_STR("d"), KD_STR("p4") }));
    kd_informer_resume(second.informer, KD_STR("300"));
}

static void an_expired_version_leads_to_a_list(void **state)
{
    (void)state;
    load_all();
    kd_informer_resume(second.informer, KD_STR("77"));
    second.subscription = fake_subscribe(&second);
    kd_informer_start(second.informer);
    fake_advance(&second, KD_SEC_NS);
    kd_buf_clear(&second.told, KD_MIB);
    fake_send(&second, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,"
                       "\"reason\":\"Expired\",\"message\":\"too old\"}}\n");
    assert_false(fake_asks(&second, "watch"));
    fake_answer(&second, LIST("900", "", ""));
    assert_int_equal(second.informer->table.n, 0);
    assert_non_null(strstr(second.told.ptr, "-d/p1f "));
}

static void nothing_stays_of_a_load_that_fails(void **state)
{
    const struct kd_kept bad = { .encoded = { .bytes = KD_STR("{\"metadata\":"), .raw_len = 12 } };
    (void)state;
    load_all();
    assert_int_equal(kd_informer_load(second.informer, &bad), KD_EPARSE);
    kd_informer_empty(second.informer);
    assert_int_equal(second.informer->table.n, 0);
    assert_int_equal(second.informer->table.families.bases.n, 0);
    kd_informer_start(second.informer);
    assert_false(fake_asks(&second, "watch"));
}

#define WARM_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WARM_TEST(the_same_cache_without_a_list),
        WARM_TEST(families_go_on),
        WARM_TEST(subscribers_get_all_and_are_synced),
        WARM_TEST(what_was_pending_is_renewed),
        WARM_TEST(an_expired_version_leads_to_a_list),
        WARM_TEST(nothing_stays_of_a_load_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
