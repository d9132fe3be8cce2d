/* store check and store backup FILE: of a running kindred. */
#include "ctl/commands.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"
#include "ctl/download.h"
#include "ctl/cells.h"
#include "ctl/emit.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int check(struct kd_ctl_session *session, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf body;
    struct kd_value answer = { 0 };
    struct kd_value problems = { 0 };
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value problem;
    size_t n = 0;
    kd_buf_init(&body, KD_CTL_ANSWER_MAX);
    KD_TRY(kd_ctl_fetch(session, "/api/v1/store/check", &body, &answer, reterr));
    bool known = kd_json_get(answer, KD_STR("problems"), &problems);
    if (session->options->format == KD_CTL_JSON) {
        kd_ctl_json_put(&session->out, answer, 0);
        (void)kd_buf_putc(&session->out, '\n'); /* looked at when it is written, as below */
    }
    kd_json_iter_init(&iter, problems);
    while (known && kd_json_iter_next(&iter, &key, &problem)) {
        if (session->options->format == KD_CTL_TABLE) {
            kd_ctl_cell_value(&session->out, problem);
            (void)kd_buf_putc(&session->out, '\n');
        }
        n++;
    }
    if (n > 0 || !known) {
        KD_TRY(kd_ctl_flush(session, reterr));
        return kd_fail(reterr, KD_ESTORE,
                       "the store is damaged: stop kindred and move the file away, a new one is "
                       "filled from the cluster");
    }
    if (session->options->format == KD_CTL_TABLE) {
        (void)kd_buf_puts(&session->out, "ok\n");
    }
    return 0;
}

/* Bytes go to a file beside the wanted one, which gets the name when it is whole. */
static int backup(struct kd_ctl_session *session, const char *path, struct kd_error *reterr)
{
    KD_AUTO_FREE char *part = kd_asprintf("%s.part", path);
    if (access(path, F_OK) == 0) {
        return kd_fail(reterr, KD_EEXIST, "%s is there already: name another file", path);
    }
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return kd_fail(reterr, KD_EIO, "%s: %s", part, strerror(errno));
    }
    int rc = kd_ctl_backup(session, fd, part, reterr);
    if (rc == 0 && fsync(fd) != 0) {
        rc = kd_fail(reterr, KD_EIO, "%s: %s", part, strerror(errno));
    }
    (void)close(fd); /* what was written is on the disk */
    if (rc == 0 && rename(part, path) != 0) {
        rc = kd_fail(reterr, KD_EIO, "%s: %s", path, strerror(errno));
    }
    if (rc < 0) {
        (void)unlink(part); /* half a copy is none */
    }
    return rc;
}

int kd_ctl_run_store(struct kd_ctl_session *session, struct kd_error *reterr)
{
    const struct kd_ctl_options *options = session->options;
    return options->file ? backup(session, options->file, reterr) : check(session, reterr);
}
