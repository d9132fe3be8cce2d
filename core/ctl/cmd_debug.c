/* debug bundle: what a report of a fault should have with it, as one file. */
#include "ctl/commands.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "ctl/tar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUNDLE_MAX (1024 * KD_MIB)
#define PART_MAX (256 * KD_MIB)

static const struct {
    const char *name;
    const char *target;
} parts[] = {
    { "versions.txt", "/debug/versions" },  { "config.txt", "/debug/config" },
    { "kinds.json", "/api/v1/kinds" },      { "plugins.json", "/api/v1/plugins" },
    { "queues.json", "/debug/queues" },     { "cache.json", "/debug/cache" },
    { "metrics.txt", "/debug/metrics" },    { "stacks.txt", "/debug/stacks" },
};

/* An answer that fails stands in its file, so that one fault does not hide the rest. */
static int put_part(struct kd_ctl_session *session, size_t i, struct kd_buf *bundle,
                    struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf body;
    kd_buf_init(&body, PART_MAX);
    KD_AUTO_FREE char *name = kd_asprintf("kindred-debug/%s", parts[i].name);
    int rc = kd_ctl_fetch_text(session, parts[i].target, &body, reterr);
    if (rc < 0 && rc != KD_EHTTP) {
        return rc;
    }
    if (rc < 0) {
        kd_buf_clear(&body, KD_MIB);
        (void)kd_buf_printf(&body, "%s: %s\n", parts[i].target, reterr->text); /* short: it fits */
    }
    kd_ctl_tar_put(bundle, name, kd_wall_ns(session->clock) / KD_SEC_NS, kd_buf_str(&body));
    return kd_buf_failed(bundle) ? kd_fail(reterr, KD_ETOOBIG, "the bundle is too large") : 0;
}

int kd_ctl_run_debug(struct kd_ctl_session *session, struct kd_error *reterr)
{
    const char *path = session->options->file;
    KD_AUTO_BUF struct kd_buf bundle;
    kd_buf_init(&bundle, BUNDLE_MAX);
    for (size_t i = 0; i < KD_ARRAY_LEN(parts); i++) {
        KD_TRY(put_part(session, i, &bundle, reterr));
    }
    kd_ctl_tar_end(&bundle);
    if (kd_buf_failed(&bundle)) {
        return kd_fail(reterr, KD_ETOOBIG, "the bundle is too large");
    }
    KD_TRY(kd_file_create(path, 0600, kd_buf_str(&bundle), reterr));
    (void)kd_buf_printf(&session->out, "%s: look through it before you give it away\n", path);
    return 0;
}
