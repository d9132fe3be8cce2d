/*
 * Strings that many records share (namespaces), kept once for the whole process and counted.
 * Any thread.
 */
#ifndef KD_INFORMER_INTERN_H
#define KD_INFORMER_INTERN_H

#include "base/macros.h"

#include <kindred/types.h>

struct kd_interned;

/* A new reference; NULL without memory. */
struct kd_interned *kd_intern(struct kd_str text);
struct kd_interned *kd_interned_ref(struct kd_interned *interned);
void kd_interned_unref(struct kd_interned *interned); /* accepts NULL */
struct kd_str kd_interned_str(const struct kd_interned *interned);
/* Equal to kd_hash_str of the text. */
uint64_t kd_interned_hash(const struct kd_interned *interned);

#endif
