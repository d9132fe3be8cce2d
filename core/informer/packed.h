/* Short forms of a uid and a resource version; what does not fit them is kept as text. */
#ifndef KD_INFORMER_PACKED_H
#define KD_INFORMER_PACKED_H

#include <kindred/types.h>
#include <stdbool.h>

#define KD_UUID_LEN 16
#define KD_UUID_TEXT 36

/* True for a UUID in lower case with its four dashes; out is undefined else. */
bool kd_uuid_pack(struct kd_str text, unsigned char out[KD_UUID_LEN]);
/* Writes KD_UUID_TEXT bytes to out. */
struct kd_str kd_uuid_unpack(const unsigned char in[KD_UUID_LEN], char *out);
/* True for a decimal number below 2^64 that reads back to the same text. */
bool kd_version_pack(struct kd_str text, uint64_t *ret);
/* Writes at most 20 bytes to out. */
struct kd_str kd_version_unpack(uint64_t version, char *out);

#endif
