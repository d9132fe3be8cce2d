#include "store/place.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int open_temporary(struct kd_place_hold *hold, struct kd_error *reterr)
{
    const char *folder = getenv("TMPDIR");
    hold->path = kd_asprintf("%s/kindred-graph.XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(hold->path, O_CLOEXEC);
    if (fd < 0) {
        int reason = errno;
        return kd_fail(reterr, KD_ECONFIG, "store: no temporary file %s: %s; set TMPDIR",
                       hold->path, strerror(reason));
    }
    hold->temporary = true;
    (void)close(fd); /* nothing was written */
    return 0;
}

/* The file is made here, so that no one else can read what it will hold. */
static int make_file(const char *path, struct kd_error *reterr)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        int reason = errno;
        return kd_fail(reterr, KD_ECONFIG,
                       "store %s: %s; the folder must be there and writable for this user", path,
                       strerror(reason));
    }
    (void)close(fd); /* nothing was written */
    return 0;
}

static void read_holder(int fd, char *out, size_t size)
{
    ssize_t n = pread(fd, out, size - 1, 0);
    out[n > 0 ? n : 0] = '\0';
}

static void write_holder(int fd)
{
    char text[32];
    int n = snprintf(text, sizeof(text), "%ld", (long)getpid());
    /* Only for the message that another process gives: without it the hold is as good. */
    if (ftruncate(fd, 0) == 0) {
        ssize_t written = pwrite(fd, text, (size_t)n, 0);
        (void)written;
    }
}

static int take_hold(struct kd_place_hold *hold, struct kd_error *reterr)
{
    KD_AUTO_FREE char *lock_path = kd_asprintf("%s.lock", hold->path);
    char holder[32];
    hold->lock_fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (hold->lock_fd < 0) {
        int reason = errno;
        return kd_fail(reterr, KD_ECONFIG,
                       "store %s: %s; the folder must be there and writable for this user",
                       lock_path, strerror(reason));
    }
    if (flock(hold->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        read_holder(hold->lock_fd, holder, sizeof(holder));
        return kd_fail(reterr, KD_EBUSY, "store %s: in use by process %s; one store, one process",
                       hold->path, holder);
    }
    write_holder(hold->lock_fd);
    return make_file(hold->path, reterr);
}

int kd_place_open(const char *path, struct kd_place_hold *ret, struct kd_error *reterr)
{
    struct kd_place_hold hold = { .lock_fd = -1 };
    int rc;
    if (strcmp(path, ":memory:") == 0) {
        rc = open_temporary(&hold, reterr);
    } else {
        hold.path = kd_strdup(path);
        rc = take_hold(&hold, reterr);
    }
    if (rc < 0) {
        kd_place_close(&hold);
        return rc;
    }
    *ret = hold;
    return 0;
}

void kd_place_unlink(struct kd_place_hold *hold)
{
    static const char *const ends[] = { "", "-wal", "-shm" };
    for (size_t i = 0; hold->temporary && i < KD_ARRAY_LEN(ends); i++) {
        KD_AUTO_FREE char *name = kd_asprintf("%s%s", hold->path, ends[i]);
        (void)unlink(name); /* one that is not there needs no removal */
    }
    hold->temporary = false;
}

void kd_place_close(struct kd_place_hold *hold)
{
    kd_place_unlink(hold);
    if (hold->path && hold->lock_fd >= 0) {
        (void)close(hold->lock_fd); /* ends the hold; the file stays, or two could hold two */
    }
    hold->path = kd_free(hold->path);
    hold->lock_fd = -1;
}
