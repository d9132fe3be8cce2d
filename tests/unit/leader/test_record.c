/* Leases as they are read and written: odd ones (B44), and times with six digits (B43). */
#include "base/limits.h"
#include "base/str.h"
#include "leader/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct kd_lease lease_of(const char *text)
{
    struct kd_lease lease = { 0 };
    struct kd_error error = { 0 };
    if (kd_lease_read(kd_str_from(text), &lease, &error) < 0) {
        fail_msg("%s: %s", text, error.text);
    }
    return lease;
}

#define LEASE(spec) "{\"metadata\":{\"name\":\"l\",\"resourceVersion\":\"7\"},\"spec\":" spec "}"

static void test_B43_micro_time(void **state)
{
    static const struct {
        int64_t wall_ns;
        const char *text;
    } rows[] = {
        { 0, "1970-01-01T00:00:00.000000Z" },
        { INT64_C(1700000000000000000), "2023-11-14T22:13:20.000000Z" }, /* no microseconds */
        { INT64_C(1700000000000000999), "2023-11-14T22:13:20.000000Z" },
        { INT64_C(1700000000123456789), "2023-11-14T22:13:20.123456Z" },
        { INT64_C(1700000000100000000), "2023-11-14T22:13:20.100000Z" },
    };
    char out[KD_LEASE_TIME_MAX];
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        assert_string_equal(kd_micro_time(rows[i].wall_ns, out), rows[i].text);
    }
}

/* Reading: 0, 3, 6 and 9 digits and offsets are times; none of them is needed to elect. */
static void test_B43_times_of_others(void **state)
{
    static const char *const texts[] = { "2023-11-14T22:13:20Z", "2023-11-14T22:13:20.123Z",
                                         "2023-11-14T22:13:20.123456Z",
                                         "2023-11-14T23:13:20.123456789+01:00" };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(texts); i++) {
        int64_t wall_ns = 0;
        assert_int_equal(kd_rfc3339_parse(kd_str_from(texts[i]), &wall_ns), 0);
        assert_int_equal(wall_ns / KD_SEC_NS, 1700000000);
    }
}

static void test_whole(void **state)
{
    (void)state;
    struct kd_lease lease = lease_of(
        LEASE("{\"holderIdentity\":\"a\\u0062\",\"leaseDurationSeconds\":15,\"acquireTime\":\"x\","
              "\"renewTime\":\"2023-11-14T22:13:20.123456Z\",\"leaseTransitions\":3}"));
    assert_string_equal(lease.holder, "ab");
    assert_int_equal(lease.duration_ns, 15 * KD_SEC_NS);
    assert_int_equal(lease.transitions, 3);
    assert_string_equal(lease.version, "7");
    assert_string_equal(lease.acquired, "x");
    assert_string_equal(lease.renewed, "2023-11-14T22:13:20.123456Z");
    assert_false(kd_lease_is_free(&lease));
    kd_lease_release(&lease);
    kd_lease_release(&lease);
}

static void test_B44_odd(void **state)
{
    static const struct {
        const char *text;
        bool free;
        int64_t duration_ns;
    } rows[] = {
        { "{\"metadata\":{\"resourceVersion\":\"7\"}}", true, 0 },
        { LEASE("{}"), true, 0 },
        { LEASE("null"), true, 0 },
        { LEASE("[1]"), true, 0 },
        { LEASE("{\"leaseDurationSeconds\":15}"), true, 15 * KD_SEC_NS },
        { LEASE("{\"holderIdentity\":null,\"leaseDurationSeconds\":15}"), true, 15 * KD_SEC_NS },
        { LEASE("{\"holderIdentity\":\"a\"}"), true, 0 },
        { LEASE("{\"holderIdentity\":\"a\",\"leaseDurationSeconds\":0}"), true, 0 },
        { LEASE("{\"holderIdentity\":\"a\",\"leaseDurationSeconds\":-5}"), true, 0 },
        { LEASE("{\"holderIdentity\":\"a\",\"leaseDurationSeconds\":\"15\"}"), false,
          KD_LEASE_UNREADABLE },
        { LEASE("{\"holderIdentity\":\"a\",\"leaseDurationSeconds\":1.5}"), false,
          KD_LEASE_UNREADABLE },
        { LEASE("{\"holderIdentity\":\"a\",\"leaseDurationSeconds\":9223372036854775807}"), false,
          INT32_MAX * KD_SEC_NS },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_lease lease = lease_of(rows[i].text);
        if (kd_lease_is_free(&lease) != rows[i].free || lease.duration_ns != rows[i].duration_ns) {
            fail_msg("%s: %lld", rows[i].text, (long long)lease.duration_ns);
        }
        kd_lease_release(&lease);
    }
}

#define SEVENS "77777777777777777777777777777777"
#define LONG_VERSION "{\"metadata\":{\"resourceVersion\":\"" SEVENS SEVENS "\"}}"

static void test_no_lease(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "7",
        "{}",
        "{\"metadata\":null}",
        "{\"metadata\":{}}",
        "{\"metadata\":{\"resourceVersion\":\"\"}}",
        "{\"metadata\":{\"resourceVersion\":7}}",
        LONG_VERSION,
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(texts); i++) {
        struct kd_lease lease = { 0 };
        struct kd_error error = { 0 };
        assert_int_equal(kd_lease_read(kd_str_from(texts[i]), &lease, &error), KD_EPARSE);
        assert_null(lease.json);
        assert_true(error.text[0] != '\0');
    }
}

/* Another version or another byte of the spec is a sign of life; metadata alone is told by its
 * version. */
static void test_print(void **state)
{
    (void)state;
    struct kd_lease a = lease_of(LEASE("{\"renewTime\":\"soon\"}"));
    struct kd_lease b = lease_of(LEASE("{\"renewTime\":\"soon\"}"));
    struct kd_lease c = lease_of(LEASE("{\"renewTime\":\"sooner\"}"));
    struct kd_lease d = lease_of("{\"metadata\":{\"resourceVersion\":\"8\"},\"spec\":"
                                 "{\"renewTime\":\"soon\"}}");
    assert_true(a.print == b.print);
    assert_true(a.print != c.print && a.print != d.print);
    kd_lease_release(&a);
    kd_lease_release(&b);
    kd_lease_release(&c);
    kd_lease_release(&d);
}

static void assert_written(const char *base, const char *expected)
{
    const struct kd_claim claim = { .ns = "n",
                                    .name = "l",
                                    .holder = "me",
                                    .duration_s = 15,
                                    .acquired = "t1",
                                    .renewed = "t2",
                                    .transitions = 4 };
    struct kd_lease lease = { 0 };
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    if (base) {
        lease = lease_of(base);
    }
    assert_int_equal(kd_lease_write(base ? &lease : NULL, &claim, &out), 0);
    assert_string_equal(out.ptr, expected);
    kd_lease_release(&lease);
}

static void test_write(void **state)
{
    (void)state;
    assert_written(NULL, "{\"metadata\":{\"namespace\":\"n\",\"name\":\"l\"},"
                         "\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\","
                         "\"spec\":{\"holderIdentity\":\"me\",\"leaseDurationSeconds\":15,"
                         "\"acquireTime\":\"t1\",\"renewTime\":\"t2\",\"leaseTransitions\":4}}");
    /* What we do not know of stays as it is. */
    assert_written("{\"metadata\":{\"resourceVersion\":\"7\",\"labels\":{\"a\":\"b\"}},"
                   "\"spec\":{\"strategy\":\"x\",\"holderIdentity\":\"you\"}}",
                   "{\"metadata\":{\"resourceVersion\":\"7\",\"labels\":{\"a\":\"b\"}},"
                   "\"spec\":{\"strategy\":\"x\",\"holderIdentity\":\"me\","
                   "\"leaseDurationSeconds\":15,\"acquireTime\":\"t1\",\"renewTime\":\"t2\","
                   "\"leaseTransitions\":4}}");
    assert_written("{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":null}",
                   "{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{\"holderIdentity\":\"me\","
                   "\"leaseDurationSeconds\":15,\"acquireTime\":\"t1\",\"renewTime\":\"t2\","
                   "\"leaseTransitions\":4}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B43_micro_time), cmocka_unit_test(test_B43_times_of_others),
        cmocka_unit_test(test_whole),          cmocka_unit_test(test_B44_odd),
        cmocka_unit_test(test_no_lease),       cmocka_unit_test(test_print),
        cmocka_unit_test(test_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
