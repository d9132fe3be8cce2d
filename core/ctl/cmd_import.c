/* import: a store's file of an export in JSON lines. */
#include "ctl/commands.h"

#include "archive/import.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int feed(struct kd_import *import, int fd, const char *path, struct kd_error *reterr)
{
    size_t size = 64 * KD_KIB;
    KD_AUTO_FREE char *chunk = kd_alloc(size);
    ssize_t n;
    while ((n = read(fd, chunk, size)) != 0) {
        if (n < 0 && errno != EINTR) {
            return kd_fail(reterr, KD_EIO, "%s: %s", path, strerror(errno));
        }
        if (n > 0) {
            KD_TRY(kd_import_feed(import, chunk, (size_t)n, reterr));
        }
    }
    return kd_import_finish(import, reterr);
}

/* Fills a file beside the wanted one, which gets the name when the graph is whole. */
static int fill(const char *part, int fd, const char *path, struct kd_error *reterr)
{
    struct kd_import *import = NULL;
    KD_TRY(kd_import_new(part, &import, reterr));
    int rc = feed(import, fd, path, reterr);
    kd_import_free(import);
    return rc;
}

static int import_from(int fd, const char *path, const char *store, struct kd_error *reterr)
{
    static const char *const beside[] = { "", "-wal", "-shm" };
    KD_AUTO_FREE char *part = kd_asprintf("%s.part", store);
    if (access(store, F_OK) == 0) {
        return kd_fail(reterr, KD_EEXIST, "%s is there already: name another file", store);
    }
    (void)unlink(part); /* of an import that was cut off */
    int rc = fill(part, fd, path, reterr);
    if (rc == 0 && rename(part, store) != 0) {
        rc = kd_fail(reterr, KD_EIO, "%s: %s", store, strerror(errno));
    }
    for (size_t i = 0; rc < 0 && i < KD_ARRAY_LEN(beside); i++) {
        KD_AUTO_FREE char *name = kd_asprintf("%s%s", part, beside[i]);
        (void)unlink(name); /* half a graph is none */
    }
    return rc;
}

int kd_ctl_run_import(struct kd_ctl_session *session, struct kd_error *reterr)
{
    const char *path = session->options->file;
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return kd_fail(reterr, KD_EIO, "%s: %s", path, strerror(errno));
    }
    int rc = import_from(fd, path, session->options->other, reterr);
    if (!standard) {
        (void)close(fd); /* nothing was written */
    }
    return rc;
}
