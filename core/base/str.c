#include "base/str.h"

#include "base/macros.h"

#define DISTANCE_MAX 63

int kd_str_cmp(struct kd_str a, struct kd_str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common ? memcmp(a.ptr, b.ptr, common) : 0;
    if (order != 0 || a.len == b.len) {
        return order;
    }
    return a.len < b.len ? -1 : 1;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct kd_str kd_str_trim(struct kd_str str)
{
    while (str.len && is_space(str.ptr[0])) {
        str.ptr++;
        str.len--;
    }
    while (str.len && is_space(str.ptr[str.len - 1])) {
        str.len--;
    }
    return str;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool kd_str_eq_nocase(struct kd_str a, struct kd_str b)
{
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i])) {
            return false;
        }
    }
    return true;
}

struct kd_str kd_str_cut(struct kd_str *rest, char sep)
{
    struct kd_str all = *rest;
    const char *at = all.len ? memchr(all.ptr, sep, all.len) : NULL;
    if (!at) {
        *rest = (struct kd_str){ NULL, 0 };
        return all;
    }
    size_t len = (size_t)(at - all.ptr);
    *rest = (struct kd_str){ at + 1, all.len - len - 1 };
    return (struct kd_str){ all.ptr, len };
}

bool kd_str_to_u64(struct kd_str str, uint64_t *ret)
{
    uint64_t value = 0;
    if (str.len == 0) {
        return false;
    }
    for (size_t i = 0; i < str.len; i++) {
        if (str.ptr[i] < '0' || str.ptr[i] > '9' || __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(str.ptr[i] - '0'), &value)) {
            return false;
        }
    }
    *ret = value;
    return true;
}

size_t kd_str_distance(struct kd_str a, struct kd_str b)
{
    size_t row[DISTANCE_MAX + 1];
    if (a.len > DISTANCE_MAX || b.len > DISTANCE_MAX) {
        return a.len + b.len;
    }
    for (size_t j = 0; j <= b.len; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t swap = diagonal + (a.ptr[i - 1] != b.ptr[j - 1]);
            size_t best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = swap < best ? swap : best;
        }
    }
    return row[b.len];
}

void kd_one_line_in_place(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) {
            *text = ' ';
        }
    }
}
