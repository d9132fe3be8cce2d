/* A store file made of what kd_export_jsonl wrote. */
#ifndef KD_ARCHIVE_IMPORT_H
#define KD_ARCHIVE_IMPORT_H

#include "base/error.h"

#include <stdbool.h>

struct kd_import;

/*
 * Begins a new file, which must not be there. Lines go in as they come. KD_EPARSE names the line
 * and what is wrong with it.
 */
int kd_import_new(const char *path, struct kd_import **ret, struct kd_error *reterr) KD_MUST_USE;
int kd_import_feed(struct kd_import *import, const char *ptr, size_t len,
                   struct kd_error *reterr) KD_MUST_USE;
/* After the last byte: the graph is whole, and on the disk. */
int kd_import_finish(struct kd_import *import, struct kd_error *reterr) KD_MUST_USE;
/* Leaves the file as it is, whole or not. Accepts NULL. */
void kd_import_free(struct kd_import *import);

#endif
