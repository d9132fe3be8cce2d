/*
 * Signed plugins. The file's bytes are copied into memory that nobody can change any more, the
 * detached signature FILE.sig is verified over that copy, and the copy is what gets loaded: a file
 * that is swapped between check and load changes nothing.
 */
#ifndef KD_PLUGIN_SIGNATURE_H
#define KD_PLUGIN_SIGNATURE_H

#include "plugin/file_check.h"

struct kd_signed {
    int source; /* the file itself: held, its inode number goes to no other file; -1: none */
    int copy;   /* the sealed memory file */
};

#define KD_SIGNED_NONE                                                                             \
    {                                                                                              \
        -1, -1                                                                                     \
    }

/*
 * *ret holds the bytes of `file`, which one of the keys has signed; the caller releases it.
 * Refusals say which command would sign the file.
 */
int kd_signature_open(const struct kd_plugin_file *file, const struct kd_strlist *keys,
                      struct kd_signed *ret, struct kd_refusal *refusal) KD_MUST_USE;
/* Closes both; the copy's descriptor may have been taken out before. */
void kd_signed_release(struct kd_signed *self);

#endif
