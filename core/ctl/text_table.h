/*
 * A table for people: cells come row by row, columns are as wide as their widest cell. Rows are
 * kept as text until the table is written. Cells are made fit to print: control characters become
 * spaces, an empty cell becomes "-", so that scripts can cut columns at white space.
 */
#ifndef KD_CTL_TEXT_TABLE_H
#define KD_CTL_TEXT_TABLE_H

#include "base/buf.h"

#define KD_CTL_MAX_COLUMNS 12

struct kd_ctl_table {
    size_t columns;
    size_t n; /* cells so far, those of the head line among them */
    size_t widths[KD_CTL_MAX_COLUMNS];
    struct kd_buf cells; /* each NUL-terminated */
};

void kd_ctl_table_init(struct kd_ctl_table *table, const char *const *headers, size_t n);
void kd_ctl_table_release(struct kd_ctl_table *table);
#define KD_AUTO_CTL_TABLE KD_CLEANUP(kd_ctl_table_release)

/* The next cell of the row, or the first of a new one. */
void kd_ctl_table_cell(struct kd_ctl_table *table, struct kd_str text);
void kd_ctl_table_number(struct kd_ctl_table *table, uint64_t number);
/* Writes the head line and all whole rows. A failure, of a cell too, is remembered by out. */
void kd_ctl_table_put(const struct kd_ctl_table *table, struct kd_buf *out);

/* Text without control characters, "-" for none. A failure is remembered by out. */
void kd_ctl_clean_put(struct kd_buf *out, struct kd_str text);

#endif
