/*
 * kindred_data(id), an SQL function: the object of a resource of the view `resources` as JSON. The
 * tables keep it compressed, against dictionaries and bases that other rows hold.
 *
 * Built twice: into kindredctl, and as the extension kindred_sqlite.so, which any program that uses
 * SQLite can load; so it calls SQLite by the table of functions that a loaded extension is given.
 */
#ifndef KD_ARCHIVE_DATA_H
#define KD_ARCHIVE_DATA_H

#include <sqlite3.h>

/* Makes the function known to a connection, with a cache that lives as long. An SQLite code. */
int kd_data_register(sqlite3 *handle);

#endif
