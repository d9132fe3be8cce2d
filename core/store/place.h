/* Where a store's file lies, and the hold on it. */
#ifndef KD_STORE_PLACE_H
#define KD_STORE_PLACE_H

#include "base/error.h"

#include <stdbool.h>

struct kd_place_hold {
    char *path;     /* of the database file; owned */
    int lock_fd;    /* -1: none */
    bool temporary; /* its files go as soon as everyone has opened them */
};

/*
 * ":memory:" makes a temporary file. KD_EBUSY: another live process, or this one, holds the file;
 * KD_ECONFIG: it cannot be made there.
 */
int kd_place_open(const char *path, struct kd_place_hold *ret, struct kd_error *reterr) KD_MUST_USE;
/* Takes the names of a temporary file away; open descriptors keep it. */
void kd_place_unlink(struct kd_place_hold *hold);
/* Gives the hold back. Accepts a zeroed one. */
void kd_place_close(struct kd_place_hold *hold);

#endif
