/* Encodings: round trips with and without a dictionary, damage, and the training of one. */
#include "informer/codec.h"
#include "unit/informer/fake.h"

static char *sample(struct kd_rand *rand, size_t extra)
{
    struct kd_buf buf;
    kd_buf_init(&buf, KD_MIB);
    (void)kd_buf_printf(&buf,
                        "{\"metadata\":{\"name\":\"pod-%d\",\"namespace\":\"team-%d\"},"
                        "\"spec\":{\"nodeName\":\"node-%d\",\"restartPolicy\":\"Always\"},"
                        "\"pad\":\"",
                        (int)kd_rand_below(rand, 100000), (int)kd_rand_below(rand, 20),
                        (int)kd_rand_below(rand, 50));
    for (size_t i = 0; i < extra; i++) {
        (void)kd_buf_putc(&buf, (char)('a' + (char)kd_rand_below(rand, 26)));
    }
    (void)kd_buf_puts(&buf, "\"}");
    return kd_buf_steal(&buf);
}

static struct kd_dict *trained(struct kd_rand *rand)
{
    struct kd_buf all;
    size_t sizes[400];
    kd_buf_init(&all, KD_MIB);
    for (size_t i = 0; i < 400; i++) {
        KD_AUTO_FREE char *text = sample(rand, 40);
        sizes[i] = strlen(text);
        (void)kd_buf_puts(&all, text);
    }
    struct kd_dict *dict = kd_dict_train(all.ptr, sizes, 400);
    kd_buf_release(&all);
    assert_non_null(dict);
    return dict;
}

static void check_round_trip(const char *text, size_t len, const struct kd_dict *dict)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_encoded encoded;
    struct kd_str back;
    kd_arena_init(&arena, 4 * KD_MIB);
    assert_int_equal(kd_codec_encode((struct kd_str){ text, len }, dict, &encoded), 0);
    assert_int_equal(encoded.raw_len, len);
    assert_true(encoded.bytes.len <= len);
    assert_int_equal(kd_encoded_decode(&encoded, dict, NULL, &arena, &back), 0);
    assert_true(kd_str_eq(back, (struct kd_str){ text, len }));
    assert_int_equal(back.ptr[len], '\0');
}

static void round_trips(void **state)
{
    static char big[3 << 20];
    struct kd_rand rand;
    (void)state;
    kd_rand_init(&rand, 3);
    struct kd_dict *dict = trained(&rand);
    for (size_t i = 0; i < sizeof(big); i++) {
        big[i] = (char)kd_rand_below(&rand, i % 4096 < 2048 ? 256 : 4);
    }
    static const size_t lengths[] = { 0, 1, 63, 64, 65, 4096, 100000, sizeof(big), 500 };
    for (size_t i = 0; i < KD_ARRAY_LEN(lengths); i++) {
        check_round_trip(big, lengths[i], NULL);
        check_round_trip(big, lengths[i], dict);
    }
    for (size_t i = 0; i < 100; i++) {
        KD_AUTO_FREE char *text = sample(&rand, i * 7);
        check_round_trip(text, strlen(text), i % 2 ? dict : NULL);
    }
    kd_dict_unref(dict);
}

static void a_dictionary_makes_smaller_and_has_an_id(void **state)
{
    struct kd_rand rand;
    struct kd_encoded without;
    struct kd_encoded with;
    (void)state;
    kd_rand_init(&rand, 4);
    struct kd_dict *dict = trained(&rand);
    struct kd_dict *again = kd_dict_new(kd_dict_bytes(dict));
    KD_AUTO_FREE char *text = sample(&rand, 40);
    assert_int_equal(kd_dict_id(dict), kd_dict_id(again));
    assert_int_equal(kd_codec_encode(kd_str_from(text), NULL, &without), 0);
    size_t len = without.bytes.len;
    assert_int_equal(kd_codec_encode(kd_str_from(text), dict, &with), 0);
    assert_true(with.bytes.len < len);
    assert_int_equal(with.encoding, KD_ENCODING_ZSTD_DICT);
    assert_int_equal(with.dict_id, kd_dict_id(dict));
    kd_dict_unref(dict);
    kd_dict_unref(again);
}

static void damage_is_an_error(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_rand rand;
    struct kd_encoded encoded;
    struct kd_str back;
    char copy[4096];
    (void)state;
    kd_arena_init(&arena, KD_MIB);
    kd_rand_init(&rand, 5);
    struct kd_dict *dict = trained(&rand);
    KD_AUTO_FREE char *text = sample(&rand, 900);
    assert_int_equal(kd_codec_encode(kd_str_from(text), dict, &encoded), 0);
    assert_int_equal(kd_encoded_decode(&encoded, NULL, NULL, &arena, &back), KD_EIO);
    memcpy(copy, encoded.bytes.ptr, encoded.bytes.len);
    encoded.bytes.ptr = copy;
    encoded.dict_id++;
    assert_int_equal(kd_encoded_decode(&encoded, dict, NULL, &arena, &back), KD_EIO);
    encoded.dict_id--;
    encoded.raw_len++;
    assert_int_equal(kd_encoded_decode(&encoded, dict, NULL, &arena, &back), KD_EIO);
    encoded.raw_len -= 2;
    assert_int_equal(kd_encoded_decode(&encoded, dict, NULL, &arena, &back), KD_EIO);
    encoded.raw_len++;
    encoded.bytes.len--;
    assert_int_equal(kd_encoded_decode(&encoded, dict, NULL, &arena, &back), KD_EIO);
    encoded.bytes.len++;
    encoded.encoding = 9;
    assert_int_equal(kd_encoded_decode(&encoded, dict, NULL, &arena, &back), KD_EIO);
    encoded.encoding = KD_ENCODING_ZSTD_DICT;
    assert_int_equal(kd_encoded_decode(&encoded, dict, NULL, &arena, &back), 0);
    kd_arena_release(&arena);
    kd_arena_init(&arena, 16);
    assert_int_equal(kd_encoded_decode(&encoded, dict, NULL, &arena, &back), KD_ENOMEM);
    kd_dict_unref(dict);
}

/* Training through a real loop: what came early is encoded anew and reads the same. */
static struct fake fake;
static struct kd_loop *loop;

static void post(void *arg, void (*fn)(void *fn_arg), void *fn_arg)
{
    (void)arg;
    kd_loop_post(loop, fn, fn_arg);
}

static void count_settled(void *arg, struct kd_record *record)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_str text;
    size_t *settled = arg;
    kd_arena_init(&arena, KD_MIB);
    assert_int_equal(kd_record_decode(record, &arena, &text), 0);
    assert_true(kd_str_starts(text, KD_STR("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",")));
    *settled += kd_record_dict(record) != NULL;
}

static void feed_pods(size_t from, size_t to)
{
    struct kd_buf buf;
    struct kd_rand rand;
    kd_buf_init(&buf, KD_MIB);
    kd_rand_init(&rand, from);
    for (size_t i = from; i < to; i++) {
        kd_buf_clear(&buf, KD_MIB);
        (void)kd_buf_printf(&buf,
                            "%s{\"metadata\":{\"name\":\"p%zu\",\"namespace\":\"d%zu\","
                            "\"ownerReferences\":[{\"uid\":\"%zu\"}]},\"spec\":{\"nodeName\":"
                            "\"node-%zu\",\"containers\":[{\"image\":\"registry/%zu\"}]},"
                            "\"status\":{\"phase\":\"Running\",\"hash\":\"%d\"}}",
                            i ? "," : "", i, i % 7, i / 2, i % 11, i % 13,
                            (int)kd_rand_below(&rand, 1000000));
        fake_send(&fake, buf.ptr);
    }
    kd_buf_release(&buf);
}

static void a_kind_trains_and_encodes_anew(void **state)
{
    const struct kd_index index = { "spec.nodeName", "/spec/nodeName" };
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_informer_spec spec = fake_spec();
    struct kd_key *keys;
    size_t n;
    size_t settled = 0;
    (void)state;
    fake_init(&fake);
    loop = kd_loop_new();
    struct kd_informer_env env = fake_env(&fake, 1);
    env.post = post;
    spec.indexes = &index;
    spec.n_indexes = 1;
    assert_int_equal(kd_informer_new_in(&env, NULL, &spec, &fake.informer, NULL), 0);
    kd_informer_start(fake.informer);
    fake_send(&fake, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[");
    feed_pods(0, KD_DICT_MIN_OBJECTS - 1);
    assert_null(fake.informer->training);
    feed_pods(KD_DICT_MIN_OBJECTS - 1, 1500);
    assert_non_null(fake.informer->training);
    while (fake.informer->training) {
        kd_loop_run_once(loop, KD_SEC_NS);
    }
    assert_non_null(fake.informer->dict);
    feed_pods(1500, 2000);
    uint64_t before = fake_status(&fake).bytes;
    fake_advance(&fake, KD_SEC_NS);
    assert_int_equal(fake.informer->table.n_early, 0);
    assert_true(fake_status(&fake).bytes < before);
    kd_informer_each(fake.informer, count_settled, &settled);
    assert_int_equal(settled, 2000);
    kd_arena_init(&arena, KD_MIB);
    assert_int_equal(
        kd_informer_by_index(fake.informer, "spec.nodeName", KD_STR("node-3"), &arena, &keys, &n),
        0);
    assert_int_equal(n, 182);
    fake_release(&fake);
    kd_loop_free(loop);
}

static void an_informer_may_go_while_its_dictionary_is_trained(void **state)
{
    struct kd_informer_spec spec = fake_spec();
    (void)state;
    fake_init(&fake);
    loop = kd_loop_new();
    struct kd_informer_env env = fake_env(&fake, 1);
    env.post = post;
    assert_int_equal(kd_informer_new_in(&env, NULL, &spec, &fake.informer, NULL), 0);
    kd_informer_start(fake.informer);
    fake_send(&fake, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[");
    feed_pods(0, 600);
    assert_non_null(fake.informer->training);
    fake_release(&fake);
    kd_loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(a_dictionary_makes_smaller_and_has_an_id),
        cmocka_unit_test(damage_is_an_error),
        cmocka_unit_test(a_kind_trains_and_encodes_anew),
        cmocka_unit_test(an_informer_may_go_while_its_dictionary_is_trained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
