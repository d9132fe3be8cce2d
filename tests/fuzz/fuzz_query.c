/*
 * The query of an API request, of any bytes: parameters, numbers, references and selectors. What
 * was taken must come out the same when it is written anew, and what is refused must be told.
 */
#include "server/kindname.h"
#include "server/selector.h"
#include "unit/server/source.h"

#include "base/limits.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct kd_str objects[] = {
    KD_STR_INIT("{}"),
    KD_STR_INIT("{\"app\":\"web\",\"tier\":\"\",\"n\":\"17\",\"a/b\":\"x.y-z\",\"e\":\"\\u00e9\"}"),
    KD_STR_INIT("{\"metadata\":{\"name\":\"a,b\",\"labels\":{\"x\":\"=\"}},\"spec\":{\"n\":[1,true,"
                "null],\"nodeName\":\"n1\"}}"),
};

static void check_selector(struct kd_str text, struct kd_arena *arena,
                           int (*parse)(struct kd_str text, struct kd_arena *arena,
                                        const struct kd_selector **ret, struct kd_error *reterr))
{
    const struct kd_selector *selector = NULL;
    struct kd_error err = { 0 };
    KD_AUTO_ARENA struct kd_arena scratch;
    kd_arena_init(&scratch, KD_MIB);
    if (parse(text, arena, &selector, &err) < 0) {
        KD_ASSERT(!selector && err.text[0]);
        return;
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(objects); i++) {
        bool matches = kd_selector_matches(selector, objects[i], &scratch);
        KD_ASSERT(matches || selector); /* no selector selects everything */
        KD_ASSERT(matches == kd_selector_matches(selector, objects[i], &scratch));
    }
}

static void check_reference(struct kd_str text, struct kd_arena *arena)
{
    static const struct kd_context context = {
        .source = { .kinds = source_get_kinds },
    };
    struct kd_match match = { 0 };
    struct kd_error err = { 0 };
    int rc = kd_reference_parse(&context, text, arena, &match, &err);
    if (rc < 0) {
        KD_ASSERT(err.text[0]);
        return;
    }
    KD_ASSERT(match.kind && match.ns && match.name && match.name->len > 0);
    KD_ASSERT(match.ns->len == 0 || !memchr(match.ns->ptr, '/', match.ns->len));
}

static void check_number(const struct kd_params *params)
{
    struct kd_error err = { 0 };
    uint64_t number = 0;
    if (kd_params_number(params, "limit", 500, 7, &number, &err) == 0) {
        KD_ASSERT(number <= 500);
        KD_ASSERT(number == 7 || kd_params_has(params, "limit"));
    } else {
        KD_ASSERT(err.text[0]);
    }
}

/* Percent-encoded anew, the query reads as before. */
static void check_again(const struct kd_params *params, size_t size, struct kd_arena *arena)
{
    KD_AUTO_BUF struct kd_buf query;
    struct kd_params again = { 0 };
    kd_buf_init(&query, 4 * size + 16);
    for (size_t i = 0; i < params->n; i++) {
        KD_ASSERT(kd_buf_puts(&query, i ? "&" : "") == 0);
        KD_ASSERT(kd_buf_put_url(&query, params->items[i].name) == 0);
        KD_ASSERT(kd_buf_putc(&query, '=') == 0);
        KD_ASSERT(kd_buf_put_url(&query, params->items[i].value) == 0);
    }
    KD_ASSERT(kd_params_parse(kd_buf_str(&query), arena, &again, NULL) == 0);
    KD_ASSERT(again.n == params->n);
    for (size_t i = 0; i < params->n; i++) {
        KD_ASSERT(kd_str_eq(again.items[i].name, params->items[i].name));
        KD_ASSERT(kd_str_eq(again.items[i].value, params->items[i].value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_str text = { (const char *)data, size };
    struct kd_params params = { 0 };
    struct kd_error err = { 0 };
    kd_arena_init(&arena, 16 * KD_MIB);
    check_selector(text, &arena, kd_label_selector_parse);
    check_selector(text, &arena, kd_field_selector_parse);
    check_reference(text, &arena);
    if (kd_params_parse(text, &arena, &params, &err) < 0) {
        KD_ASSERT(err.text[0]);
        return 0;
    }
    check_number(&params);
    check_again(&params, size, &arena);
    for (size_t i = 0; i < params.n && i < 16; i++) {
        check_selector(params.items[i].value, &arena, kd_label_selector_parse);
        check_selector(params.items[i].value, &arena, kd_field_selector_parse);
        check_reference(params.items[i].value, &arena);
    }
    return 0;
}
