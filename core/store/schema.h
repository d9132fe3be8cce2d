/* The tables of a store file, their version, and the steps that bring an older file up to it. */
#ifndef KD_STORE_SCHEMA_H
#define KD_STORE_SCHEMA_H

#include "store/db.h"

#define KD_SCHEMA_VERSION 4
#define KD_SCHEMA_OLDEST_READ 2 /* whose tables the views of views.h can be laid over */
#define KD_APPLICATION_ID 0x4b444752 /* "KDGR" */

/*
 * Makes the tables in an empty file, or brings an older one up, in one transaction. KD_ECONFIG for
 * a file of a newer version and for a database that is not ours.
 */
int kd_schema_prepare(struct kd_db *db, const char *path, struct kd_error *reterr) KD_MUST_USE;

#endif
