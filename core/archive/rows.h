/* Rows of a new store file, made of the lines of an export. */
#ifndef KD_ARCHIVE_ROWS_H
#define KD_ARCHIVE_ROWS_H

#include "base/arena.h"
#include "store/terms.h"

/* Zeroed, then db opened and arena initialised. */
struct kd_rows {
    struct kd_db db;
    struct kd_terms terms;
    struct kd_arena arena; /* of one line; the caller resets it */
    int64_t n_relations;
};

/* What stands behind "resource" and "relation" in a line. KD_EPARSE with a text; else the code of
 * the database, and no text. */
int kd_rows_add_resource(struct kd_rows *rows, struct kd_value row,
                         struct kd_error *reterr) KD_MUST_USE;
int kd_rows_add_relation(struct kd_rows *rows, struct kd_value row,
                         struct kd_error *reterr) KD_MUST_USE;
void kd_rows_release(struct kd_rows *rows);

#endif
