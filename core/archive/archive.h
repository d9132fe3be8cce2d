/*
 * A graph in a file, read without a running kindred: a store, or a backup of one. What is read is
 * of one moment, rows come one at a time and in an order that the graph alone makes, so that two
 * files can be laid side by side.
 *
 * One thread. Texts of a row live until the next one of the same walk.
 */
#ifndef KD_ARCHIVE_ARCHIVE_H
#define KD_ARCHIVE_ARCHIVE_H

#include "base/error.h"

#include <stdbool.h>

struct kd_archive;
struct kd_archive_walk; /* over all resources, all relations, or the origins of one relation */

/*
 * KD_EIO for what cannot be read, KD_ECONFIG for what is no store, or one of a version that this
 * program does not know; the text names the file. A store that a kindred has open may be read.
 */
int kd_archive_open(const char *path, struct kd_archive **ret, struct kd_error *reterr) KD_MUST_USE;
/* After all walks have ended. Accepts NULL. */
void kd_archive_close(struct kd_archive *archive);
/* The last change that the graph holds. */
uint64_t kd_archive_seq(const struct kd_archive *archive);

struct kd_archive_resource {
    int64_t id;
    struct kd_ref ref;
    struct kd_str version;     /* resourceVersion */
    struct kd_str plugin;      /* the instance that put it */
    struct kd_str labels;      /* JSON object */
    struct kd_str annotations; /* JSON object */
    struct kd_str created_at;  /* RFC 3339; "" unknown */
    struct kd_str updated_at;
    struct kd_str data; /* JSON object; "" where there is none */
};

struct kd_archive_relation {
    int64_t id;
    struct kd_str type;
    struct kd_str identity; /* members of the attributes by which relations are told apart */
    struct kd_str attrs;    /* JSON object: all attributes */
    struct kd_ref subject;
    struct kd_ref object;
    bool resolved;
};

/* Who says a relation: ref without uid and version; how the ends are mentioned there. */
struct kd_archive_origin {
    struct kd_ref ref;
    struct kd_str plugin;
    struct kd_str attrs; /* JSON object: those that are no part of the relation's identity */
    struct kd_str subject_version, subject_uid;
    struct kd_str object_version, object_uid;
};

/* By kind, group, namespace and name; by type, subject, object and identity; by the same as
 * resources and the plugin. */
int kd_archive_resources(struct kd_archive *archive, struct kd_archive_walk **ret,
                         struct kd_error *reterr) KD_MUST_USE;
int kd_archive_relations(struct kd_archive *archive, struct kd_archive_walk **ret,
                         struct kd_error *reterr) KD_MUST_USE;
/* Those of one relation after the other: kd_archive_origins_of names the next one. */
int kd_archive_origins(struct kd_archive *archive, struct kd_archive_walk **ret,
                       struct kd_error *reterr) KD_MUST_USE;
void kd_archive_origins_of(struct kd_archive_walk *walk, int64_t relation);
/* 1: the next row, 0: the end. The row must be of the walk's own kind. */
int kd_archive_next_resource(struct kd_archive_walk *walk, struct kd_archive_resource *ret,
                             struct kd_error *reterr) KD_MUST_USE;
int kd_archive_next_relation(struct kd_archive_walk *walk, struct kd_archive_relation *ret,
                             struct kd_error *reterr) KD_MUST_USE;
int kd_archive_next_origin(struct kd_archive_walk *walk, struct kd_archive_origin *ret,
                           struct kd_error *reterr) KD_MUST_USE;
/* Nodes that relations name and that the graph has no resource of: ref without version and uid. */
int kd_archive_mentioned(struct kd_archive *archive, struct kd_archive_walk **ret,
                         struct kd_error *reterr) KD_MUST_USE;
int kd_archive_next_mentioned(struct kd_archive_walk *walk, struct kd_ref *ret,
                              struct kd_error *reterr) KD_MUST_USE;
void kd_archive_end(struct kd_archive_walk *walk); /* accepts NULL */


#endif
