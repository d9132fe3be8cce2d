/*
 * What people ask a store file with their own tools: three views with plain columns. They are part
 * of the schema, so that sqlite3 and others find them; docs/schema.md describes them.
 */
#ifndef KD_STORE_VIEWS_H
#define KD_STORE_VIEWS_H

#include <sqlite3.h>
#include <stdbool.h>

/*
 * Makes them in the file, or `temporary`, for this connection alone, where they hide those of the
 * file: so an older file has them too. An SQLite code.
 */
int kd_views_make(sqlite3 *handle, bool temporary);

#endif
