/*
 * One run of a command: what was asked, the connection, and the output, which is collected and
 * written in large pieces, so that a command that fails at once has written nothing.
 */
#ifndef KD_CTL_SESSION_H
#define KD_CTL_SESSION_H

#include "base/buf.h"
#include "base/clock.h"
#include "ctl/http.h"
#include "ctl/options.h"

/* Code of an output that nobody reads any more: the run ends without a word. */
#define KD_CTL_CLOSED KD_ECANCELED

struct kd_ctl_session {
    const struct kd_ctl_options *options;
    const struct kd_ctl_address *address;
    struct kd_ctl_http *http;
    const struct kd_clock *clock;
    struct kd_buf out; /* appends to it are looked at when it is written */
    int fd;            /* where out goes */
    bool utf8;         /* the terminal draws lines */
    bool colour;       /* and shows colours */
};

/* Writes out once it has grown, or all of it. KD_CTL_CLOSED, KD_EIO, or out's own failure. */
int kd_ctl_flush_some(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_flush(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;

/* A whole answer as text, into body, which the caller has initialised. */
int kd_ctl_fetch_text(struct kd_ctl_session *session, const char *target, struct kd_buf *body,
                      struct kd_error *reterr) KD_MUST_USE;
/* And as JSON; *ret lies in body, which the caller has initialised and releases. */
int kd_ctl_fetch(struct kd_ctl_session *session, const char *target, struct kd_buf *body,
                 struct kd_value *ret, struct kd_error *reterr) KD_MUST_USE;
/* An answer's bytes go to out as they are. */
int kd_ctl_copy(struct kd_ctl_session *session, const char *target,
                struct kd_error *reterr) KD_MUST_USE;

/* Appends "?name=value" or "&name=value"; nothing for NULL. A failure is remembered by target. */
void kd_ctl_query_add(struct kd_buf *target, const char *name, const char *value);

#endif
