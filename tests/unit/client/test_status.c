/* Reading of Status objects, as an error body or a watch's ERROR event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "client/internal.h"

#define STATUS(rest) "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\"," rest "}"

static void reasons_by_word_and_by_code(void **state)
{
    static const struct {
        const char *text;
        int http_code;
        int code;
        enum kd_reason reason;
        const char *name;
    } rows[] = {
        { STATUS("\"reason\":\"NotFound\",\"code\":404"), 404, 404, KD_REASON_NOT_FOUND,
          "notFound" },
        { STATUS("\"reason\":\"AlreadyExists\",\"code\":409"), 409, 409, KD_REASON_ALREADY_EXISTS,
          "alreadyExists" },
        { STATUS("\"reason\":\"Conflict\",\"code\":409"), 409, 409, KD_REASON_CONFLICT,
          "conflict" },
        { STATUS("\"reason\":\"Gone\",\"code\":410"), 200, 410, KD_REASON_EXPIRED, "expired" },
        { STATUS("\"reason\":\"Expired\",\"code\":410"), 410, 410, KD_REASON_EXPIRED, "expired" },
        { STATUS("\"reason\":\"Invalid\",\"code\":422"), 422, 422, KD_REASON_INVALID, "invalid" },
        { STATUS("\"reason\":\"ServerTimeout\",\"code\":500"), 500, 500, KD_REASON_SERVER_TIMEOUT,
          "serverTimeout" },
        { STATUS("\"reason\":\"Timeout\",\"code\":504"), 504, 504, KD_REASON_TIMEOUT, "timeout" },
        { STATUS("\"reason\":\"\",\"code\":403"), 403, 403, KD_REASON_FORBIDDEN, "forbidden" },
        { STATUS("\"reason\":\"Strange\",\"code\":503"), 503, 503, KD_REASON_UNAVAILABLE,
          "unavailable" },
        { STATUS("\"code\":418"), 418, 418, KD_REASON_UNKNOWN, "unknown" },
        { STATUS("\"reason\":\"InternalError\""), 500, 500, KD_REASON_INTERNAL, "internal" },
        { STATUS("\"code\":\"404\""), 429, 429, KD_REASON_TOO_MANY_REQUESTS, "tooManyRequests" },
        { "", 401, 401, KD_REASON_UNAUTHORIZED, "unauthorized" },
        { "", 200, 200, KD_REASON_NONE, "none" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_status status;
        kd_status_read(kd_str_from(rows[i].text), rows[i].http_code, &status);
        assert_int_equal(status.code, rows[i].code);
        assert_int_equal(status.reason, rows[i].reason);
        assert_string_equal(kd_reason_name(status.reason), rows[i].name);
    }
}

static void too_large_version_by_message_b03(void **state)
{
    struct kd_status status;
    (void)state;
    kd_status_read(KD_STR(STATUS("\"message\":\"Too large resource version: 363, current: 120\","
                                 "\"reason\":\"Timeout\",\"details\":{\"retryAfterSeconds\":1},"
                                 "\"code\":504")),
                   504, &status);
    assert_int_equal(status.reason, KD_REASON_TOO_LARGE_VERSION);
    assert_int_equal(status.retry_after_ns, KD_SEC_NS);
}

static void too_large_version_by_cause_b03(void **state)
{
    struct kd_status status;
    (void)state;
    kd_status_read(KD_STR(STATUS("\"message\":\"Timeout\",\"reason\":\"Timeout\",\"details\":"
                                 "{\"causes\":[{\"reason\":\"Other\"},{\"message\":\"x\","
                                 "\"reason\":\"ResourceVersionTooLarge\"}]},\"code\":504")),
                   504, &status);
    assert_int_equal(status.reason, KD_REASON_TOO_LARGE_VERSION);
    kd_status_read(KD_STR(STATUS("\"message\":\"Timeout\",\"reason\":\"Timeout\",\"code\":504")),
                   504, &status);
    assert_int_equal(status.reason, KD_REASON_TIMEOUT);
    kd_status_read(KD_STR(STATUS("\"message\":\"Too large resource version\","
                                 "\"reason\":\"Invalid\",\"code\":422")),
                   422, &status);
    assert_int_equal(status.reason, KD_REASON_INVALID);
}

static void bare_status_of_a_watch_in_any_order_b17(void **state)
{
    struct kd_status status;
    (void)state;
    kd_status_read(KD_STR("{\"message\":\"try later\",\"code\":429,\"reason\":\"TooManyRequests\","
                          "\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                          "\"details\":{\"retryAfterSeconds\":1}}"),
                   200, &status);
    assert_int_equal(status.code, 429);
    assert_int_equal(status.reason, KD_REASON_TOO_MANY_REQUESTS);
    assert_int_equal(status.retry_after_ns, KD_SEC_NS);
    assert_string_equal(status.message, "try later");
}

static void text_that_is_no_status_is_quoted(void **state)
{
    struct kd_status status;
    (void)state;
    kd_status_read(KD_STR("\n upstream connect error\r\nreset\n"), 503, &status);
    assert_int_equal(status.code, 503);
    assert_int_equal(status.reason, KD_REASON_UNAVAILABLE);
    assert_string_equal(status.message, "upstream connect error  reset");
    kd_status_read(KD_STR("{\"kind\":\"Pod\",\"code\":1}"), 200, &status);
    assert_int_equal(status.code, 200);
    assert_int_equal(status.reason, KD_REASON_NONE);
    assert_string_equal(status.message, "");
}

static void long_message_is_cut_between_characters(void **state)
{
    char text[3000] = "{\"kind\":\"Status\",\"message\":\"x";
    struct kd_status status;
    (void)state;
    size_t len = strlen(text);
    for (size_t i = 0; i < 1000; i++) {
        text[len++] = (char)0xc3;
        text[len++] = (char)0xa9;
    }
    memcpy(text + len, "\"}", 3);
    kd_status_read(kd_str_from(text), 500, &status);
    assert_int_equal(strlen(status.message), sizeof(status.message) - 1);
    text[len] = '\0';
    kd_one_line(kd_str_from(text + strlen("{\"kind\":\"Status\",\"message\":\"x")), status.message,
                sizeof(status.message));
    assert_int_equal(strlen(status.message), sizeof(status.message) - 2);
}

static void retry_after_is_bounded(void **state)
{
    struct kd_status status;
    (void)state;
    kd_status_read(KD_STR(STATUS("\"details\":{\"retryAfterSeconds\":9223372036854775807}")), 503,
                   &status);
    assert_int_equal(status.retry_after_ns, 24 * 3600 * KD_SEC_NS);
    kd_status_read(KD_STR(STATUS("\"details\":{\"retryAfterSeconds\":-5}")), 503, &status);
    assert_int_equal(status.retry_after_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_by_word_and_by_code),
        cmocka_unit_test(too_large_version_by_message_b03),
        cmocka_unit_test(too_large_version_by_cause_b03),
        cmocka_unit_test(bare_status_of_a_watch_in_any_order_b17),
        cmocka_unit_test(text_that_is_no_status_is_quoted),
        cmocka_unit_test(long_message_is_cut_between_characters),
        cmocka_unit_test(retry_after_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
