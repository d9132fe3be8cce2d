/*
 * A Lease object as the election sees it, read from the server's JSON, and the JSON that claims,
 * renews or gives it up. Fields that the election does not know stay as they are.
 */
#ifndef KD_LEADER_RECORD_H
#define KD_LEADER_RECORD_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"

#include <stdbool.h>

#define KD_LEASE_VERSION_MAX 64
#define KD_LEASE_TIME_MAX 48 /* a longer one is no time */

struct kd_lease {
    char *json; /* the whole object, owned; NULL: none */
    char *holder;
    /* How long it holds after its last change; 0: it does not hold. A value that is no number
     * counts as KD_LEASE_UNREADABLE. */
    int64_t duration_ns;
    int64_t transitions;
    char version[KD_LEASE_VERSION_MAX];
    char acquired[KD_LEASE_TIME_MAX]; /* texts as they stand; "" where absent */
    char renewed[KD_LEASE_TIME_MAX];
    uint64_t print; /* of the version and the spec's bytes: another one is a sign of life */
};

#define KD_LEASE_UNREADABLE INT64_C(-1)

/* KD_EPARSE for what is no object with metadata and a resourceVersion; all else is read as far as
 * it makes sense. */
int kd_lease_read(struct kd_str text, struct kd_lease *ret, struct kd_error *reterr) KD_MUST_USE;
/* Accepts a zeroed one, and zeroes. */
void kd_lease_release(struct kd_lease *lease);
/* Nobody holds it: no holder, or no duration. */
bool kd_lease_is_free(const struct kd_lease *lease);

/* What is to be written. */
struct kd_claim {
    const char *ns;
    const char *name;
    const char *holder;
    int64_t duration_s;
    const char *acquired; /* texts, from kd_micro_time or a lease */
    const char *renewed;
    int64_t transitions;
};

/* Appends the object: base with the claim in its spec, or a new one where base holds none. */
int kd_lease_write(const struct kd_lease *base, const struct kd_claim *claim,
                   struct kd_buf *out) KD_MUST_USE;

/* The API's MicroTime: always six digits and "Z" (B43). */
char *kd_micro_time(int64_t wall_ns, char out[KD_LEASE_TIME_MAX]);

#endif
