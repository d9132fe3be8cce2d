/* Texts that hold for a time, by the SHA-256 of what they are about. Bounded: when it is full, what
 * has run out goes, and if that is nothing, all. Not thread-safe. */
#ifndef KD_MANAGER_VERDICTS_H
#define KD_MANAGER_VERDICTS_H

#include "base/hmap.h"

#include <stdbool.h>

#define KD_VERDICT_KEY 32

struct kd_verdict_key {
    unsigned char bytes[KD_VERDICT_KEY];
};

struct kd_verdicts {
    struct kd_hmap map;
};

void kd_verdicts_release(struct kd_verdicts *verdicts);
/* Of several texts, each with its length, so that no two lists of them are one. */
struct kd_verdict_key kd_verdict_key(const struct kd_str *texts, size_t n);
void kd_verdicts_put(struct kd_verdicts *verdicts, const struct kd_verdict_key *key,
                     struct kd_str text, int64_t until_ns);
/* NULL: none that holds at that time. Borrowed until the next put. */
const char *kd_verdicts_get(const struct kd_verdicts *verdicts, const struct kd_verdict_key *key,
                            int64_t now_ns);

#endif
