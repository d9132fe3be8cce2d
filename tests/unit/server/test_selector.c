/* Label and field selectors: what they match and what is no selector. */
#include "server/selector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"

typedef int (*parse_fn)(struct kd_str text, struct kd_arena *arena, const struct kd_selector **ret,
                        struct kd_error *reterr);

struct row {
    const char *selector;
    int result; /* 1 matches, 0 does not, -1 is no selector */
};

static void check(parse_fn parse, const char *json, const struct row *row)
{
    struct kd_arena arena;
    struct kd_error error = { 0 };
    const struct kd_selector *selector = NULL;
    kd_arena_init(&arena, KD_MIB);
    int rc = parse(kd_str_from(row->selector), &arena, &selector, &error);
    if (row->result < 0) {
        if (rc != KD_EINVAL || !error.text[0]) {
            fail_msg("\"%s\" was taken", row->selector);
        }
    } else if (rc < 0) {
        fail_msg("\"%s\": %s", row->selector, error.text);
    } else if (kd_selector_matches(selector, kd_str_from(json), &arena) != (row->result == 1)) {
        fail_msg("\"%s\": %s on %s", row->selector, row->result ? "no match" : "match", json);
    }
    kd_arena_release(&arena);
}

#define LABELS "{\"app\":\"web\",\"n\":\"7\",\"empty\":\"\",\"a.b/c\":\"x-1_2.z\",\"in\":\"notin\"}"

static const struct row label_rows[] = {
    { "", 1 },
    { "  ", 1 },
    { "app=web", 1 },
    { "app==web", 1 },
    { " app = web ", 1 },
    { "app=db", 0 },
    { "app=we", 0 },
    { "App=web", 0 },
    { "app!=web", 0 },
    { "app!=db", 1 },
    { "gone!=web", 1 }, /* what is not there differs */
    { "gone=", 0 },
    { "empty=", 1 },
    { "empty", 1 },
    { "app=", 0 },
    { "app", 1 },
    { "gone", 0 },
    { "!gone", 1 },
    { "! gone", 1 },
    { "!app", 0 },
    { "app in (db, web)", 1 },
    { "app in (db)", 0 },
    { "app in(web)", 1 },
    { "app in ( web )", 1 },
    { "gone in (web)", 0 },
    { "empty in ()", 1 },
    { "empty in (a,)", 1 },
    { "app in ()", 0 },
    { "app notin (db)", 1 },
    { "app notin (db,web)", 0 },
    { "gone notin (web)", 1 },
    { "a.b/c=x-1_2.z", 1 },
    { "in=notin", 1 },
    { "in in (notin)", 1 },
    { "in notin (in)", 1 },
    { "n>6", 1 },
    { "n>7", 0 },
    { "n<8", 1 },
    { "n < 7", 0 },
    { "n>-1", 1 },
    { "app>1", 0 },
    { "gone<1", 0 },
    { "app=web,n=7", 1 },
    { "app=web,n=8", 0 },
    { "app in (web,db),n notin (8),!gone,a.b/c", 1 },
    { "=x", -1 },
    { "!", -1 },
    { "!=x", -1 },
    { ",app=web", -1 },
    { "app=web,", -1 },
    { "app=web,,n=7", -1 },
    { "app web", -1 },
    { "app=web n=7", -1 },
    { "!app=web", -1 },
    { "app=a=b", -1 },
    { "app===web", -1 },
    { "app in web", -1 },
    { "app in (web", -1 },
    { "app in (web db)", -1 },
    { "app in", -1 },
    { "app in (web))", -1 },
    { "app)", -1 },
    { "app=(web)", -1 },
    { "app like (web)", -1 },
    { "n>x", -1 },
    { "n>", -1 },
    { "n>9223372036854775808", -1 },
    { "n>=7", -1 },
    { "app=\"web\"", -1 },
    { "app=web;n=7", -1 },
};

#define OBJECT                                                                                     \
    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"shop\"},\"spec\":{\"nodeName\":\"n1\","         \
    "\"replicas\":3,\"paused\":true,\"nothing\":null,\"list\":[\"a\"]},"                           \
    "\"status\":{\"podIP\":\"fd00::1\",\"odd\":\"a,b=c\\\\d\",\"spaced\":\"a b\"}}"

static const struct row field_rows[] = {
    { "", 1 },
    { "metadata.name=p", 1 },
    { "metadata.name==p", 1 },
    { "metadata.name=q", 0 },
    { "metadata.name!=q", 1 },
    { "metadata.name!=p", 0 },
    { "metadata.name=p,spec.nodeName=n1", 1 },
    { "metadata.name=p, spec.nodeName=n2", 0 },
    { "spec.replicas=3", 1 },
    { "spec.replicas=03", 0 },
    { "spec.paused=true", 1 },
    { "spec.paused=false", 0 },
    { "spec.gone=", 1 }, /* what is not there is the empty text */
    { "spec.gone!=", 0 },
    { "spec.gone=x", 0 },
    { "spec.gone!=x", 1 },
    { "spec.nothing=", 1 },
    { "spec.list.0=a", 1 },
    { "spec.list=a", 0 }, /* a list is no text */
    { "spec=", 0 },
    { "status.podIP=fd00::1", 1 },
    { "status.odd=a\\,b\\=c\\\\d", 1 },
    { "status.spaced=a b", 1 },
    { "status.spaced=a b,metadata.name=p", 1 },
    { "nothing", -1 },
    { "!spec.nodeName", -1 },
    { "spec.nodeName in (n1)", -1 },
    { "spec.replicas>2", -1 },
    { "metadata.name=p,", -1 },
    { "=p", -1 },
    { "metadata.name=p=q", -1 },
    { "metadata.name=p\\q", -1 },
    { "metadata.name=p\\", -1 },
};

static void test_labels(void **state)
{
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(label_rows); i++) {
        check(kd_label_selector_parse, LABELS, &label_rows[i]);
    }
}

static void test_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(field_rows); i++) {
        check(kd_field_selector_parse, OBJECT, &field_rows[i]);
    }
}

static void test_objects_without_labels(void **state)
{
    static const char *const none[] = { "", "{}", "null", "[]", "not json" };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(none); i++) {
        check(kd_label_selector_parse, none[i], &(struct row){ "", 1 });
        check(kd_label_selector_parse, none[i], &(struct row){ "app=web", 0 });
        check(kd_label_selector_parse, none[i], &(struct row){ "app", 0 });
    }
    check(kd_label_selector_parse, "{}", &(struct row){ "!app", 1 });
    check(kd_label_selector_parse, "{\"app\":7}", &(struct row){ "app=7", 0 });
}

static void test_the_fault_is_placed(void **state)
{
    struct kd_arena arena;
    struct kd_error error = { 0 };
    const struct kd_selector *selector;
    (void)state;
    kd_arena_init(&arena, KD_MIB);
    assert_int_equal(kd_label_selector_parse(KD_STR("app=web,=x"), &arena, &selector, &error),
                     KD_EINVAL);
    assert_string_equal(error.text, "selector \"app=web,=x\": a key expected at character 9");
    kd_arena_release(&arena);
}

static void test_no_room(void **state)
{
    struct kd_arena arena;
    const struct kd_selector *selector;
    (void)state;
    kd_arena_init(&arena, 16);
    assert_int_equal(kd_label_selector_parse(KD_STR("a=b"), &arena, &selector, NULL), KD_ENOMEM);
    kd_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_objects_without_labels),
        cmocka_unit_test(test_the_fault_is_placed),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
