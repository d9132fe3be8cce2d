#include "base/clock.h"

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    (void)clock_gettime(id, &now); /* cannot fail for these clocks */
    return (int64_t)now.tv_sec * KD_SEC_NS + now.tv_nsec;
}

static int64_t system_monotonic_ns(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t system_boot_ns(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_BOOTTIME);
}

static int64_t system_wall_ns(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_REALTIME);
}

const struct kd_clock kd_system_clock = { system_monotonic_ns, system_wall_ns, NULL };
const struct kd_clock kd_boot_clock = { system_boot_ns, system_wall_ns, NULL };

int64_t kd_time_add_ns(int64_t a_ns, int64_t b_ns)
{
    int64_t sum;
    if (__builtin_add_overflow(a_ns, b_ns, &sum)) {
        return b_ns > 0 ? INT64_MAX : INT64_MIN;
    }
    return sum;
}

char *kd_rfc3339(int64_t wall_ns, int digits, char out[KD_RFC3339_MAX])
{
    int64_t fraction = wall_ns % KD_SEC_NS;
    time_t seconds = (time_t)(wall_ns / KD_SEC_NS);
    if (fraction < 0) {
        fraction += KD_SEC_NS;
        seconds--;
    }
    struct tm parts;
    (void)gmtime_r(&seconds, &parts); /* cannot fail for a 64-bit count of nanoseconds */
    size_t len = strftime(out, KD_RFC3339_MAX, "%Y-%m-%dT%H:%M:%S", &parts);
    char tail[16] = "";
    if (digits > 0) {
        (void)snprintf(tail, sizeof(tail), ".%09lld", (long long)fraction);
        tail[digits < 9 ? digits + 1 : 10] = '\0';
    }
    (void)snprintf(out + len, KD_RFC3339_MAX - len, "%sZ", tail); /* 19 + 10 + 1 bytes at most */
    return out;
}

/* Reads exactly n digits at *pos. */
static bool take_digits(struct kd_str text, size_t *pos, size_t n, int *ret)
{
    uint64_t value = 0;
    if (text.len - *pos < n || !kd_str_to_u64((struct kd_str){ text.ptr + *pos, n }, &value)) {
        return false;
    }
    *pos += n;
    *ret = (int)value;
    return true;
}

static bool take_char(struct kd_str text, size_t *pos, const char *any)
{
    if (*pos < text.len && strchr(any, text.ptr[*pos]) && text.ptr[*pos]) {
        (*pos)++;
        return true;
    }
    return false;
}

static bool take_fraction(struct kd_str text, size_t *pos, int64_t *ret_ns)
{
    int64_t unit = KD_SEC_NS / 10;
    int64_t sum = 0;
    size_t start = *pos;
    while (*pos < text.len && text.ptr[*pos] >= '0' && text.ptr[*pos] <= '9') {
        sum += unit * (text.ptr[*pos] - '0');
        unit /= 10;
        (*pos)++;
    }
    *ret_ns = sum;
    return *pos > start;
}

static bool take_offset(struct kd_str text, size_t *pos, int *ret_minutes)
{
    int hours = 0;
    int minutes = 0;
    *ret_minutes = 0;
    if (take_char(text, pos, "Zz")) {
        return true;
    }
    char sign = *pos < text.len ? text.ptr[*pos] : '\0';
    if (!take_char(text, pos, "+-") || !take_digits(text, pos, 2, &hours) ||
        !take_char(text, pos, ":") || !take_digits(text, pos, 2, &minutes)) {
        return false;
    }
    *ret_minutes = (hours * 60 + minutes) * (sign == '-' ? -1 : 1);
    return hours < 24 && minutes < 60;
}

static int days_in_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* As written: a year with its century, the months from 1. */
static bool is_date_time(const struct tm *parts)
{
    return parts->tm_mon >= 1 && parts->tm_mon <= 12 && parts->tm_mday >= 1 &&
           parts->tm_mday <= days_in_month(parts->tm_year, parts->tm_mon) && parts->tm_hour <= 23 &&
           parts->tm_min <= 59 && parts->tm_sec <= 60;
}

static bool take_date_time(struct kd_str text, size_t *pos, struct tm *parts)
{
    bool ok = take_digits(text, pos, 4, &parts->tm_year) && take_char(text, pos, "-") &&
              take_digits(text, pos, 2, &parts->tm_mon) && take_char(text, pos, "-") &&
              take_digits(text, pos, 2, &parts->tm_mday) && take_char(text, pos, "Tt ") &&
              take_digits(text, pos, 2, &parts->tm_hour) && take_char(text, pos, ":") &&
              take_digits(text, pos, 2, &parts->tm_min) && take_char(text, pos, ":") &&
              take_digits(text, pos, 2, &parts->tm_sec);
    ok = ok && is_date_time(parts);
    parts->tm_year -= 1900;
    parts->tm_mon -= 1;
    return ok;
}

int kd_rfc3339_parse(struct kd_str text, int64_t *ret_wall_ns)
{
    struct tm parts = { 0 };
    size_t pos = 0;
    int64_t fraction_ns = 0;
    int offset = 0;
    if (!take_date_time(text, &pos, &parts) ||
        (take_char(text, &pos, ".,") && !take_fraction(text, &pos, &fraction_ns)) ||
        !take_offset(text, &pos, &offset) || pos != text.len) {
        return KD_EPARSE;
    }
    int64_t seconds = (int64_t)timegm(&parts) - (int64_t)offset * 60;
    int64_t ns;
    if (seconds < 0 && fraction_ns) { /* towards zero, or the earliest second would overflow */
        seconds++;
        fraction_ns -= KD_SEC_NS;
    }
    if (__builtin_mul_overflow(seconds, KD_SEC_NS, &ns) ||
        __builtin_add_overflow(ns, fraction_ns, &ns)) {
        return KD_EPARSE;
    }
    *ret_wall_ns = ns;
    return 0;
}

struct unit {
    const char *name;
    int64_t ns;
};

/* Largest first but for "ms", which must not be read as "m". */
static const struct unit units[] = {
    { "h", 3600 * KD_SEC_NS }, { "ms", KD_MS_NS }, { "m", 60 * KD_SEC_NS },
    { "s", KD_SEC_NS },        { "us", 1000 },     { "ns", 1 },
};
static const size_t largest_first[] = { 0, 2, 3, 1, 4, 5 };

static const struct unit *take_unit(struct kd_str *text)
{
    for (size_t i = 0; i < KD_ARRAY_LEN(units); i++) {
        struct kd_str name = kd_str_from(units[i].name);
        if (kd_str_starts(*text, name)) {
            text->ptr += name.len;
            text->len -= name.len;
            return &units[i];
        }
    }
    return NULL;
}

static int take_part(struct kd_str *text, int64_t *ret_ns)
{
    size_t n = 0;
    uint64_t number = 0;
    while (n < text->len && text->ptr[n] >= '0' && text->ptr[n] <= '9') {
        n++;
    }
    KD_ENSURE(kd_str_to_u64((struct kd_str){ text->ptr, n }, &number), KD_EPARSE);
    *text = (struct kd_str){ text->ptr + n, text->len - n };
    const struct unit *unit = take_unit(text);
    KD_ENSURE(unit && number <= INT64_MAX, KD_EPARSE);
    KD_ENSURE(!__builtin_mul_overflow((int64_t)number, unit->ns, ret_ns), KD_EPARSE);
    return 0;
}

int kd_duration_parse(struct kd_str text, int64_t *ret_ns)
{
    int64_t total = 0;
    KD_ENSURE(text.len > 0, KD_EPARSE);
    while (text.len) {
        int64_t part = 0;
        KD_TRY(take_part(&text, &part));
        KD_ENSURE(!__builtin_add_overflow(total, part, &total), KD_EPARSE);
    }
    *ret_ns = total;
    return 0;
}

char *kd_duration_text(int64_t ns, char out[KD_RFC3339_MAX])
{
    size_t used = 0;
    int64_t left = ns;
    out[0] = '\0';
    for (size_t i = 0; i < KD_ARRAY_LEN(units); i++) {
        const struct unit *unit = &units[largest_first[i]];
        if (left >= unit->ns && used < KD_RFC3339_MAX) {
            int n = snprintf(out + used, KD_RFC3339_MAX - used, "%lld%s",
                             (long long)(left / unit->ns), unit->name);
            used += (size_t)(n > 0 ? n : 0);
            left %= unit->ns;
        }
    }
    if (used == 0) {
        (void)snprintf(out, KD_RFC3339_MAX, "0s");
    }
    return out;
}
