/* kindred_sqlite.so: what a program that uses SQLite loads to read objects out of a store. */
#include "archive/data.h"

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

/* SQLite makes the name out of the file's. */
int __attribute__((visibility("default")))
sqlite3_kindredsqlite_init(sqlite3 *handle, char **reterr, const sqlite3_api_routines *api);

int sqlite3_kindredsqlite_init(sqlite3 *handle, char **reterr, const sqlite3_api_routines *api)
{
    (void)reterr;
    SQLITE_EXTENSION_INIT2(api)
    return kd_data_register(handle);
}
