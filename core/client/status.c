#include "client/internal.h"

#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"

#define TOO_LARGE_CAUSE "ResourceVersionTooLarge"
#define TOO_LARGE_MESSAGE "Too large resource version"

static const char *const reason_names[] = {
    [KD_REASON_NONE] = "none",
    [KD_REASON_UNKNOWN] = "unknown",
    [KD_REASON_NOT_FOUND] = "notFound",
    [KD_REASON_ALREADY_EXISTS] = "alreadyExists",
    [KD_REASON_CONFLICT] = "conflict",
    [KD_REASON_EXPIRED] = "expired",
    [KD_REASON_INVALID] = "invalid",
    [KD_REASON_SERVER_TIMEOUT] = "serverTimeout",
    [KD_REASON_TIMEOUT] = "timeout",
    [KD_REASON_TOO_LARGE_VERSION] = "tooLargeVersion",
    [KD_REASON_TOO_MANY_REQUESTS] = "tooManyRequests",
    [KD_REASON_FORBIDDEN] = "forbidden",
    [KD_REASON_UNAUTHORIZED] = "unauthorized",
    [KD_REASON_INTERNAL] = "internal",
    [KD_REASON_UNAVAILABLE] = "unavailable",
};

const char *kd_reason_name(enum kd_reason reason)
{
    return (size_t)reason < KD_ARRAY_LEN(reason_names) ? reason_names[reason] : "unknown";
}

static enum kd_reason reason_from_word(struct kd_str word)
{
    static const struct {
        const char *word;
        enum kd_reason reason;
    } rows[] = {
        { "NotFound", KD_REASON_NOT_FOUND },
        { "AlreadyExists", KD_REASON_ALREADY_EXISTS },
        { "Conflict", KD_REASON_CONFLICT },
        { "Expired", KD_REASON_EXPIRED },
        { "Gone", KD_REASON_EXPIRED },
        { "Invalid", KD_REASON_INVALID },
        { "ServerTimeout", KD_REASON_SERVER_TIMEOUT },
        { "Timeout", KD_REASON_TIMEOUT },
        { "TooManyRequests", KD_REASON_TOO_MANY_REQUESTS },
        { "Forbidden", KD_REASON_FORBIDDEN },
        { "Unauthorized", KD_REASON_UNAUTHORIZED },
        { "InternalError", KD_REASON_INTERNAL },
        { "ServiceUnavailable", KD_REASON_UNAVAILABLE },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        if (kd_str_is(word, rows[i].word)) {
            return rows[i].reason;
        }
    }
    return KD_REASON_UNKNOWN;
}

static enum kd_reason reason_from_code(int code)
{
    static const struct {
        int code;
        enum kd_reason reason;
    } rows[] = {
        { 401, KD_REASON_UNAUTHORIZED },      { 403, KD_REASON_FORBIDDEN },
        { 404, KD_REASON_NOT_FOUND },         { 409, KD_REASON_CONFLICT },
        { 410, KD_REASON_EXPIRED },           { 422, KD_REASON_INVALID },
        { 429, KD_REASON_TOO_MANY_REQUESTS }, { 500, KD_REASON_INTERNAL },
        { 503, KD_REASON_UNAVAILABLE },       { 504, KD_REASON_TIMEOUT },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        if (rows[i].code == code) {
            return rows[i].reason;
        }
    }
    return code >= 200 && code < 300 ? KD_REASON_NONE : KD_REASON_UNKNOWN;
}

/* Older servers name no cause, so the message counts as well (B03). */
static bool is_too_large_version(struct kd_value details, const struct kd_status *status)
{
    struct kd_value causes;
    struct kd_value cause;
    struct kd_value key;
    struct kd_iter iter;
    if (kd_json_get(details, KD_STR("causes"), &causes)) {
        kd_json_iter_init(&iter, causes);
        while (kd_json_iter_next(&iter, &key, &cause)) {
            struct kd_value reason;
            if (kd_json_get(cause, KD_STR("reason"), &reason) &&
                kd_json_string_is(reason, KD_STR(TOO_LARGE_CAUSE))) {
                return true;
            }
        }
    }
    return status->reason == KD_REASON_TIMEOUT &&
           kd_str_starts(kd_str_from(status->message), KD_STR(TOO_LARGE_MESSAGE));
}

static void read_object(struct kd_value root, struct kd_arena *arena, struct kd_status *ret)
{
    struct kd_value value;
    struct kd_value details = { 0 };
    int64_t number = 0;
    if (kd_json_get(root, KD_STR("code"), &value) && kd_json_int(value, &number) == 0 &&
        number >= 100 && number <= 999) {
        ret->code = (int)number;
    }
    kd_one_line(kd_json_get_str(root, KD_STR("message"), arena), ret->message,
                sizeof(ret->message));
    ret->reason = reason_from_word(kd_json_get_str(root, KD_STR("reason"), arena));
    if (ret->reason == KD_REASON_UNKNOWN) {
        ret->reason = reason_from_code(ret->code);
    }
    (void)kd_json_get(root, KD_STR("details"), &details); /* absent: an empty value */
    if (kd_json_get(details, KD_STR("retryAfterSeconds"), &value) &&
        kd_json_int(value, &number) == 0) {
        ret->retry_after_ns = kd_retry_after_ns(number);
    }
    if (is_too_large_version(details, ret)) {
        ret->reason = KD_REASON_TOO_LARGE_VERSION;
    }
}

void kd_status_read(struct kd_str text, int http_code, struct kd_status *ret)
{
    struct kd_value root;
    struct kd_value kind;
    *ret = (struct kd_status){ .code = http_code, .reason = reason_from_code(http_code) };
    bool is_json = kd_json_parse(text, &root, NULL) == 0;
    if (is_json && kd_json_get(root, KD_STR("kind"), &kind) &&
        kd_json_string_is(kind, KD_STR("Status"))) {
        struct kd_arena arena KD_CLEANUP(kd_arena_release);
        kd_arena_init(&arena, 4 * KD_MAX_ERROR_BODY);
        read_object(root, &arena, ret);
    } else if (http_code < 200 || http_code >= 300) {
        kd_one_line(text, ret->message, sizeof(ret->message)); /* what a proxy said, say */
    }
}
