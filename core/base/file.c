#include "base/file.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define READ_STEP (32 * KD_KIB)

static int errno_to_kd(int code)
{
    return code == ENOENT || code == ENOTDIR ? KD_ENOENT :
           code == EACCES || code == EPERM   ? KD_EPERM :
           code == EEXIST                    ? KD_EEXIST :
                                               KD_EIO;
}

static int fail_at(const char *path, struct kd_error *reterr)
{
    int code = errno;
    return kd_fail(reterr, errno_to_kd(code), "%s: %s", path, strerror(code));
}

static int read_all(int fd, const char *path, struct kd_buf *buf, struct kd_error *reterr)
{
    char chunk[READ_STEP];
    for (;;) {
        ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return fail_at(path, reterr);
        }
        if (n == 0) {
            return kd_buf_reserve(buf, 0); /* an empty file gives "" and not NULL */
        }
        int rc = kd_buf_put(buf, chunk, (size_t)n);
        if (rc < 0) {
            return kd_fail(reterr, rc, "%s: larger than %zu bytes", path, buf->max);
        }
    }
}

int kd_file_read(const char *path, struct kd_buf *buf, struct kd_error *reterr)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return fail_at(path, reterr);
    }
    int rc = read_all(fd, path, buf, reterr);
    (void)close(fd); /* opened for reading: nothing to lose */
    return rc;
}

int kd_fd_write(int fd, struct kd_str text)
{
    while (text.len > 0) {
        ssize_t n = write(fd, text.ptr, text.len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        KD_ENSURE(n > 0, KD_EIO);
        text.ptr += n;
        text.len -= (size_t)n;
    }
    return 0;
}

int kd_file_create(const char *path, mode_t mode, struct kd_str text, struct kd_error *reterr)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) {
        return fail_at(path, reterr);
    }
    int rc = kd_fd_write(fd, text) < 0 ? fail_at(path, reterr) : 0;
    if (close(fd) != 0 && rc == 0) {
        rc = fail_at(path, reterr);
    }
    if (rc < 0) {
        (void)unlink(path); /* it is ours, and half a file is none */
    }
    return rc;
}

char *kd_path_join(const char *folder, const char *name)
{
    size_t len = strlen(folder);
    const char *slash = len && folder[len - 1] == '/' ? "" : "/";
    return kd_asprintf("%s%s%s", folder, slash, name);
}

char *kd_path_beside(const char *base_file, const char *path)
{
    const char *slash = strrchr(base_file, '/');
    if (path[0] == '/' || !slash) {
        return kd_strdup(path);
    }
    return kd_asprintf("%.*s/%s", (int)(slash - base_file), base_file, path);
}
