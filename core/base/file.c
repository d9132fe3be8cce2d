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
                                               KD_EIO;
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
            return kd_fail(reterr, errno_to_kd(errno), "%s: %s", path, strerror(errno));
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
        return kd_fail(reterr, errno_to_kd(errno), "%s: %s", path, strerror(errno));
    }
    int rc = read_all(fd, path, buf, reterr);
    (void)close(fd); /* opened for reading: nothing to lose */
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
