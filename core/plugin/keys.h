/* The public keys of plugins.trusted_keys: PEM files that hold one Ed25519 key each. */
#ifndef KD_PLUGIN_KEYS_H
#define KD_PLUGIN_KEYS_H

#include "base/error.h"

#include <openssl/evp.h>

/*
 * Reads one key; the caller frees it by EVP_PKEY_free. A file that others could have put another
 * key into is refused as a plugin file would be. The error names the file and the remedy.
 */
int kd_plugin_key_read(const char *path, EVP_PKEY **ret, struct kd_error *reterr) KD_MUST_USE;
/* The same for its faults alone. */
int kd_plugin_key_check(const char *path, struct kd_error *reterr) KD_MUST_USE;

#endif
