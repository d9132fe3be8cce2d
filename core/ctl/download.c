#include "ctl/download.h"

#include "base/file.h"

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
    if (kd_fd_write(copy->fd, (struct kd_str){ ptr, len }) < 0) {
        return kd_fail(reterr, KD_EIO, "%s: %s", copy->path, strerror(errno));
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
