/* Records: packed forms, section hashes, what is stored, what is no object. */
#include "unit/informer/fake.h"

struct bench {
    struct kd_shape shape;
    struct kd_scratch scratch;
};

static void bench_init(struct bench *bench, const char *const *noise, size_t n_noise)
{
    struct kd_informer_spec spec = fake_spec();
    spec.noise = noise;
    spec.n_noise = n_noise;
    assert_int_equal(kd_shape_init(&bench->shape, &spec, NULL), 0);
    kd_scratch_init(&bench->scratch, &bench->shape);
}

static void bench_release(struct bench *bench)
{
    kd_scratch_release(&bench->scratch);
    kd_shape_release(&bench->shape);
}

static struct kd_record *make(struct bench *bench, const char *text)
{
    struct kd_value root;
    struct kd_record_parts parts;
    struct kd_record *record = NULL;
    assert_int_equal(kd_json_parse(kd_str_from(text), &root, NULL), 0);
    assert_int_equal(kd_shape_identify(&bench->shape, &bench->scratch, root, &parts), 0);
    assert_int_equal(kd_shape_fill(&bench->shape, &bench->scratch, root, &parts), 0);
    assert_int_equal(kd_record_new(&parts, NULL, &record), 0);
    return record;
}

static uint32_t changed(struct bench *bench, const char *a, const char *b)
{
    struct kd_record *left = make(bench, a);
    struct kd_record *right = make(bench, b);
    uint32_t bits = kd_record_changed(left, right);
    kd_record_unref(left);
    kd_record_unref(right);
    return bits;
}

#define OBJ(meta, rest) "{\"metadata\":{\"name\":\"a\"" meta "}" rest "}"

static void each_section_has_its_bit(void **state)
{
    static const char plain[] = OBJ("", "");
    struct bench bench;
    (void)state;
    bench_init(&bench, NULL, 0);
    assert_int_equal(changed(&bench, plain, OBJ(",\"labels\":{\"a\":\"b\"}", "")),
                     KD_CHANGED_LABELS);
    assert_int_equal(changed(&bench, plain, OBJ(",\"annotations\":{\"a\":\"b\"}", "")),
                     KD_CHANGED_ANNOTATIONS);
    assert_int_equal(changed(&bench, plain, OBJ(",\"deletionTimestamp\":\"x\"", "")),
                     KD_CHANGED_METADATA);
    assert_int_equal(changed(&bench, plain, OBJ(",\"ownerReferences\":[{}]", "")),
                     KD_CHANGED_METADATA);
    assert_int_equal(changed(&bench, plain, OBJ("", ",\"spec\":{\"a\":1}")), KD_CHANGED_SPEC);
    assert_int_equal(changed(&bench, plain, OBJ("", ",\"status\":{\"a\":1}")), KD_CHANGED_STATUS);
    assert_int_equal(changed(&bench, plain, OBJ("", ",\"data\":{\"a\":1}")), KD_CHANGED_REST);
    assert_int_equal(changed(&bench, OBJ("", ",\"spec\":{\"a\":1},\"status\":2"),
                             OBJ("", ",\"spec\":{\"a\":2},\"status\":3")),
                     KD_CHANGED_SPEC | KD_CHANGED_STATUS);
    bench_release(&bench);
}

static void what_is_left_out_changes_nothing(void **state)
{
    static const char plain[] = OBJ("", "");
    struct bench bench;
    (void)state;
    bench_init(&bench, NULL, 0);
    assert_int_equal(changed(&bench, plain, OBJ(",\"resourceVersion\":\"7\"", "")), 0);
    assert_int_equal(changed(&bench, plain, OBJ(",\"managedFields\":[{\"a\":1}]", "")), 0);
    assert_int_equal(changed(&bench, plain, OBJ("", ",\"kind\":\"Pod\",\"apiVersion\":\"v1\"")), 0);
    assert_int_equal(changed(&bench, plain, OBJ(",\"labels\":{},\"uid\":\"\"", ",\"status\":null")),
                     0);
    assert_int_equal(changed(&bench, OBJ(",\"x\":1,\"y\":2", ",\"p\":1,\"q\":2"),
                             "{\"q\":2,\"metadata\":{\"y\":2,\"x\":1,\"name\":\"a\"},\"p\":1}"),
                     0);
    /* Values that trade places are a change. */
    assert_int_equal(changed(&bench, OBJ("", ",\"p\":1,\"q\":2"), OBJ("", ",\"p\":2,\"q\":1")),
                     KD_CHANGED_REST);
    bench_release(&bench);
}

static void noise_changes_nothing(void **state)
{
    static const char *const noise[] = { "/status/conditions/*/lastHeartbeatTime",
                                         "/metadata/annotations/beat" };
    struct bench bench;
    (void)state;
    bench_init(&bench, noise, 2);
    assert_int_equal(changed(&bench,
                             OBJ("", ",\"status\":{\"conditions\":[{\"type\":\"Ready\","
                                     "\"lastHeartbeatTime\":\"1\"}]}"),
                             OBJ("", ",\"status\":{\"conditions\":[{\"type\":\"Ready\","
                                     "\"lastHeartbeatTime\":\"2\"}]}")),
                     0);
    assert_int_equal(changed(&bench,
                             OBJ("", ",\"status\":{\"conditions\":[{\"type\":\"Ready\","
                                     "\"lastHeartbeatTime\":\"1\"}]}"),
                             OBJ("", ",\"status\":{\"conditions\":[{\"type\":\"Other\","
                                     "\"lastHeartbeatTime\":\"1\"}]}")),
                     KD_CHANGED_STATUS);
    assert_int_equal(changed(&bench, OBJ("", ""), OBJ(",\"annotations\":{\"beat\":\"1\"}", "")), 0);
    bench_release(&bench);
}

static void check_identity(struct bench *bench, const char *uid, const char *version)
{
    char out_uid[KD_UID_MAX];
    char out_version[KD_VERSION_MAX];
    KD_AUTO_FREE char *text =
        kd_asprintf("{\"metadata\":{\"name\":\"n\\u0061me\",\"namespace\":\"ns\",\"uid\":\"%s\","
                    "\"resourceVersion\":\"%s\"}}",
                    uid, version);
    struct kd_record *record = make(bench, text);
    assert_true(kd_str_is(kd_record_key(record).name, "name"));
    assert_true(kd_str_is(kd_record_key(record).ns, "ns"));
    assert_true(kd_str_is(kd_record_uid(record, out_uid), uid));
    assert_true(kd_str_is(kd_record_version(record, out_version), version));
    kd_record_unref(record);
}

static void uid_and_version_read_back(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, NULL, 0);
    check_identity(&bench, "0a1b2c3d-4e5f-6789-abcd-ef0123456789", "18446744073709551615");
    check_identity(&bench, "0A1B2C3D-4e5f-6789-abcd-ef0123456789", "18446744073709551616");
    check_identity(&bench, "0a1b2c3d-4e5f-6789-abcd-ef012345678", "007");
    check_identity(&bench, "0a1b2c3d+4e5f-6789-abcd-ef0123456789", "0");
    check_identity(&bench, "", "");
    check_identity(&bench, "odd", "v1.2");
    bench_release(&bench);
}

static void stored_text_has_head_and_no_managed_fields(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct bench bench;
    struct kd_str text;
    (void)state;
    kd_arena_init(&arena, KD_MIB);
    bench_init(&bench, NULL, 0);
    struct kd_record *record =
        make(&bench, "{\"zz\":[1, 2],\"kind\":\"X\",\"metadata\":{\"managedFields\":[{\"a\":{}}],"
                     "\"name\":\"a\",\"labels\":{\"k\":\"managedFields\"}},\"apiVersion\":\"w\"}");
    assert_int_equal(kd_record_decode(record, &arena, &text), 0);
    assert_string_equal(text.ptr, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                                  "\"a\",\"labels\":{\"k\":\"managedFields\"}},\"zz\":[1, 2]}");
    assert_int_equal(kd_record_raw_len(record), text.len);
    kd_record_unref(record);
    bench_release(&bench);
}

static void refuse(struct bench *bench, const char *text)
{
    struct kd_value root;
    struct kd_record_parts parts;
    assert_int_equal(kd_json_parse(kd_str_from(text), &root, NULL), 0);
    assert_int_equal(kd_shape_identify(&bench->shape, &bench->scratch, root, &parts), KD_EINVAL);
}

static void what_has_no_name_is_no_object(void **state)
{
    static char name[KD_NAME_MAX + 2];
    struct bench bench;
    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    KD_AUTO_FREE char *long_name = kd_asprintf("{\"metadata\":{\"name\":\"%s\"}}", name);
    bench_init(&bench, NULL, 0);
    refuse(&bench, "17");
    refuse(&bench, "{}");
    refuse(&bench, "{\"metadata\":null}");
    refuse(&bench, "{\"metadata\":[{\"name\":\"a\"}]}");
    refuse(&bench, "{\"metadata\":{\"name\":\"\"}}");
    refuse(&bench, "{\"metadata\":{\"name\":null}}");
    refuse(&bench, "{\"metadata\":{\"name\":\"a\",\"namespace\":7}}");
    refuse(&bench, long_name);
    bench_release(&bench);
}

static void check_head(const char *head, unsigned depth, const char *ns, const char *name)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_key key;
    kd_arena_init(&arena, KD_MIB);
    bool found = kd_head_key(kd_str_from(head), depth, &arena, &key);
    assert_int_equal(found, name != NULL);
    if (found) {
        assert_true(kd_str_is(key.name, name));
        assert_true(kd_str_is(key.ns, ns));
    }
}

static void a_head_names_its_object(void **state)
{
    (void)state;
    check_head("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"namespace\":\"d\",\"lab", 2, "d",
               "a");
    check_head("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"},\"sp", 3, "", "a");
    check_head("{\"metadata\":{\"annotations\":{\"name\":\"x\",\"q\":\"}\\\"{\"},\"name\":"
               "\"\\u0061\",\"labels\":{\"namespace\":\"y\"},\"namespace\":\"d\"}",
               2, "d", "a");
    check_head("{\"spec\":{\"metadata\":{\"name\":\"x\"}},\"metadata\":{\"name\":\"a\"}", 2, "",
               "a");
    check_head("{\"metadata\":{\"name\":\"a\"", 2, "", NULL); /* a namespace may follow */
    check_head("{\"metadata\":{\"name\":\"a", 2, "", NULL);
    check_head("{\"metadata\":{\"name\":7}", 2, "", NULL);
    check_head("", 2, "", NULL);
}

static void versions_compare_where_they_are_numbers(void **state)
{
    struct bench bench;
    int order = 7;
    (void)state;
    bench_init(&bench, NULL, 0);
    struct kd_record *record = make(&bench, OBJ(",\"resourceVersion\":\"10\"", ""));
    assert_true(kd_record_version_cmp(record, KD_STR("9"), &order) && order > 0);
    assert_true(kd_record_version_cmp(record, KD_STR("10"), &order) && order == 0);
    assert_true(kd_record_version_cmp(record, KD_STR("11"), &order) && order < 0);
    assert_false(kd_record_version_cmp(record, KD_STR("x"), &order));
    assert_false(kd_record_version_cmp(record, KD_STR(""), &order));
    kd_record_unref(record);
    bench_release(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_section_has_its_bit),
        cmocka_unit_test(what_is_left_out_changes_nothing),
        cmocka_unit_test(noise_changes_nothing),
        cmocka_unit_test(uid_and_version_read_back),
        cmocka_unit_test(stored_text_has_head_and_no_managed_fields),
        cmocka_unit_test(what_has_no_name_is_no_object),
        cmocka_unit_test(a_head_names_its_object),
        cmocka_unit_test(versions_compare_where_they_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
