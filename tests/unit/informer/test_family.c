/* Families: which base an object gets, when a base comes and goes, and readers beside all that. */
#include "informer/codec.h"
#include "unit/informer/fake.h"

#include <pthread.h>

#define KEYS 60
#define PAD 1200

static struct fake fake;
static uint64_t version;

static const char dict_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"k\",\"namespace\":\"d\","
    "\"uid\":\"u-\",\"resourceVersion\":\"\"},\"spec\":{\"pad\":\"\",\"value\":";

static void start(void)
{
    struct kd_informer_spec spec = fake_spec();
    fake_init(&fake);
    version = 10;
    fake_start(&fake, &spec);
    fake.informer->dict = kd_dict_new(kd_cstr(dict_text));
    fake.informer->trained = true;
    fake_answer(&fake, LIST("5", "", ""));
}

/* A pod of an owner (0: none); its text is the same for the same flavour, but for the value. */
static void put_pod(struct kd_buf *buf, unsigned key, unsigned owner, unsigned flavour, int value)
{
    struct kd_rand rand;
    kd_rand_init(&rand, flavour);
    (void)kd_buf_printf(buf,
                        "{\"metadata\":{\"name\":\"k%u\",\"namespace\":\"d\",\"uid\":\"u-%u\","
                        "\"resourceVersion\":\"%d\"",
                        key, key, (int)version);
    if (owner) {
        (void)kd_buf_printf(buf,
                            ",\"ownerReferences\":[{\"uid\":\"x\"},{\"uid\":\"z\",\"controller\":"
                            "false},{\"uid\":\"owner-%u\",\"controller\":true}]",
                            owner);
    }
    (void)kd_buf_puts(buf, "},\"spec\":{\"pad\":\"");
    for (size_t i = 0; i < PAD; i++) {
        (void)kd_buf_putc(buf, (char)('a' + (char)kd_rand_below(&rand, 26)));
    }
    (void)kd_buf_printf(buf, "\",\"value\":%d}}", value);
}

static void send_pod(const char *type, unsigned key, unsigned owner, unsigned flavour, int value)
{
    KD_AUTO_BUF struct kd_buf buf;
    kd_buf_init(&buf, KD_MIB);
    version++;
    (void)kd_buf_printf(&buf, "{\"type\":\"%s\",\"object\":", type);
    put_pod(&buf, key, owner, flavour, value);
    (void)kd_buf_puts(&buf, "}\n");
    fake_send(&fake, buf.ptr);
    kd_buf_clear(&fake.told, KD_MIB);
}

static struct kd_record *record_of(unsigned key)
{
    char name[16];
    int len = snprintf(name, sizeof(name), "k%u", key);
    return kd_table_peek(&fake.informer->table,
                         (struct kd_key){ KD_STR("d"), { name, (size_t)len } });
}

static int64_t value_of(const struct kd_record *record)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_str text;
    struct kd_value root;
    struct kd_value value;
    int64_t number = -1;
    kd_arena_init(&arena, KD_MIB);
    if (kd_record_decode(record, &arena, &text) < 0 || kd_json_parse(text, &root, NULL) < 0 ||
        !kd_json_at(root, "/spec/value", &value) || kd_json_int(value, &number) < 0) {
        return -1;
    }
    return number;
}

static uint32_t encoding_of(unsigned key)
{
    struct kd_encoded encoded;
    kd_record_encoded(record_of(key), &encoded);
    return encoded.encoding;
}

static size_t n_bases(void)
{
    return fake.informer->table.families.bases.n;
}

/* Bytes are those of the records and of every base that one of them needs, once. */
static void check_bytes(void)
{
    struct kd_base *seen[KEYS];
    size_t n = 0;
    uint64_t bytes = 0;
    for (unsigned key = 0; key < KEYS; key++) {
        const struct kd_record *record = record_of(key);
        struct kd_base *base = record ? kd_record_family(record) : NULL;
        size_t i = 0;
        bytes += record ? kd_record_size(record) : 0;
        while (i < n && seen[i] != base) {
            i++;
        }
        if (base && i == n) {
            seen[n++] = base;
            bytes += kd_base_size(base);
        }
    }
    assert_int_equal(fake.informer->table.bytes, bytes);
}

static void the_objects_of_an_owner_share_a_base(void **state)
{
    (void)state;
    start();
    send_pod("ADDED", 0, 1, 1, 100);
    assert_int_equal(encoding_of(0), KD_ENCODING_ZSTD_DICT); /* alone as yet */
    assert_ptr_equal(kd_record_dict(record_of(0)), fake.informer->dict);
    send_pod("MODIFIED", 0, 1, 1, 101);
    assert_int_equal(encoding_of(0), KD_ENCODING_ZSTD_DICT);
    for (unsigned key = 1; key < 10; key++) {
        send_pod("ADDED", key, 1, 1, 100 + (int)key);
    }
    send_pod("ADDED", 10, 2, 2, 110);
    send_pod("ADDED", 11, 0, 1, 111);
    size_t sum = 0;
    for (unsigned key = 0; key < 10; key++) {
        assert_int_equal(encoding_of(key), KD_ENCODING_ZSTD_BASE);
        assert_ptr_equal(kd_record_base(record_of(key)), kd_record_base(record_of(0)));
        assert_null(kd_record_dict(record_of(key)));
        assert_int_equal(value_of(record_of(key)), key ? 100 + key : 101);
        sum += kd_record_size(record_of(key));
    }
    assert_true(sum < 2 * kd_record_size(record_of(10)));
    assert_int_equal(encoding_of(10), KD_ENCODING_ZSTD_DICT);
    assert_null(kd_record_base(record_of(10)));
    assert_int_equal(encoding_of(11), KD_ENCODING_ZSTD_DICT);
    assert_null(kd_record_family(record_of(11)));
    assert_int_equal(n_bases(), 2);
    check_bytes();
    fake_release(&fake);
}

static void a_base_goes_with_its_last_member(void **state)
{
    (void)state;
    start();
    for (unsigned key = 0; key < 3; key++) {
        send_pod("ADDED", key, 1, 1, (int)key);
    }
    struct kd_record *kept = kd_record_ref(record_of(1));
    struct kd_base *base = kd_record_base(kept);
    for (unsigned key = 0; key < 3; key++) {
        assert_int_equal(base->members, 3 - key);
        send_pod("DELETED", key, 1, 1, (int)key);
        check_bytes();
    }
    assert_int_equal(n_bases(), 0);
    assert_int_equal(fake.informer->table.bytes, 0);
    assert_int_equal(base->refs, 1); /* what is held elsewhere reads on */
    assert_int_equal(value_of(kept), 1);
    send_pod("ADDED", 0, 1, 1, 7);
    assert_int_equal(encoding_of(0), KD_ENCODING_ZSTD_DICT); /* the owner begins anew */
    kd_record_unref(kept);
    fake_release(&fake);
}

static void an_object_may_change_its_owner(void **state)
{
    (void)state;
    start();
    for (unsigned key = 0; key < 8; key++) {
        send_pod("ADDED", key, 1 + key % 2, 1 + key % 2, (int)key);
    }
    struct kd_base *first = kd_record_base(record_of(0));
    struct kd_base *second = kd_record_base(record_of(1));
    assert_ptr_not_equal(first, second);
    send_pod("MODIFIED", 0, 2, 2, 50);
    assert_ptr_equal(kd_record_base(record_of(0)), second);
    assert_int_equal(first->members, 3);
    assert_int_equal(second->members, 5);
    send_pod("MODIFIED", 0, 0, 2, 51);
    assert_null(kd_record_family(record_of(0)));
    assert_int_equal(second->members, 4);
    for (unsigned key = 2; key < 8; key += 2) {
        send_pod("MODIFIED", key, 2, 2, 60 + (int)key);
        assert_int_equal(value_of(record_of(key)), 60 + key);
    }
    assert_int_equal(n_bases(), 1);
    check_bytes();
    fake_release(&fake);
}

/* A new template: the second poor member brings a base of its own, and the former goes in time. */
static void a_new_template_brings_a_new_base(void **state)
{
    (void)state;
    start();
    for (unsigned key = 0; key < 6; key++) {
        send_pod("ADDED", key, 1, 1, (int)key);
    }
    struct kd_base *former = kd_record_base(record_of(0));
    for (unsigned key = 0; key < 6; key++) {
        send_pod("MODIFIED", key, 1, 2, 10 + (int)key);
        assert_int_equal(n_bases(), 1);
        check_bytes();
        for (unsigned k = 0; k < 6; k++) {
            assert_int_equal(value_of(record_of(k)), k <= key ? 10 + k : k);
        }
        if (key == 0) {
            assert_ptr_equal(kd_record_family(record_of(key)), former);
        } else if (key < 5) {
            assert_ptr_not_equal(kd_record_base(record_of(key)), former);
            assert_ptr_not_equal(kd_record_family(record_of(0)), kd_record_base(record_of(key)));
        }
    }
    send_pod("MODIFIED", 0, 1, 2, 20);
    for (unsigned key = 1; key < 6; key++) {
        assert_ptr_equal(kd_record_base(record_of(key)), kd_record_base(record_of(0)));
    }
    fake_release(&fake);
}

/* Objects that have nothing in common cost ever fewer tries, and none is larger for its family. */
static void strangers_stay_with_the_dictionary(void **state)
{
    (void)state;
    start();
    size_t n_frozen = 0;
    for (unsigned i = 0; i < 400; i++) {
        struct kd_base *before =
            record_of(0) ? kd_record_family(record_of(i ? (i - 1) % 20 : 0)) : NULL;
        send_pod("ADDED", i % 20, 1, 1000 + i, (int)i);
        struct kd_base *now = kd_record_base(record_of(i % 20));
        n_frozen += now && now != before;
        assert_int_equal(value_of(record_of(i % 20)), i);
    }
    assert_in_range(n_frozen, 1, 12);
    check_bytes();
    fake_release(&fake);
}

static void what_needs_a_base_reads_with_that_one_alone(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_encoded encoded;
    struct kd_encoded of_base;
    struct kd_str text;
    struct kd_base *loaded = NULL;
    (void)state;
    start();
    kd_arena_init(&arena, KD_MIB);
    for (unsigned key = 0; key < 4; key++) {
        send_pod("ADDED", key, 1 + key / 2, 1 + key / 2, (int)key);
    }
    struct kd_base *base = kd_record_base(record_of(0));
    kd_record_encoded(record_of(0), &encoded);
    assert_int_equal(encoded.base_id, kd_base_id(base));
    assert_int_equal(encoded.dict_id, 0);
    assert_int_equal(kd_encoded_decode(&encoded, NULL, NULL, &arena, &text), KD_EIO);
    assert_int_equal(kd_encoded_decode(&encoded, NULL, kd_record_base(record_of(2)), &arena, &text),
                     KD_EIO);
    /* As another process would, from bytes. */
    kd_base_encoded(base, &of_base);
    assert_int_equal(kd_base_load(77, &of_base, kd_base_dict(base), &loaded), 0);
    encoded.base_id = 77;
    assert_int_equal(kd_encoded_decode(&encoded, NULL, loaded, &arena, &text), 0);
    assert_int_equal(text.len, encoded.raw_len);
    kd_base_unref(loaded);
    assert_int_equal(kd_base_load(78, &of_base, NULL, &loaded), 0); /* its dictionary is missing */
    encoded.base_id = 78;
    assert_int_equal(kd_encoded_decode(&encoded, NULL, loaded, &arena, &text), KD_EIO);
    kd_base_unref(loaded);
    loaded = NULL;
    of_base.encoding = KD_ENCODING_ZSTD_BASE; /* a base of a base */
    assert_int_equal(kd_base_load(79, &of_base, NULL, &loaded), KD_EIO);
    of_base.encoding = KD_ENCODING_ZSTD_DICT;
    of_base.raw_len = KD_MAX_BASE + 1;
    assert_int_equal(kd_base_load(79, &of_base, NULL, &loaded), KD_EIO);
    of_base.raw_len = 0;
    assert_int_equal(kd_base_load(79, &of_base, NULL, &loaded), KD_EIO);
    assert_null(loaded);
    fake_release(&fake);
}

struct reader {
    pthread_t thread;
    _Atomic bool *stop;
    uint64_t seed;
    size_t read;
    size_t wrong;
};

static void *read_on(void *arg)
{
    struct reader *reader = arg;
    struct kd_rand rand;
    kd_rand_init(&rand, reader->seed);
    while (!atomic_load(reader->stop) || reader->read == 0) {
        char name[16];
        int len = snprintf(name, sizeof(name), "k%u", (unsigned)kd_rand_below(&rand, KEYS));
        struct kd_record *record =
            kd_informer_get(fake.informer, (struct kd_key){ KD_STR("d"), { name, (size_t)len } });
        if (record) {
            reader->read++;
            reader->wrong += value_of(record) < 0;
        }
        kd_record_unref(record);
    }
    return NULL;
}

static void families_change_while_others_read(void **state)
{
    static int values[KEYS]; /* 0: not there */
    static unsigned owners[KEYS];
    struct reader readers[2];
    struct kd_rand rand;
    _Atomic bool stop = false;
    (void)state;
    start();
    kd_rand_init(&rand, 21);
    send_pod("ADDED", 0, 1, 1, values[0] = 1);
    for (size_t i = 0; i < 2; i++) {
        readers[i] = (struct reader){ .stop = &stop, .seed = i };
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_on, &readers[i]), 0);
    }
    for (int step = 2; step < 3000; step++) {
        unsigned key = (unsigned)kd_rand_below(&rand, KEYS);
        bool moves = values[key] == 0 || kd_rand_below(&rand, 8) == 0;
        owners[key] = moves ? (unsigned)kd_rand_below(&rand, 7) : owners[key];
        unsigned flavour = owners[key] * 100 + (unsigned)step / 500;
        bool gone = kd_rand_below(&rand, step % 1000 > 700 ? 2 : 6) == 0;
        send_pod(gone ? "DELETED" : "MODIFIED", key, owners[key], flavour, step);
        values[key] = gone ? 0 : step;
        if (step % 100 == 0) {
            check_bytes();
            for (unsigned k = 0; k < KEYS; k++) {
                assert_int_equal(record_of(k) ? value_of(record_of(k)) : 0, values[k]);
            }
        }
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
        assert_int_equal(readers[i].wrong, 0);
    }
    for (unsigned key = 0; key < KEYS; key++) {
        send_pod("DELETED", key, 0, 0, 0);
    }
    assert_int_equal(n_bases(), 0);
    assert_int_equal(fake.informer->table.bytes, 0);
    fake_release(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_objects_of_an_owner_share_a_base),
        cmocka_unit_test(a_base_goes_with_its_last_member),
        cmocka_unit_test(an_object_may_change_its_owner),
        cmocka_unit_test(a_new_template_brings_a_new_base),
        cmocka_unit_test(strangers_stay_with_the_dictionary),
        cmocka_unit_test(what_needs_a_base_reads_with_that_one_alone),
        cmocka_unit_test(families_change_while_others_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
