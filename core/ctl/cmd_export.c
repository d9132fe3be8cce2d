/* export: a graph as text. That of a running kindred is taken by way of a backup. */
#include "ctl/commands.h"

#include "archive/export.h"
#include "base/alloc.h"
#include "base/str.h"
#include "ctl/download.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int (*export_fn)(const struct kd_export *to, struct kd_error *reterr);

static int on_row(void *arg, struct kd_error *reterr)
{
    return kd_ctl_flush_some(arg, reterr);
}

static int write_to(struct kd_ctl_session *session, struct kd_archive *archive, export_fn write,
                    struct kd_error *reterr)
{
    const struct kd_export to = {
        .archive = archive, .out = &session->out, .arg = session, .row = on_row
    };
    KD_TRY(write(&to, reterr));
    return kd_ctl_flush(session, reterr);
}

static int write_file(struct kd_ctl_session *session, struct kd_archive *archive, const char *name,
                      export_fn write, struct kd_error *reterr)
{
    const char *folder = session->options->folder;
    KD_AUTO_FREE char *path = kd_asprintf("%s/%s", folder, name);
    struct kd_ctl_session file = *session;
    file.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file.fd < 0) {
        return kd_fail(reterr, KD_EIO, "%s: %s", path, strerror(errno));
    }
    int rc = write_to(&file, archive, write, reterr);
    session->out = file.out; /* its memory may have moved */
    if (close(file.fd) != 0 && rc == 0) {
        rc = kd_fail(reterr, KD_EIO, "%s: %s", path, strerror(errno));
    }
    return rc;
}

static int write_csv(struct kd_ctl_session *session, struct kd_archive *archive,
                     struct kd_error *reterr)
{
    const char *folder = session->options->folder;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return kd_fail(reterr, KD_EIO, "--dir %s: %s", folder, strerror(errno));
    }
    KD_TRY(write_file(session, archive, "resources.csv", kd_export_csv_resources, reterr));
    return write_file(session, archive, "relationships.csv", kd_export_csv_relations, reterr);
}

static int write_graph(struct kd_ctl_session *session, struct kd_archive *archive,
                       struct kd_error *reterr)
{
    switch (session->options->export_format) {
    case KD_CTL_EXPORT_JSONL:
        return write_to(session, archive, kd_export_jsonl, reterr);
    case KD_CTL_EXPORT_GRAPHML:
        return write_to(session, archive, kd_export_graphml, reterr);
    case KD_CTL_EXPORT_CSV:
        return write_csv(session, archive, reterr);
    }
    return KD_EINVAL;
}

/* A file of our own for the backup; it is open, and its name may go. */
static int open_backup(struct kd_ctl_session *session, struct kd_archive **ret,
                       struct kd_error *reterr)
{
    const char *folder = getenv("TMPDIR");
    KD_AUTO_FREE char *path =
        kd_asprintf("%s/kindredctl.XXXXXX", folder && folder[0] ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        return kd_fail(reterr, KD_EIO, "%s: %s (TMPDIR names another folder)", path,
                       strerror(errno));
    }
    int rc = kd_ctl_backup(session, fd, path, reterr);
    (void)close(fd); /* what is lost here shows when it is read */
    rc = rc < 0 ? rc : kd_archive_open(path, ret, reterr);
    (void)unlink(path); /* it is ours and there */
    return rc;
}

int kd_ctl_run_export(struct kd_ctl_session *session, struct kd_error *reterr)
{
    struct kd_archive *archive = NULL;
    const char *file = session->options->file;
    KD_TRY(file ? kd_archive_open(file, &archive, reterr) : open_backup(session, &archive, reterr));
    int rc = write_graph(session, archive, reterr);
    kd_archive_close(archive);
    return rc;
}
