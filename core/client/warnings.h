/* The API server's `Warning:` headers (a deprecated API, say): each distinct text is logged once.
 */
#ifndef KD_CLIENT_WARNINGS_H
#define KD_CLIENT_WARNINGS_H

#include <kindred/types.h>
#include <stddef.h>

#define KD_MAX_WARNINGS 256 /* distinct texts; further ones are passed over */

struct kd_warnings {
    uint64_t seen[KD_MAX_WARNINGS];
    size_t n;
};

/* Takes a header's value: 299 AGENT "TEXT", several joined by commas. Other codes mean nothing to
 * us. Returns how many were logged. */
size_t kd_warnings_note(struct kd_warnings *warnings, struct kd_str value);

#endif
