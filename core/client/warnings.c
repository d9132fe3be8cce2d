#include "client/warnings.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"

#define MAX_TEXT 1024

static bool is_new(struct kd_warnings *warnings, struct kd_str text)
{
    uint64_t hash = kd_hash_str(text);
    for (size_t i = 0; i < warnings->n; i++) {
        if (warnings->seen[i] == hash) {
            return false;
        }
    }
    if (warnings->n == KD_MAX_WARNINGS) {
        return false;
    }
    warnings->seen[warnings->n++] = hash;
    return true;
}

/* Decodes the quoted string at the front of *rest into out, and moves *rest behind it. Returns its
 * length, or -1 when there is none or it does not end. */
static int64_t take_quoted(struct kd_str *rest, char out[MAX_TEXT])
{
    size_t len = 0;
    if (rest->len == 0 || rest->ptr[0] != '"') {
        return -1;
    }
    for (size_t i = 1; i < rest->len; i++) {
        char c = rest->ptr[i];
        if (c == '"') {
            *rest = (struct kd_str){ rest->ptr + i + 1, rest->len - i - 1 };
            return (int64_t)len;
        }
        if (c == '\\' && i + 1 < rest->len) {
            c = rest->ptr[++i];
        }
        if (len < MAX_TEXT) {
            out[len++] = c;
        }
    }
    return -1;
}

size_t kd_warnings_note(struct kd_warnings *warnings, struct kd_str value)
{
    struct kd_str rest = kd_str_trim(value);
    size_t logged = 0;
    while (rest.len > 0) {
        char text[MAX_TEXT];
        struct kd_str code = kd_str_cut(&rest, ' ');
        (void)kd_str_cut(&rest, ' '); /* the agent, "-" */
        int64_t len = take_quoted(&rest, text);
        if (len < 0) {
            break;
        }
        struct kd_str said = { text, (uint64_t)len };
        if (kd_str_is(code, "299") && is_new(warnings, said)) {
            KD_WARN("warning of the API server", KD_FS("warning", said));
            logged++;
        }
        (void)kd_str_cut(&rest, ','); /* a date may stand before it */
        rest = kd_str_trim(rest);
    }
    return logged;
}
