/* The view of an object that a plugin reads. */
#include "host.h"

#include "base/str.h"
#include "json/json.h"
#include "plugin/fields.h"
#include "plugin/object.h"

enum { F_NODE, F_CONTAINERS, F_GRACE, F_DEADLINE, F_CPU, F_MEMORY, F_READY, F_ANNOTATIONS };

static const char *const fields[] = {
    [F_NODE] = "/spec/nodeName",
    [F_CONTAINERS] = "/spec/containers",
    [F_GRACE] = "/spec/terminationGracePeriodSeconds",
    [F_DEADLINE] = "/spec/activeDeadlineSeconds",
    [F_CPU] = "/spec/containers/0/resources/limits/cpu",
    [F_MEMORY] = "/spec/containers/0/resources/limits/memory",
    [F_READY] = "/status/ready",
    [F_ANNOTATIONS] = "/metadata/annotations",
};

struct view {
    struct kd_instance_kind kind;
    struct kd_arena arena;
    struct kd_buf file;
    struct kd_object *object;
};

static int setup(void **state)
{
    struct view *view = kd_zalloc(sizeof(*view));
    view->kind.def = (struct kd_kind){
        .group = "", .version = "v1", .kind = "Pod", KD_ARRAY(fields, n_fields, fields)
    };
    kd_arena_init(&view->arena, KD_MIB);
    kd_buf_init(&view->file, KD_MIB);
    *state = view;
    return kd_fields_plan(&view->kind.def, &view->kind.fields, NULL);
}

static int teardown(void **state)
{
    struct view *view = *state;
    kd_json_plan_free(view->kind.fields);
    kd_arena_release(&view->arena);
    kd_buf_release(&view->file);
    kd_free(view);
    return 0;
}

static int bind(struct view *view, struct kd_str json, struct kd_error *error)
{
    view->object = NULL;
    kd_arena_reset(&view->arena, 0);
    return kd_object_bind(&view->kind, json, &view->arena, &view->object, error);
}

static const struct kd_object *bind_file(struct view *view, const char *name)
{
    char *path = kd_path_join(TEST_DATA, name);
    kd_buf_clear(&view->file, 0);
    assert_int_equal(kd_file_read(path, &view->file, NULL), 0);
    assert_int_equal(bind(view, kd_buf_str(&view->file), NULL), 0);
    kd_free(path);
    return view->object;
}

static void assert_str(struct kd_str text, const char *expected)
{
    if (!kd_str_is(text, expected)) {
        fail_msg("\"" KD_STR_FMT "\" is not \"%s\"", KD_STR_ARG(text), expected);
    }
}

static void test_the_head(void **state)
{
    const struct kd_object *pod = bind_file(*state, "pod.json");
    assert_str(pod->ref.group, "");
    assert_str(pod->ref.version, "v1");
    assert_str(pod->ref.kind, "Pod");
    assert_str(pod->ref.ns, "shop");
    assert_str(pod->ref.name, "web-7d9c-x2k4p");
    assert_str(pod->ref.uid, "6b0a7a1e-6c2f-4f0e-9a43-0d8f6f2f7f11");
    assert_str(pod->resource_version, "9007199254740993");
    assert_int_equal(pod->root.type, KD_JSON_OBJECT);
    assert_int_equal(pod->labels.type, KD_JSON_OBJECT);
    assert_str(kd_value_member_str(pod, pod->labels, KD_STR("app")), "web");
    assert_int_equal(pod->annotations.type, KD_JSON_OBJECT);
    assert_int_equal(pod->owners.type, KD_JSON_ARRAY);
    assert_str(kd_value_str(pod, pod->created), "2024-05-01T10:00:00Z");
}

static void test_fields_by_number(void **state)
{
    const struct kd_object *pod = bind_file(*state, "pod.json");
    assert_str(kd_object_str(pod, F_NODE), "node-1");
    assert_int_equal(kd_object_value(pod, F_CONTAINERS).type, KD_JSON_ARRAY);
    assert_int_equal(kd_object_value(pod, F_READY).type, KD_JSON_NONE);
    assert_int_equal(kd_object_value(pod, F_ANNOTATIONS + 1).type, KD_JSON_NONE);
    assert_int_equal(kd_object_value(pod, UINT32_MAX).type, KD_JSON_NONE);
    assert_str(kd_object_str(pod, F_CONTAINERS), "");
    assert_int_equal(kd_value_int(pod, kd_object_value(pod, F_NODE), -7), -7);
}

static void test_iteration(void **state)
{
    const struct kd_object *pod = bind_file(*state, "pod.json");
    struct kd_iter iter = kd_value_iter(pod, kd_object_value(pod, F_CONTAINERS));
    struct kd_value value;
    struct kd_str key;
    assert_true(kd_iter_next(pod, &iter, &value));
    assert_str(kd_value_member_str(pod, value, KD_STR("name")), "web");
    assert_true(kd_iter_next(pod, &iter, &value));
    assert_str(kd_value_member_str(pod, value, KD_STR("name")), "log");
    assert_false(kd_iter_next(pod, &iter, &value));
    iter = kd_value_iter(pod, pod->labels);
    assert_true(kd_iter_next_member(pod, &iter, &key, &value));
    assert_str(key, "app");
    assert_true(kd_iter_next_member(pod, &iter, &key, &value));
    assert_str(key, "a/b"); /* written with an escape */
    assert_false(kd_iter_next_member(pod, &iter, &key, &value));
    iter = kd_value_iter(pod, kd_object_value(pod, F_NODE));
    assert_false(kd_iter_next(pod, &iter, &value));
}

/* Numbers keep their digits. */
static void test_B62_large_numbers(void **state)
{
    const struct kd_object *pod = bind_file(*state, "pod.json");
    struct kd_value grace = kd_object_value(pod, F_GRACE);
    assert_int_equal(kd_value_int(pod, grace, -1), INT64_C(9007199254740993));
    assert_str((struct kd_str){ grace.ptr, grace.len }, "9007199254740993");
    assert_int_equal(kd_value_int(pod, kd_object_value(pod, F_DEADLINE), -1), 1000000);
    assert_int_equal(kd_object_value(pod, F_CPU).type, KD_JSON_NUMBER);
    assert_str(kd_object_str(pod, F_CPU), ""); /* a number is no text */
    assert_int_equal(kd_value_int(pod, kd_object_value(pod, F_CPU), -1), 2);
    assert_str(kd_object_str(pod, F_MEMORY), "128974848");
    assert_int_equal(kd_value_int(pod, kd_object_value(pod, F_MEMORY), -1), -1);
}

/* Lengths are kept over a NUL, and a lone surrogate stops nothing. */
static void test_B63_odd_strings(void **state)
{
    const struct kd_object *pod = bind_file(*state, "pod.json");
    struct kd_value notes = kd_object_value(pod, F_ANNOTATIONS);
    struct kd_str nul = kd_value_member_str(pod, notes, KD_STR("k"));
    assert_int_equal(nul.len, 3);
    assert_memory_equal(nul.ptr, "a\0b", 3);
    const char first[] = "x\0one";
    const char second[] = "x\0two";
    assert_str(kd_value_member_str(pod, notes, (struct kd_str){ first, 5 }), "1");
    assert_str(kd_value_member_str(pod, notes, (struct kd_str){ second, 5 }), "2");
    assert_int_equal(kd_value_member(pod, notes, KD_STR("x")).type, KD_JSON_NONE);
    assert_str(kd_value_member_str(pod, notes, KD_STR("emoji")), "\xf0\x9f\x98\x80");
    assert_str(kd_value_member_str(pod, notes, KD_STR("bad")), "\xef\xbf\xbd");
}

/* What has another type than expected reads as not there; the object still binds. */
static void test_B27_bad_types(void **state)
{
    struct view *view = *state;
    const struct kd_object *pod = bind_file(view, "pod_bad_types.json");
    assert_str(pod->ref.name, "bad");
    assert_str(pod->ref.ns, "");
    assert_str(pod->ref.uid, "");
    assert_str(pod->resource_version, "");
    assert_int_equal(pod->labels.type, KD_JSON_NONE);
    assert_int_equal(pod->annotations.type, KD_JSON_NONE);
    assert_int_equal(pod->owners.type, KD_JSON_NONE);
    assert_str(kd_object_str(pod, F_NODE), "");
    struct kd_value containers = kd_object_value(pod, F_CONTAINERS);
    assert_int_equal(containers.type, KD_JSON_STRING);
    struct kd_iter iter = kd_value_iter(pod, containers);
    struct kd_value value;
    assert_false(kd_iter_next(pod, &iter, &value));
    assert_int_equal(kd_value_member(pod, containers, KD_STR("name")).type, KD_JSON_NONE);
    assert_int_equal(kd_value_int(pod, kd_object_value(pod, F_GRACE), -1), -1);
    assert_int_equal(kd_value_bool(kd_object_value(pod, F_READY), 9), 9);
}

static void test_what_does_not_bind(void **state)
{
    static const struct {
        const char *json, *why;
    } bad[] = {
        { "", "" },
        { "{", "" },
        { "{\"metadata\":{\"name\":\"a\"}} x", "" },
        { "[]", "no JSON object" },
        { "null", "no JSON object" },
        { "{}", "no metadata.name" },
        { "{\"metadata\":[]}", "no metadata.name" },
        { "{\"metadata\":{\"name\":17}}", "no metadata.name" },
        { "{\"metadata\":{\"name\":\"\"}}", "no metadata.name" },
    };
    struct view *view = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        struct kd_error error = { 0 };
        assert_int_equal(bind(view, kd_str_from(bad[i].json), &error), KD_EPARSE);
        assert_null(view->object);
        assert_contains(error.text, bad[i].why);
        assert_true(error.text[0]);
    }
}

static void test_too_little_scratch(void **state)
{
    struct view *view = *state;
    struct kd_arena small;
    struct kd_object *object = NULL;
    struct kd_error error = { 0 };
    kd_arena_init(&small, 64);
    assert_int_equal(kd_object_bind(&view->kind, KD_STR("{\"metadata\":{\"name\":\"a\"}}"), &small,
                                    &object, &error),
                     KD_ENOMEM);
    assert_null(object);
    kd_arena_release(&small);
}

#define VIEW_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        VIEW_TEST(test_the_head),           VIEW_TEST(test_fields_by_number),
        VIEW_TEST(test_iteration),          VIEW_TEST(test_B62_large_numbers),
        VIEW_TEST(test_B63_odd_strings),    VIEW_TEST(test_B27_bad_types),
        VIEW_TEST(test_what_does_not_bind), VIEW_TEST(test_too_little_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
