/*
 * A table for people: cells come row by row, columns are as wide as their widest cell. Rows are
 * kept as text until the table is written. Cells are made fit to print: control characters become
 * spaces, an empty cell becomes "-", so that scripts can cut columns at white space.
 */
#ifndef KD_CTL_TEXT_TABLE_H
#define KD_CTL_TEXT_TABLE_H

#include "base/buf.h"

#include <stdbool.h>

#define KD_CTL_MAX_COLUMNS 16

struct kd_ctl_table {
    size_t columns;
    size_t n; /* cells so far, those of the head line among them */
    size_t widths[KD_CTL_MAX_COLUMNS];
    bool filled[KD_CTL_MAX_COLUMNS]; /* some row has more than "-" */
    bool dropped[KD_CTL_MAX_COLUMNS];
    struct kd_buf cells; /* each NUL-terminated */
    bool headless;       /* the head line is not written */
};

void kd_ctl_table_init(struct kd_ctl_table *table, const char *const *headers, size_t n);
void kd_ctl_table_release(struct kd_ctl_table *table);
#define KD_AUTO_CTL_TABLE KD_CLEANUP(kd_ctl_table_release)

/* The next cell of the row, or the first of a new one. */
void kd_ctl_table_cell(struct kd_ctl_table *table, struct kd_str text);
void kd_ctl_table_number(struct kd_ctl_table *table, uint64_t number);
/* Forgets what was written; columns keep their widths, and there is no head line any more. */
void kd_ctl_table_go_on(struct kd_ctl_table *table);
/* Leaves out a column that is empty in every row. */
void kd_ctl_table_drop_empty(struct kd_ctl_table *table, size_t column);
/* Writes the head line and all whole rows. A failure, of a cell too, is remembered by out. */
void kd_ctl_table_put(const struct kd_ctl_table *table, struct kd_buf *out);

/* Text without control characters, "-" for none. A failure is remembered by out. */
void kd_ctl_clean_put(struct kd_buf *out, struct kd_str text);

#endif
