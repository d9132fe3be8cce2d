/* A copy of the graph as it is at one moment, in a file that has no name. */
#include "base/alloc.h"
#include "store/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The reader's transaction stands, so that the copy is of one moment, in one go. */
static int copy_to(sqlite3 *from, const char *path, struct kd_error *reterr)
{
    sqlite3 *to = NULL;
    int rc = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE, NULL);
    sqlite3_backup *backup = rc == SQLITE_OK ? sqlite3_backup_init(to, "main", from, "main") : NULL;
    if (backup) {
        rc = sqlite3_backup_step(backup, -1);
        int end = sqlite3_backup_finish(backup);
        rc = rc == SQLITE_DONE ? end : rc;
        /* Without a log it can be read where nobody may write. */
        rc = rc == SQLITE_OK ? sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL)
                             : rc;
    } else if (to) {
        rc = sqlite3_errcode(to);
    }
    if (rc != SQLITE_OK) {
        (void)kd_fail(reterr, kd_db_code(rc), "store: no copy in %s: %s", path,
                      to ? sqlite3_errmsg(to) : "out of memory");
    }
    (void)sqlite3_close(to); /* has no statement: it closes */
    return kd_db_code(rc);
}

static int make_copy(struct kd_store *store, const char *path, struct kd_error *reterr)
{
    struct kd_reader *reader = NULL;
    int rc = kd_reader_take(&store->readers, &reader);
    if (rc < 0) {
        return kd_fail(reterr, rc, "store: %s", kd_errno_text(rc));
    }
    rc = copy_to(reader->db.handle, path, reterr);
    kd_reader_give(&store->readers, reader);
    return rc;
}

int kd_store_backup(struct kd_store *store, int *ret_fd, struct kd_error *reterr)
{
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_AUTO_FREE char *path = kd_asprintf("%s.backup.XXXXXX", store->place.path);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        return kd_fail(reterr, KD_EIO, "store: no file %s: %s", path, strerror(errno));
    }
    int rc = make_copy(store, path, reterr);
    (void)unlink(path); /* it is ours and there */
    if (rc < 0) {
        (void)close(fd); /* nothing of it is wanted */
        return rc;
    }
    *ret_fd = fd;
    return 0;
}
