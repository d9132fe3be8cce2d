/* JSON with indent and YAML in block style. */
#include "ctl_test.h"

#include "base/alloc.h"
#include "ctl/emit.h"

static void assert_yaml(const char *json, const char *expected)
{
    struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    kd_ctl_yaml_put(&out, parsed(json));
    assert_out(&out, expected);
}

static void assert_text(struct kd_str text, const char *expected)
{
    struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    kd_ctl_yaml_put_text(&out, text, 2);
    assert_out(&out, expected);
}

static void json_is_indented(void **state)
{
    struct kd_buf out;
    (void)state;
    kd_buf_init(&out, KD_MIB);
    kd_ctl_json_put(&out, parsed("{\"a\":[1,{}, [ ],{\"b\\u0000\":\"x\\\"{\"}],\"n\":null}"), 0);
    assert_out(&out, "{\n"
                     "  \"a\": [\n"
                     "    1,\n"
                     "    {},\n"
                     "    [],\n"
                     "    {\n"
                     "      \"b\\u0000\": \"x\\\"{\"\n"
                     "    }\n"
                     "  ],\n"
                     "  \"n\": null\n"
                     "}");
}

static void numbers_keep_their_digits(void **state)
{
    static const char text[] = "[100000000000000000000000,1.10,1e400,-0,9007199254740993]";
    struct kd_buf out;
    (void)state;
    kd_buf_init(&out, KD_MIB);
    kd_ctl_json_put(&out, parsed(text), 0);
    assert_out(&out, "[\n  100000000000000000000000,\n  1.10,\n  1e400,\n  -0,\n"
                     "  9007199254740993\n]");
    assert_yaml(text, "- 100000000000000000000000\n- 1.10\n- 1e400\n- -0\n- 9007199254740993\n");
}

static void yaml_nests(void **state)
{
    (void)state;
    assert_yaml("{\"a\":{\"b\":{\"c\":true}},\"l\":[{\"x\":1,\"z\":[2,[3,4],{}]},\"s\",[]],"
                "\"e\":{},\"u\":null}",
                "a:\n"
                "  b:\n"
                "    c: true\n"
                "l:\n"
                "- x: 1\n"
                "  z:\n"
                "  - 2\n"
                "  - - 3\n"
                "    - 4\n"
                "  - {}\n"
                "- s\n"
                "- []\n"
                "e: {}\n"
                "u: null\n");
    assert_yaml("[]", "[]\n");
    assert_yaml("\"x\"", "x\n");
}

static void yaml_elements(void **state)
{
    struct kd_buf out;
    (void)state;
    kd_buf_init(&out, KD_MIB);
    kd_ctl_yaml_put_element(&out, parsed("{\"ref\":{\"name\":\"a\"},\"data\":{}}"));
    kd_ctl_yaml_put_element(&out, parsed("{}"));
    assert_out(&out, "- ref:\n    name: a\n  data: {}\n- {}\n");
}

static void plain_strings(void **state)
{
    static const char *const plain[] = {
        "web",        "web-1",        "v1",         "500m",   "1Gi",
        "nginx:1.25", "/etc/passwd",  "a b c",      "--all",  "-v",
        "a.b/c=d",    "True story",   "nullable",   "node-1", "Running",
        "app=web,x",  "http://a:80/", "10.0.0.1/8", "_x",     "on-call",
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(plain); i++) {
        assert_text(kd_str_from(plain[i]), plain[i]);
    }
}

static void quoted_strings(void **state)
{
    static const char *const quoted[] = {
        "",           "null",
        "True",       "NO",
        "on",         "y",
        "~",          "1",
        "-1",         "+1",
        "1.5",        "1e3",
        "0x1f",       "0o17",
        "1_000",      "1:30",
        ".5",         ".inf",
        "-.inf",      ".nan",
        "2024-01-01", "2024-01-01T00:00:00Z",
        "a: b",       "a:",
        "a #b",       "#a",
        "- a",        "-",
        "---",        "? a",
        ": a",        "*a",
        "&a",         "!a",
        "|",          ">",
        "%a",         "@a",
        "`a",         "[a]",
        "{a}",        "a ",
        " a",         "a  b",
        "=",          "<<",
        "'a'",        "128974848",
        "10.244.0.1", "it's",
        ",a",
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(quoted); i++) {
        char *expected = kd_asprintf("\"%s\"", quoted[i]);
        assert_text(kd_str_from(quoted[i]), expected);
        kd_free(expected);
    }
    assert_text(KD_STR("a\"\\\t\x01\x7f"), "\"a\\\"\\\\\\t\\u0001\\u007f\"");
    assert_text((struct kd_str){ "a\0b", 3 }, "\"a\\u0000b\"");
    assert_text(KD_STR("\xc3\xa9 \xc2\x85 \xe2\x80\xa8 \xef\xbb\xbf \xf0\x9f\x98\x80"),
                "\"\xc3\xa9 \\u0085 \\u2028 \\ufeff \xf0\x9f\x98\x80\"");
    assert_text(KD_STR("\xff"), "\"\xef\xbf\xbd\"");
}

static void lines_of_text(void **state)
{
    (void)state;
    assert_yaml("{\"a\":{\"t\":\"one\\n two: #\\n\\nthree\"},\"b\":\"x\\n\",\"c\":[\"x\\n\\n\"]}",
                "a:\n"
                "  t: |-\n"
                "    one\n"
                "     two: #\n"
                "\n"
                "    three\n"
                "b: |\n"
                "  x\n"
                "c:\n"
                "- |+\n"
                "  x\n"
                "\n");
    assert_text(KD_STR("\n"), "\"\\n\"");
    assert_text(KD_STR("\na"), "\"\\na\"");
    assert_text(KD_STR(" a\nb"), "\" a\\nb\"");
    assert_text(KD_STR("a\r\nb"), "\"a\\r\\nb\"");
    assert_text(KD_STR("a\tb\nc"), "\"a\\tb\\nc\"");
}

static void keys(void **state)
{
    char *name = kd_zalloc(600);
    memset(name, 'k', 599);
    char *json = kd_asprintf("{\"%s\":{\"a\":[1]}}", name);
    char *expected = kd_asprintf("? %s\n:\n  a:\n  - 1\n", name);
    (void)state;
    assert_yaml("{\"a\\nb\":1,\"on\":2,\"\":3,\"x/y.z\":4,\"1\":5}",
                "\"a\\nb\": 1\n\"on\": 2\n\"\": 3\nx/y.z: 4\n\"1\": 5\n");
    assert_yaml(json, expected);
    kd_free(name);
    kd_free(json);
    kd_free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(json_is_indented), TEST(numbers_keep_their_digits),
        TEST(yaml_nests),       TEST(yaml_elements),
        TEST(plain_strings),    TEST(quoted_strings),
        TEST(lines_of_text),    TEST(keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
