/*
 * A graph as text: JSON lines, which hold all of it and can be imported again, GraphML, and CSV.
 * Rows go out as they are read. docs/schema.md describes the forms.
 */
#ifndef KD_ARCHIVE_EXPORT_H
#define KD_ARCHIVE_EXPORT_H

#include "archive/archive.h"
#include "base/buf.h"

/* Where the text goes: rows are appended to out, and row is called after each. */
struct kd_export {
    struct kd_archive *archive;
    struct kd_buf *out;
    void *arg;
    int (*row)(void *arg, struct kd_error *reterr); /* negative: ends the export, and is returned */
    struct kd_archive_walk *origins; /* the JSON lines' own */
};

int kd_export_jsonl(const struct kd_export *to, struct kd_error *reterr) KD_MUST_USE;
int kd_export_graphml(const struct kd_export *to, struct kd_error *reterr) KD_MUST_USE;
int kd_export_csv_resources(const struct kd_export *to, struct kd_error *reterr) KD_MUST_USE;
int kd_export_csv_relations(const struct kd_export *to, struct kd_error *reterr) KD_MUST_USE;

/* For those four: a walk over all rows, each handed to put with `to`. */
typedef void (*kd_export_resource_fn)(struct kd_buf *out, const struct kd_archive_resource *row);
typedef int (*kd_export_relation_fn)(const struct kd_export *to,
                                     const struct kd_archive_relation *row,
                                     struct kd_error *reterr);
int kd_export_each_resource(const struct kd_export *to, kd_export_resource_fn put,
                            struct kd_error *reterr) KD_MUST_USE;
int kd_export_each_relation(const struct kd_export *to, kd_export_relation_fn put,
                            struct kd_error *reterr) KD_MUST_USE;

#endif
