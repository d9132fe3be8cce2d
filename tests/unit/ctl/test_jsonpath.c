/* Templates, as kubectl's -o jsonpath takes them: what they make of a document, and bad ones. */
#include "ctl_test.h"

#include "ctl/jsonpath.h"

#define DOCUMENT                                                                                   \
    "{\"kind\":\"List\",\"items\":[{\"name\":\"a\",\"n\":3,\"ready\":true,"                        \
    "\"labels\":{\"app\":\"x\",\"k8s.io/b\":\"c\"},\"ports\":[1,2,3,4]},"                          \
    "{\"name\":\"b\",\"n\":10,\"ready\":false,\"labels\":{\"app\":\"y\"},\"ports\":[]},"           \
    "{\"name\":\"c\",\"n\":2.5,\"text\":\"l\\n2\"}]}"

static void fills_in(void **state)
{
    static const struct {
        const char *template;
        const char *expected;
    } rows[] = {
        { "", "" },
        { "plain }", "plain }" },
        { "{.kind}", "List" },
        { "{ .kind }", "List" },
        { "{$.kind}{@.kind}", "ListList" },
        { "{['kind']}{.items[0]['name']}{.items[0][\"name\"]}", "Listaa" },
        { "{.items[*].name}", "a b c" },
        { "{.items.*.name}", "a b c" },
        { "<{.items[0].name}> <{.items[-1].name}>", "<a> <c>" },
        { "{.items[1:].name}|{.items[:2].name}|{.items[-2:].name}|{.items[::2].name}",
          "b c|a b|b c|a c" },
        { "{.items[0].ports[1:3]}", "2 3" },
        { "{.items[0,2].name}{.items[0]['name','n']}", "a ca 3" },
        { "{.items[9].name}{.none.at.all}", "" },
        { "{..name}", "a b c" },
        { "{..ports[0]}", "1" },
        { "{.items[0].labels}", "{\"app\":\"x\",\"k8s.io/b\":\"c\"}" },
        { "{.items[0].labels.k8s\\.io/b}", "c" },
        { "{.items[?(@.name==\"b\")].n}", "10" },
        { "{.items[?(@.name != 'b')].n}", "3 2.5" },
        { "{.items[?(@.n>2.5)].name}|{.items[?(@.n>=2.5)].name}|{.items[?(@.n<3)].name}|"
          "{.items[?(@.n<=3)].name}",
          "a b|a b c|c|a c" },
        { "{.items[?(@.ready==true)].name}{.items[?(@.text)].name}", "ac" },
        { "{.items[?(@.labels.app==\"y\")].name}", "b" },
        { "{.items[?(@.n==\"3\")].name}{.items[?(@.none==1)].name}", "" },
        { "{range .items[*]}{.name}={.n}{\"\\n\"}{end}", "a=3\nb=10\nc=2.5\n" },
        { "{range .items[0:2]}[{range .ports[*]}{@},{end}]{$.kind} {end}",
          "[1,2,3,4,]List []List " },
        { "{'it''s'}", NULL },
        { "{\"a\\t\\\"b\\\\\"}", "a\t\"b\\" },
        { "{.items[2].text}", "l\n2" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        KD_AUTO_ARENA struct kd_arena arena;
        struct kd_error error = { 0 };
        struct kd_jsonpath path;
        struct kd_buf out;
        kd_arena_init(&arena, KD_MIB);
        kd_buf_init(&out, KD_MIB);
        int rc = kd_jsonpath_parse(rows[i].template, &arena, &path, &error);
        if (!rows[i].expected) {
            assert_int_equal(rc, KD_EINVAL);
            continue;
        }
        if (rc < 0) {
            fail_msg("%s: %s", rows[i].template, error.text);
        }
        kd_jsonpath_put(&path, parsed(DOCUMENT), &out);
        if (strcmp(out.ptr ? out.ptr : "", rows[i].expected) != 0) {
            fail_msg("%s gives %s", rows[i].template, out.ptr);
        }
        kd_buf_release(&out);
    }
}

static void says_the_place(void **state)
{
    static const struct {
        const char *template;
        const char *words;
    } rows[] = {
        { "{.a", "character 4" },
        { "{.a}{", "character 6" },
        { "{.a.}x}", "character 5" },
        { "ab{x}", "character 4 (\"x}\"): here .name" },
        { "{.a[}", "write an index" },
        { "{.a[1}", "] is missing" },
        { "{.a[1:0:0]}", "step is 1 or more" },
        { "{.a['b]}", "no end" },
        { "{\"b}", "no end" },
        { "{.a[?(@.b==)]}", "character 12" },
        { "{.a[?(@.b=1)]}", "is missing" },
        { "{.a[?(@.b=='x']}", ") is missing" },
        { "{range .a[*]}x", "no {end}" },
        { "{end}", "no range before" },
        { "{.a b}", "} is missing" },
        { "{.a[99999999999]}", "too large" },
        { "{range .a[*]", "} is missing" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        KD_AUTO_ARENA struct kd_arena arena;
        struct kd_error error = { 0 };
        struct kd_jsonpath path = { (struct kd_jsonpath_part *)&arena };
        kd_arena_init(&arena, KD_MIB);
        assert_int_equal(kd_jsonpath_parse(rows[i].template, &arena, &path, &error), KD_EINVAL);
        assert_ptr_equal(path.first, &arena);
        if (!strstr(error.text, rows[i].words)) {
            fail_msg("%s: %s", rows[i].template, error.text);
        }
    }
}

static void nesting_is_bounded(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    KD_AUTO_BUF struct kd_buf text;
    struct kd_error error = { 0 };
    struct kd_jsonpath path;
    (void)state;
    kd_arena_init(&arena, KD_MIB);
    kd_buf_init(&text, KD_MIB);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(kd_buf_puts(&text, "{range .a[*]}"), 0);
    }
    assert_int_equal(kd_jsonpath_parse(text.ptr, &arena, &path, &error), KD_EINVAL);
    assert_non_null(strstr(error.text, "too deep"));
    kd_buf_clear(&text, KD_MIB);
    assert_int_equal(kd_buf_puts(&text, "{.a"), 0);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(kd_buf_puts(&text, "[?(@"), 0);
    }
    assert_int_equal(kd_jsonpath_parse(text.ptr, &arena, &path, &error), KD_EINVAL);
    assert_non_null(strstr(error.text, "too deep"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(fills_in), TEST(says_the_place),
                                        TEST(nesting_is_bounded) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
