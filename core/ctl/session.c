#include "ctl/session.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"

#include <errno.h>
#include <unistd.h>

#define FLUSH_AT (64 * KD_KIB)

int kd_ctl_flush(struct kd_ctl_session *session, struct kd_error *reterr)
{
    struct kd_buf *out = &session->out;
    if (kd_buf_failed(out)) {
        return kd_fail(reterr, KD_ETOOBIG, "no memory for so much output");
    }
    if (kd_fd_write(session->fd, kd_buf_str(out)) < 0) {
        return errno == EPIPE
                   ? kd_fail(reterr, KD_CTL_CLOSED, "the output is closed")
                   : kd_fail(reterr, KD_EIO, "cannot write the output: %s", strerror(errno));
    }
    kd_buf_clear(out, FLUSH_AT * 2);
    return 0;
}

int kd_ctl_flush_some(struct kd_ctl_session *session, struct kd_error *reterr)
{
    return session->out.len < FLUSH_AT ? 0 : kd_ctl_flush(session, reterr);
}

static int to_body(void *arg, const char *ptr, size_t len, struct kd_error *reterr)
{
    struct kd_buf *body = arg;
    int rc = kd_buf_put(body, ptr, len);
    return rc < 0 ? kd_fail(reterr, rc, "the answer is too large: more than %zu MiB",
                            body->max / KD_MIB)
                  : 0;
}

int kd_ctl_fetch_text(struct kd_ctl_session *session, const char *target, struct kd_buf *body,
                      struct kd_error *reterr)
{
    const struct kd_ctl_sink sink = { body, to_body };
    kd_buf_clear(body, FLUSH_AT);
    return kd_ctl_http_get(session->http, target, false, &sink, reterr);
}

int kd_ctl_fetch(struct kd_ctl_session *session, const char *target, struct kd_buf *body,
                 struct kd_value *ret, struct kd_error *reterr)
{
    KD_TRY(kd_ctl_fetch_text(session, target, body, reterr));
    int rc = kd_json_parse(kd_buf_str(body), ret, reterr);
    return rc < 0 ? kd_fail_prefix(reterr, rc, "the answer of %s", session->address->text) : 0;
}

static int to_out(void *arg, const char *ptr, size_t len, struct kd_error *reterr)
{
    struct kd_ctl_session *session = arg;
    (void)kd_buf_put(&session->out, ptr, len); /* looked at when it is written */
    return kd_ctl_flush_some(session, reterr);
}

int kd_ctl_copy(struct kd_ctl_session *session, const char *target, struct kd_error *reterr)
{
    const struct kd_ctl_sink sink = { session, to_out };
    return kd_ctl_http_get(session->http, target, false, &sink, reterr);
}

void kd_ctl_query_add(struct kd_buf *target, const char *name, const char *value)
{
    bool first = !target->len || !memchr(target->ptr, '?', target->len);
    if (value) {
        (void)kd_buf_printf(target, "%c%s=", first ? '?' : '&', name); /* remembered */
        (void)kd_buf_put_url(target, kd_str_from(value));
    }
}
