/* The texts of the health endpoints. */
#include "server/health.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/limits.h"
#include "base/str.h"
#include "source.h"

/* Asks with `less` ready checks left out, the failing one first. */
static void check(size_t less, const char *path, const char *query, int code, const char *text)
{
    struct kd_server_source source = source_all;
    struct kd_params params = { 0 };
    struct kd_arena arena;
    struct kd_buf out;
    source.arg = &less;
    kd_arena_init(&arena, KD_MIB);
    kd_buf_init(&out, KD_MIB);
    assert_int_equal(kd_params_parse(kd_str_from(query), &arena, &params, NULL), 0);
    assert_int_equal(kd_health_answer(&source, kd_str_from(path), &params, &arena, &out), code);
    assert_string_equal(out.ptr ? out.ptr : "", text);
    kd_buf_release(&out);
    kd_arena_release(&arena);
}

#define GOOD 1
#define NODE "[-]kind-node failed: Node: forbidden 403: nodes is forbidden\n"
#define WARN "warn: some health checks cannot be excluded: no matches for \"gone\"\n"

static void test_success(void **state)
{
    (void)state;
    check(GOOD, "/healthz", "", 200, "ok");
    check(GOOD, "/readyz", "", 200, "ok");
    check(GOOD, "/readyz/", "", 200, "ok");
    check(GOOD, "/readyz", "exclude=gone", 200, "ok");
    check(GOOD, "/healthz", "verbose", 200, "[+]ping ok\nhealthz check passed\n");
    check(GOOD, "/readyz", "verbose=1", 200, "[+]kind-pod ok\n[+]store ok\nreadyz check passed\n");
    check(GOOD, "/readyz", "verbose&exclude=gone&exclude=store", 200,
          "[+]kind-pod ok\n[+]store excluded: ok\n" WARN "readyz check passed\n");
}

static void test_failure_is_verbose(void **state)
{
    (void)state;
    check(0, "/readyz", "", 500, NODE "[+]kind-pod ok\n[+]store ok\nreadyz check failed\n");
    check(0, "/readyz", "exclude=store&exclude=gone", 500,
          NODE "[+]kind-pod ok\n[+]store excluded: ok\n" WARN "readyz check failed\n");
    check(0, "/readyz", "exclude=kind-node", 200, "ok");
    check(0, "/readyz", "exclude=kind-node&verbose", 200,
          "[+]kind-node excluded: ok\n[+]kind-pod ok\n[+]store ok\nreadyz check passed\n");
    check(0, "/healthz", "", 200, "ok");
}

static void test_no_checks_at_all(void **state)
{
    (void)state;
    check(KD_ARRAY_LEN(source_ready), "/readyz", "verbose", 200, "readyz check passed\n");
}

static void test_sub_paths(void **state)
{
    (void)state;
    check(0, "/readyz/store", "", 200, "ok");
    check(0, "/readyz/kind-node", "", 500, "failed: Node: forbidden 403: nodes is forbidden\n");
    check(0, "/healthz/ping", "", 200, "ok");
    check(0, "/readyz/ping", "", 404, "");
    check(0, "/readyz/store/", "", 404, "");
}

static void test_other_paths(void **state)
{
    (void)state;
    check(0, "/", "", 404, "");
    check(0, "", "", 404, "");
    check(0, "/healthzz", "", 404, "");
    check(0, "/livez", "", 404, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_success),          cmocka_unit_test(test_failure_is_verbose),
        cmocka_unit_test(test_no_checks_at_all), cmocka_unit_test(test_sub_paths),
        cmocka_unit_test(test_other_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
