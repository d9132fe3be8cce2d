/*
 * Structured logging: one line per call, a message and key=value fields, as JSON lines or text on
 * stderr. Library code does not log above debug; the owner of a stage logs once.
 *
 *     KD_INFO("kind synced", KD_F("kind", kind), KD_FU("objects", n));
 *
 * Any thread. A line is written with one write call and cut at KD_MAX_LOG_LINE.
 */
#ifndef KD_BASE_LOG_H
#define KD_BASE_LOG_H

#include "base/macros.h"

#include <kindred/plugin.h> /* KD_LOG_DEBUG ... */
#include <kindred/types.h>
#include <stdbool.h>

struct kd_log_field {
    const char *key;
    struct kd_str text; /* when is_number is 0 */
    int64_t number;
    bool is_number;
};

void kd_log_set_level(uint32_t level);
uint32_t kd_log_level(void);
void kd_log_set_json(bool json);
void kd_log_set_fd(int fd);
/* "debug", "info", "warn", "error" to KD_LOG_*; KD_EINVAL for another word. */
int kd_log_level_parse(struct kd_str name, uint32_t *ret) KD_MUST_USE;
const char *kd_log_level_name(uint32_t level);

void kd_log(uint32_t level, const char *msg, const struct kd_log_field *fields, size_t n);

#define KD_F(key_lit, cstr) { .key = (key_lit), .text = kd_log_cstr(cstr) }
#define KD_FS(key_lit, str) { .key = (key_lit), .text = (str) }
#define KD_FU(key_lit, num) { .key = (key_lit), .number = (int64_t)(num), .is_number = true }
#define KD_LOG_FIELDS(...) ((const struct kd_log_field[]){ __VA_ARGS__ })
#define KD_LOG(level, msg, ...)                                                                    \
    ((level) < kd_log_level() ?                                                                    \
         (void)0 :                                                                                 \
         kd_log((level), (msg), KD_LOG_FIELDS(__VA_ARGS__),                                        \
                sizeof(KD_LOG_FIELDS(__VA_ARGS__)) / sizeof(struct kd_log_field)))
#define KD_DEBUG(msg, ...) KD_LOG(KD_LOG_DEBUG, msg, __VA_ARGS__)
#define KD_INFO(msg, ...) KD_LOG(KD_LOG_INFO, msg, __VA_ARGS__)
#define KD_WARN(msg, ...) KD_LOG(KD_LOG_WARN, msg, __VA_ARGS__)
#define KD_ERROR(msg, ...) KD_LOG(KD_LOG_ERROR, msg, __VA_ARGS__)

static inline struct kd_str kd_log_cstr(const char *text)
{
    return (struct kd_str){ text, text ? __builtin_strlen(text) : 0 };
}

#endif
