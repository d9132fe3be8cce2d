#include "ctl/download.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct copy {
    int fd;
    const char *path;
};

static int on_bytes(void *arg, const char *ptr, size_t len, struct kd_error *reterr)
{
    struct copy *copy = arg;
    size_t done = 0;
    while (done < len) {
        ssize_t n = write(copy->fd, ptr + done, len - done);
        if (n < 0 && errno != EINTR) {
            return kd_fail(reterr, KD_EIO, "%s: %s", copy->path, strerror(errno));
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int kd_ctl_download(struct kd_ctl_session *session, const char *target, int fd, const char *path,
                    struct kd_error *reterr)
{
    struct copy copy = { fd, path };
    const struct kd_ctl_sink sink = { &copy, on_bytes };
    return kd_ctl_http_get(session->http, target, true, &sink, reterr);
}

int kd_ctl_backup(struct kd_ctl_session *session, int fd, const char *path, struct kd_error *reterr)
{
    return kd_ctl_download(session, "/api/v1/store/backup", fd, path, reterr);
}
