#include "base/error.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct errno_row {
    int code;
    const char *name;
    const char *text;
};

#define ERRNO_ROW(name, value, text) { (value), #name, (text) },
static const struct errno_row errno_rows[] = { { 0, "KD_OK", "no error" }, KD_ERRORS(ERRNO_ROW) };
#undef ERRNO_ROW

static const struct errno_row *find_row(int code)
{
    size_t index = (size_t)(code <= 0 ? -(long)code : 0);
    return code <= 0 && index < KD_ARRAY_LEN(errno_rows) ? &errno_rows[index] : NULL;
}

const char *kd_errno_name(int code)
{
    const struct errno_row *row = find_row(code);
    return row ? row->name : "KD_?";
}

const char *kd_errno_text(int code)
{
    const struct errno_row *row = find_row(code);
    return row ? row->text : "unknown error";
}

int kd_fail(struct kd_error *err, int code, const char *fmt, ...)
{
    if (err) {
        va_list args;
        va_start(args, fmt);
        (void)vsnprintf(err->text, sizeof(err->text), fmt, args); /* cut to fit by design */
        va_end(args);
        kd_one_line_in_place(err->text);
        err->code = code;
    }
    return code;
}

/* Appends to a text of KD_ERROR_TEXT bytes as much as fits. */
static void append_cut(char *text, const char *more)
{
    size_t used = strlen(text);
    size_t room = KD_ERROR_TEXT - 1 - used;
    size_t len = strnlen(more, room);
    memcpy(text + used, more, len);
    text[used + len] = '\0';
}

int kd_fail_prefix(struct kd_error *err, int code, const char *fmt, ...)
{
    if (err) {
        char tail[KD_ERROR_TEXT];
        memcpy(tail, err->text, sizeof(tail));
        va_list args;
        va_start(args, fmt);
        (void)vsnprintf(err->text, sizeof(err->text), fmt, args); /* cut to fit by design */
        va_end(args);
        append_cut(err->text, ": ");
        append_cut(err->text, tail);
        kd_one_line_in_place(err->text);
        err->code = code;
    }
    return code;
}

void kd_bug(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "kindred: bug at %s:%d: %s\n", file, line, what);
    abort();
}
