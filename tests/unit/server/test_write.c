/* The JSON forms of the API, to the byte. */
#include "server/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/limits.h"

#define POD_REF                                                                                    \
    {                                                                                              \
        KD_STR_INIT(""), KD_STR_INIT("v1"), KD_STR_INIT("Pod"), KD_STR_INIT("shop"),               \
            KD_STR_INIT("we\"b"), KD_STR_INIT("u1")                                                \
    }
#define POD_JSON                                                                                   \
    "{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\",\"namespace\":\"shop\","                  \
    "\"name\":\"we\\\"b\",\"uid\":\"u1\"}"
#define NODE_REF                                                                                   \
    {                                                                                              \
        .version = KD_STR_INIT("v1"), .kind = KD_STR_INIT("Node"), .name = KD_STR_INIT("n")        \
    }
#define NODE_JSON                                                                                  \
    "{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Node\",\"namespace\":\"\",\"name\":\"n\","      \
    "\"uid\":\"\"}"

static int setup(void **state)
{
    static struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    *state = &out;
    return 0;
}

static int teardown(void **state)
{
    kd_buf_release(*state);
    return 0;
}

static void test_texts_and_numbers(void **state)
{
    struct kd_buf *out = *state;
    kd_write_text(out, "k", (struct kd_str){ "a\0\"\\\n", 5 });
    kd_write_number(out, ",n", UINT64_MAX);
    assert_string_equal(out->ptr, "\"k\":\"a\\u0000\\\"\\\\\\n\"\",n\":18446744073709551615");
}

static void test_a_resource(void **state)
{
    struct kd_buf *out = *state;
    const struct kd_stored stored = {
        .ref = POD_REF,
        .labels = KD_STR_INIT("{\"a\":\"b\"}"),
        .data = KD_STR_INIT("{\"spec\":{\"n\":9007199254740993}}"),
        .created_ns = INT64_C(1714557600000000000),
        .updated_ns = INT64_C(1714557601234567890),
    };
    kd_write_resource(out, &stored);
    assert_string_equal(out->ptr,
                        "{\"ref\":" POD_JSON ",\"labels\":{\"a\":\"b\"},\"annotations\":{},"
                        "\"createdAt\":\"2024-05-01T10:00:00Z\","
                        "\"updatedAt\":\"2024-05-01T10:00:01.234Z\","
                        "\"data\":{\"spec\":{\"n\":9007199254740993}}}");
}

static void test_an_unknown_time_is_empty(void **state)
{
    struct kd_buf *out = *state;
    const struct kd_stored stored = { .ref = NODE_REF };
    kd_write_resource(out, &stored);
    assert_string_equal(out->ptr, "{\"ref\":" NODE_JSON ",\"labels\":{},\"annotations\":{},"
                                  "\"createdAt\":\"\",\"updatedAt\":\"\",\"data\":{}}");
}

static const struct kd_stored_relation bound = {
    .type = KD_STR_INIT("PodNodeBinding"),
    .attrs = KD_STR_INIT("{\"nodeName\":\"n\"}"),
    .subject = POD_REF,
    .object = NODE_REF,
    .resolved = true,
    .id = 7,
};

#define BOUND_JSON                                                                                 \
    "{\"predicate\":{\"type\":\"PodNodeBinding\",\"nodeName\":\"n\"},\"subject\":" POD_JSON        \
    ",\"object\":" NODE_JSON ",\"resolved\":true}"

static void test_relations(void **state)
{
    static const char *const empty[] = { "", "{}" };
    struct kd_buf *out = *state;
    kd_write_relation(out, &bound);
    assert_string_equal(out->ptr, BOUND_JSON);
    for (size_t i = 0; i < KD_ARRAY_LEN(empty); i++) {
        struct kd_stored_relation plain = bound;
        plain.attrs = kd_cstr(empty[i]);
        plain.resolved = false;
        kd_buf_clear(out, 0);
        kd_write_relation(out, &plain);
        assert_string_equal(out->ptr,
                            "{\"predicate\":{\"type\":\"PodNodeBinding\"},\"subject\":" POD_JSON
                            ",\"object\":" NODE_JSON ",\"resolved\":false}");
    }
}

static void test_changes(void **state)
{
    static const struct {
        enum kd_change_type type;
        const char *json;
    } rows[] = {
        { KD_CHANGE_PUT, "{\"seq\":5,\"type\":\"put\",\"resource\":" POD_JSON "}" },
        { KD_CHANGE_DELETE, "{\"seq\":5,\"type\":\"delete\",\"resource\":" POD_JSON "}" },
        { KD_CHANGE_RELATE, "{\"seq\":5,\"type\":\"relate\",\"relation\":" BOUND_JSON "}" },
        { KD_CHANGE_UNRELATE, "{\"seq\":5,\"type\":\"unrelate\",\"relation\":" BOUND_JSON "}" },
    };
    struct kd_buf *out = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        const struct kd_change change = {
            .seq = 5, .type = rows[i].type, .ref = POD_REF, .relation = bound
        };
        kd_buf_clear(out, 0);
        kd_write_change(out, &change);
        assert_string_equal(out->ptr, rows[i].json);
    }
}

static void test_a_full_buffer_remembers(void **state)
{
    struct kd_buf small;
    (void)state;
    kd_buf_init(&small, 64);
    kd_write_relation(&small, &bound);
    assert_true(kd_buf_failed(&small));
    kd_buf_release(&small);
}

#define WRITE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WRITE_TEST(test_texts_and_numbers),
        WRITE_TEST(test_a_resource),
        WRITE_TEST(test_an_unknown_time_is_empty),
        WRITE_TEST(test_relations),
        WRITE_TEST(test_changes),
        WRITE_TEST(test_a_full_buffer_remembers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
