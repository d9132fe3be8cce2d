/* Codes, names and texts of errors. */
#include "check.h"

#include "base/error.h"

static void every_code_has_its_name_and_text(void **state)
{
    (void)state;
#define ROW(name, value, text)                                                                     \
    assert_int_equal(name, value);                                                                 \
    assert_string_equal(kd_errno_name(name), #name);                                               \
    assert_string_equal(kd_errno_text(name), text);
    KD_ERRORS(ROW)
#undef ROW
    assert_string_equal(kd_errno_name(0), "KD_OK");
    assert_string_equal(kd_errno_name(1), "KD_?");
    assert_string_equal(kd_errno_name(-9999), "KD_?");
    assert_string_equal(kd_errno_name(INT32_MIN), "KD_?");
    assert_string_equal(kd_errno_text(-9999), "unknown error");
}

static void fail_fills_and_cuts(void **state)
{
    struct kd_error err = { 0 };
    char big[2 * KD_ERROR_TEXT];
    (void)state;
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    assert_int_equal(kd_fail(&err, KD_ENOENT, "%s: no such %s", "a.conf", "file"), KD_ENOENT);
    assert_int_equal(err.code, KD_ENOENT);
    assert_string_equal(err.text, "a.conf: no such file");
    assert_int_equal(kd_fail(&err, KD_EIO, "%s", big), KD_EIO);
    assert_int_equal(strlen(err.text), KD_ERROR_TEXT - 1);
    assert_int_equal(kd_fail(NULL, KD_EIO, "%s", big), KD_EIO);
}

static void prefix_goes_before_the_text(void **state)
{
    struct kd_error err = { 0 };
    char big[2 * KD_ERROR_TEXT];
    (void)state;
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    (void)kd_fail(&err, KD_EPARSE, "line 3");
    assert_int_equal(kd_fail_prefix(&err, KD_ECONFIG, "%s", "a.conf"), KD_ECONFIG);
    assert_string_equal(err.text, "a.conf: line 3");
    assert_int_equal(err.code, KD_ECONFIG);
    assert_int_equal(kd_fail_prefix(NULL, KD_EIO, "x"), KD_EIO);
    /* A tail, then a prefix, that does not fit is cut. */
    for (size_t len = KD_ERROR_TEXT - 20; len < KD_ERROR_TEXT + 5; len++) {
        (void)kd_fail(&err, KD_EPARSE, "line 3");
        (void)kd_fail_prefix(&err, KD_EPARSE, "%.*s", (int)len, big);
        size_t whole = len + strlen(": line 3");
        assert_int_equal(strlen(err.text), whole < KD_ERROR_TEXT ? whole : KD_ERROR_TEXT - 1);
        assert_int_equal(strspn(err.text, "x"), len < KD_ERROR_TEXT ? len : KD_ERROR_TEXT - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_name_and_text),
        cmocka_unit_test(fail_fills_and_cuts),
        cmocka_unit_test(prefix_goes_before_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
