/*
 * Time, injected: everything that waits or measures takes a kd_clock, so that tests drive it. All
 * times are int64_t nanoseconds with the suffix _ns; intervals use the monotonic clock only.
 */
#ifndef KD_BASE_CLOCK_H
#define KD_BASE_CLOCK_H

#include "base/macros.h"

#include <kindred/types.h>

#define KD_MS_NS INT64_C(1000000)
#define KD_SEC_NS INT64_C(1000000000)
#define KD_NEVER_NS INT64_MAX

struct kd_clock {
    int64_t (*monotonic_ns)(void *arg);
    int64_t (*wall_ns)(void *arg); /* since 1970 */
    void *arg;
};

/* The system's clocks. Static. */
extern const struct kd_clock kd_system_clock;
/* The same, but for a monotonic time that goes on while the machine sleeps. Static. */
extern const struct kd_clock kd_boot_clock;

static inline int64_t kd_now_ns(const struct kd_clock *clock)
{
    return clock->monotonic_ns(clock->arg);
}

static inline int64_t kd_wall_ns(const struct kd_clock *clock)
{
    return clock->wall_ns(clock->arg);
}

/* Sum that stays at the ends of the range instead of overflowing. */
int64_t kd_time_add_ns(int64_t a_ns, int64_t b_ns);

#define KD_RFC3339_MAX 40
/* "2006-01-02T15:04:05Z", with `digits` (0, 3, 6, 9) of a second's fraction. Returns out. */
char *kd_rfc3339(int64_t wall_ns, int digits, char out[KD_RFC3339_MAX]);
/* Reads RFC 3339 with any fraction and offset. */
int kd_rfc3339_parse(struct kd_str text, int64_t *ret_wall_ns) KD_MUST_USE;
/* Reads "1h30m", "250ms", "5s", "0s": units ns us ms s m h. */
int kd_duration_parse(struct kd_str text, int64_t *ret_ns) KD_MUST_USE;
/* "30s", "1m30s", "250ms". Returns out. */
char *kd_duration_text(int64_t ns, char out[KD_RFC3339_MAX]);

#endif
