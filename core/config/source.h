/*
 * The text of a config file with its `@include "path"` lines filled in, and where each line came
 * from. Relative paths are relative to the file that names them. What libconfig would take wrongly
 * and without a word is caught here: whole numbers past 32 bits get the suffix that makes them
 * 64-bit ones, and NUL bytes, other encodings and units without quotes are faults.
 */
#ifndef KD_CONFIG_SOURCE_H
#define KD_CONFIG_SOURCE_H

#include "base/buf.h"
#include "config/settings.h"

struct kd_conf_chunk {
    char *file;
    int line;  /* in file, of the chunk's first line */
    int start; /* in text, the same line */
};

struct kd_conf_source {
    struct kd_buf text;
    int line; /* of text, where the next byte goes */
    struct kd_conf_chunk *chunks;
    size_t n_chunks;
};

/* Reads path into a source that kd_conf_source_release frees, also after a fault. */
int kd_conf_source_read(struct kd_conf_source *source, const char *path,
                        struct kd_faults *faults) KD_MUST_USE;
void kd_conf_source_release(struct kd_conf_source *source);
/* File and line of a line of the text; the file is borrowed. */
const char *kd_conf_source_place(const struct kd_conf_source *source, int line, int *ret_line);

#endif
