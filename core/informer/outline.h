/*
 * The outline of an object: its members and those of its metadata, found in one scan, so that
 * nothing has to look for them again. Values point into the object's text.
 */
#ifndef KD_INFORMER_OUTLINE_H
#define KD_INFORMER_OUTLINE_H

#include "json/json.h"

struct kd_member {
    struct kd_value key;
    struct kd_value value;
};

struct kd_member_list {
    struct kd_member *items;
    size_t n;
    size_t cap;
};

struct kd_outline {
    struct kd_member_list top;
    struct kd_member_list meta;
    const struct kd_member *metadata; /* the one among top that counts, or NULL */
};

/* A zeroed outline is empty; it is used again and again. */
void kd_outline_release(struct kd_outline *outline);
/* Anything but an object gives an empty outline. KD_ENOMEM. */
int kd_outline_read(struct kd_outline *outline, struct kd_value object) KD_MUST_USE;
/* The last member of that name, KD_JSON_NONE when it is not there. */
struct kd_value kd_member_get(const struct kd_member_list *members, const char *key);
/* The value at a path such as "/spec/nodeName". */
struct kd_value kd_outline_at(const struct kd_outline *outline, const char *path);

#endif
