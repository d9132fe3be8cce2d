#include "config/source.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#define INCLUDE_DEPTH 10
#define LINES_MAX UINT16_MAX /* libconfig keeps the line of a setting in 16 bits */
#define INCLUDE "@include"

struct reader {
    struct kd_conf_source *source;
    struct kd_faults *faults;
    const char *file;
    const char *at; /* NUL-terminated text of the file */
    int line;       /* of the file */
    int depth;
    bool stop; /* a circle of includes: no further fault is worth it */
};

static void append_file(struct kd_conf_source *source, const char *path, int depth,
                        struct reader *parent, struct kd_faults *faults);

static void start_chunk(struct kd_conf_source *source, const char *file, int line)
{
    source->chunks =
        kd_realloc_array(source->chunks, source->n_chunks + 1, sizeof(*source->chunks));
    source->chunks[source->n_chunks++] =
        (struct kd_conf_chunk){ kd_strdup(file), line, source->line };
}

/* A buffer at its bound is noticed once, at the end. */
static void put(struct reader *in, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        in->source->line += text[i] == '\n';
    }
    (void)kd_buf_put(&in->source->text, text, len);
}

static void take(struct reader *in, size_t len)
{
    put(in, in->at, len);
    for (size_t i = 0; i < len; i++) {
        in->line += in->at[i] == '\n';
    }
    in->at += len;
}

static void take_string(struct reader *in)
{
    size_t len = 1;
    while (in->at[len] && in->at[len] != '"') {
        len += in->at[len] == '\\' && in->at[len + 1] ? 2 : 1;
    }
    take(in, in->at[len] ? len + 1 : len);
}

static void take_comment(struct reader *in)
{
    if (in->at[0] == '/' && in->at[1] == '*') {
        const char *end = strstr(in->at + 2, "*/");
        take(in, end ? (size_t)(end + 2 - in->at) : strlen(in->at));
    } else {
        take(in, strcspn(in->at, "\n"));
    }
}

static void take_name(struct reader *in)
{
    size_t len = 1;
    while (isalnum((unsigned char)in->at[len]) || (in->at[len] && strchr("-_*", in->at[len]))) {
        len++;
    }
    take(in, len);
}

static void fault_number(struct reader *in, size_t len, const char *what)
{
    kd_faults_add(in->faults, "%s:%d: %.*s %s", in->file, in->line, (int)len, in->at, what);
}

/* Length of all that libconfig could take for one number, and what sticks to it. */
static size_t number_run(const char *at, size_t sign, bool hex)
{
    size_t run = sign;
    while (isalnum((unsigned char)at[run]) || at[run] == '.' ||
           (!hex && (at[run] == '-' || at[run] == '+') && tolower(at[run - 1]) == 'e')) {
        run++;
    }
    return run;
}

/* A whole number, given the suffix that it needs. */
static void take_whole(struct reader *in, size_t run, bool hex)
{
    char *end = NULL;
    errno = 0;
    long long value = strtoll(in->at, &end, hex ? 16 : 10);
    size_t digits = (size_t)(end - in->at);
    size_t suffix = strspn(end, "L");
    if (errno == ERANGE) {
        fault_number(in, run, "is too large; write a number of at most 64 bits");
    } else if (digits + suffix != run) {
        fault_number(in, run, "is no number; put a value with a unit in quotes, such as \"30s\"");
    }
    take(in, run);
    if (!suffix && (value > INT32_MAX || value < INT32_MIN)) {
        put(in, "L", 1);
    }
}

static void take_number(struct reader *in)
{
    size_t sign = in->at[0] == '-' || in->at[0] == '+';
    bool hex = in->at[sign] == '0' && tolower(in->at[sign + 1]) == 'x';
    size_t run = number_run(in->at, sign, hex);
    size_t digits = sign + strspn(in->at + sign, "0123456789");
    if (!hex && digits < run && strchr(".eE", in->at[digits])) {
        take(in, run); /* a fraction: as it is */
    } else {
        take_whole(in, run, hex);
    }
}

/* At the start of a line: length of `@include "` with the blanks around it, or 0. */
static size_t include_head(const char *at)
{
    size_t len = strspn(at, " \t");
    if (strncmp(at + len, INCLUDE, strlen(INCLUDE)) != 0) {
        return 0;
    }
    len += strlen(INCLUDE);
    len += strspn(at + len, " \t");
    return at[len] == '"' ? len + 1 : 0;
}

static void take_include(struct reader *in, size_t head)
{
    size_t len = strcspn(in->at + head, "\"\n");
    if (in->at[head + len] != '"') {
        kd_faults_add(in->faults, "%s:%d: the path of " INCLUDE " does not end; close the quote",
                      in->file, in->line);
        take(in, head + len);
        return;
    }
    KD_AUTO_FREE char *name = kd_str_dup((struct kd_str){ in->at + head, len });
    KD_AUTO_FREE char *path = kd_path_beside(in->file, name);
    append_file(in->source, path, in->depth + 1, in, in->faults);
    in->at += head + len + 1;
    start_chunk(in->source, in->file, in->line);
}

static void take_token(struct reader *in)
{
    char c = in->at[0];
    char next = in->at[1];
    bool digit = isdigit((unsigned char)c);
    bool signed_digit = (c == '-' || c == '+') && isdigit((unsigned char)next);
    if (c == '"') {
        take_string(in);
    } else if (c == '#' || (c == '/' && (next == '/' || next == '*'))) {
        take_comment(in);
    } else if (isalpha((unsigned char)c) || c == '*') {
        take_name(in);
    } else if (digit || signed_digit) {
        take_number(in);
    } else {
        take(in, 1);
    }
}

static void take_all(struct reader *in)
{
    bool line_start = true;
    while (*in->at && !in->stop) {
        size_t head = line_start ? include_head(in->at) : 0;
        if (head) {
            take_include(in, head);
        } else {
            take_token(in);
        }
        line_start = in->at[-1] == '\n';
    }
}

/* The bytes of one file as text, without a byte order mark; NULL after a fault. */
static const char *text_of(const char *path, struct kd_buf *buf, struct reader *parent,
                           struct kd_faults *faults)
{
    struct kd_error error;
    if (kd_file_read(path, buf, &error) < 0) {
        if (parent) {
            kd_faults_add(faults, "%s:%d: " INCLUDE ": %s; correct the path", parent->file,
                          parent->line, error.text);
        } else {
            kd_faults_add(faults, "%s; name a readable file", error.text);
        }
        return NULL;
    }
    if (kd_buf_putc(buf, '\n') < 0) {
        kd_faults_add(faults, "%s: larger than %d bytes; split it", path, (int)KD_MAX_CONFIG_FILE);
        return NULL;
    }
    if (memchr(buf->ptr, '\0', buf->len)) {
        kd_faults_add(faults, "%s:1: is no text in UTF-8; save it as UTF-8", path);
        return NULL;
    }
    return strncmp(buf->ptr, "\xef\xbb\xbf", 3) == 0 ? buf->ptr + 3 : buf->ptr;
}

static void append_file(struct kd_conf_source *source, const char *path, int depth,
                        struct reader *parent, struct kd_faults *faults)
{
    KD_AUTO_BUF struct kd_buf buf;
    kd_buf_init(&buf, KD_MAX_CONFIG_FILE);
    struct reader in = { source, faults, path, NULL, 1, depth, false };
    if (depth > INCLUDE_DEPTH) {
        kd_faults_add(faults,
                      "%s:%d: files include each other more than %d deep; remove the circle",
                      parent->file, parent->line, INCLUDE_DEPTH);
        parent->stop = true;
        return;
    }
    in.at = text_of(path, &buf, parent, faults);
    if (in.at) {
        start_chunk(source, path, 1);
        take_all(&in);
    }
    if (parent) {
        parent->stop = in.stop;
    }
}

int kd_conf_source_read(struct kd_conf_source *source, const char *path, struct kd_faults *faults)
{
    size_t before = faults->n;
    *source = (struct kd_conf_source){ .line = 1 };
    kd_buf_init(&source->text, KD_MAX_CONFIG_FILE);
    append_file(source, path, 0, NULL, faults);
    if (faults->n > before) {
        return KD_ECONFIG;
    }
    if (kd_buf_failed(&source->text) || source->line > LINES_MAX) {
        kd_faults_add(faults, "%s: larger than %d lines or %d bytes with its includes; split it",
                      path, LINES_MAX, (int)KD_MAX_CONFIG_FILE);
        return KD_ECONFIG;
    }
    return 0;
}

void kd_conf_source_release(struct kd_conf_source *source)
{
    for (size_t i = 0; i < source->n_chunks; i++) {
        kd_free(source->chunks[i].file);
    }
    source->chunks = kd_free(source->chunks);
    source->n_chunks = 0;
    kd_buf_release(&source->text);
}

const char *kd_conf_source_place(const struct kd_conf_source *source, int line, int *ret_line)
{
    size_t i = source->n_chunks - 1; /* the file itself is the first chunk */
    while (i > 0 && source->chunks[i].start > line) {
        i--;
    }
    int offset = line > source->chunks[i].start ? line - source->chunks[i].start : 0;
    *ret_line = source->chunks[i].line + offset;
    return source->chunks[i].file;
}
