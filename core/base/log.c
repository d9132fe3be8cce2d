#include "base/log.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"

#include <stdatomic.h>
#include <unistd.h>

#define LOG_MESSAGE (KD_MAX_LOG_LINE / 8) /* what is kept of a message */
#define LOG_TAIL 32                       /* room for the mark of a cut line and its end */

static _Atomic uint32_t log_level = KD_LOG_INFO;
static _Atomic bool log_json = true;
static _Atomic int log_fd = STDERR_FILENO;

static const char *const level_names[] = { "debug", "info", "warn", "error" };

void kd_log_set_level(uint32_t level)
{
    atomic_store(&log_level, level);
}

uint32_t kd_log_level(void)
{
    return atomic_load_explicit(&log_level, memory_order_relaxed);
}

void kd_log_set_json(bool json)
{
    atomic_store(&log_json, json);
}

void kd_log_set_fd(int fd)
{
    atomic_store(&log_fd, fd);
}

int kd_log_level_parse(struct kd_str name, uint32_t *ret)
{
    for (uint32_t i = 0; i < KD_ARRAY_LEN(level_names); i++) {
        if (kd_str_is(name, level_names[i])) {
            *ret = i;
            return 0;
        }
    }
    return KD_EINVAL;
}

const char *kd_log_level_name(uint32_t level)
{
    return level < KD_ARRAY_LEN(level_names) ? level_names[level] : "error";
}

static bool is_plain(struct kd_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f) {
            return false;
        }
    }
    return text.len > 0;
}

/* A field that does not fit is left out whole. */
static bool put_field(struct kd_buf *line, bool json, const struct kd_log_field *field)
{
    size_t start = line->len;
    bool ok;
    if (json) {
        ok = kd_buf_puts(line, ",") == 0 && kd_buf_put_json(line, kd_str_from(field->key)) == 0 &&
             kd_buf_puts(line, ":") == 0;
    } else {
        ok = kd_buf_printf(line, " %s=", field->key) == 0;
    }
    if (ok && field->is_number) {
        ok = kd_buf_printf(line, "%lld", (long long)field->number) == 0;
    } else if (ok && !json && is_plain(field->text)) {
        ok = kd_buf_put_str(line, field->text) == 0;
    } else if (ok) {
        ok = kd_buf_put_json(line, field->text) == 0;
    }
    if (!ok) {
        line->len = start;
    }
    return ok;
}

static void put_head(struct kd_buf *line, bool json, uint32_t level, const char *msg)
{
    char time[KD_RFC3339_MAX];
    (void)kd_rfc3339(kd_wall_ns(&kd_system_clock), 3, time);
    struct kd_str text = kd_str_from(msg);
    if (text.len > LOG_MESSAGE) {
        text.len = LOG_MESSAGE;
    }
    if (json) {
        (void)kd_buf_printf(line, "{\"ts\":\"%s\",\"level\":\"%s\",\"msg\":", time,
                            kd_log_level_name(level));
        (void)kd_buf_put_json(line, text); /* six bytes for one at most: always fits */
    } else {
        (void)kd_buf_printf(line, "%s %-5s %.*s", time, kd_log_level_name(level), KD_STR_ARG(text));
    }
}

void kd_log(uint32_t level, const char *msg, const struct kd_log_field *fields, size_t n)
{
    KD_AUTO_BUF struct kd_buf line;
    kd_buf_init(&line, KD_MAX_LOG_LINE - LOG_TAIL);
    bool json = atomic_load(&log_json);
    bool whole = true;
    if (level < kd_log_level()) {
        return;
    }
    put_head(&line, json, level, msg);
    for (size_t i = 0; i < n; i++) {
        whole = put_field(&line, json, &fields[i]) && whole;
    }
    line.max = KD_MAX_LOG_LINE; /* the tail always fits */
    if (!whole) {
        (void)kd_buf_puts(&line, json ? ",\"cut\":true" : " cut=true");
    }
    (void)kd_buf_puts(&line, json ? "}\n" : "\n");
    /* A log that cannot be written must not stop the work. */
    ssize_t written = write(atomic_load(&log_fd), line.ptr, line.len);
    (void)written;
}
