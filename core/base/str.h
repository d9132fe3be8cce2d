/* Small helpers on struct kd_str. No helper allocates or keeps anything. */
#ifndef KD_BASE_STR_H
#define KD_BASE_STR_H

#include <kindred/types.h>
#include <stdbool.h>
#include <string.h>

/* For printf's "%.*s". */
#define KD_STR_FMT "%.*s"
#define KD_STR_ARG(str) (int)(str).len, (str).ptr ? (str).ptr : ""

static inline struct kd_str kd_str_from(const char *text)
{
    return (struct kd_str){ text, text ? strlen(text) : 0 };
}

static inline bool kd_str_eq(struct kd_str a, struct kd_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool kd_str_is(struct kd_str a, const char *text)
{
    return kd_str_eq(a, kd_str_from(text));
}

static inline bool kd_str_starts(struct kd_str a, struct kd_str prefix)
{
    return a.len >= prefix.len && (prefix.len == 0 || memcmp(a.ptr, prefix.ptr, prefix.len) == 0);
}

/* Order by bytes, shorter first on a common prefix. */
int kd_str_cmp(struct kd_str a, struct kd_str b);
/* Without surrounding ASCII white space. */
struct kd_str kd_str_trim(struct kd_str str);
/* Equal but for the case of ASCII letters. */
bool kd_str_eq_nocase(struct kd_str a, struct kd_str b);
/*
 * Cuts at the first `sep`: returns the part before it and moves *rest behind it. Without one,
 * returns all and leaves *rest empty with a NULL pointer.
 */
struct kd_str kd_str_cut(struct kd_str *rest, char sep);
/* Decimal digits only, no sign, no overflow. */
bool kd_str_to_u64(struct kd_str str, uint64_t *ret);
/* Turns control characters into spaces, so that foreign words stay in one line. */
void kd_one_line_in_place(char *text);
/* Edit distance, for "did you mean"; strings over 63 bytes count as far. */
size_t kd_str_distance(struct kd_str a, struct kd_str b);

#endif
