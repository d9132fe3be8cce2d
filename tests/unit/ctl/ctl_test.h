/* What the tests of this folder share: cmocka, parsed JSON, and text compared as a whole. */
#ifndef KD_TESTS_CTL_TEST_H
#define KD_TESTS_CTL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"

#define TEST(function) cmocka_unit_test(function)

static inline struct kd_value parsed(const char *text)
{
    struct kd_value value = { 0 };
    struct kd_error error = { 0 };
    if (kd_json_parse(kd_str_from(text), &value, &error) < 0) {
        fail_msg("%s: %s", text, error.text);
    }
    return value;
}

static inline void assert_out(struct kd_buf *out, const char *expected)
{
    assert_false(kd_buf_failed(out));
    assert_string_equal(out->ptr ? out->ptr : "", expected);
    kd_buf_release(out);
}

#endif
