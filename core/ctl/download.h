/* Answers that go into files. */
#ifndef KD_CTL_DOWNLOAD_H
#define KD_CTL_DOWNLOAD_H

#include "ctl/session.h"

/* Writes an answer's bytes to a descriptor, however many; `path` names it in messages. */
int kd_ctl_download(struct kd_ctl_session *session, const char *target, int fd, const char *path,
                    struct kd_error *reterr) KD_MUST_USE;
/* The graph of a running kindred, as a store of one moment. */
int kd_ctl_backup(struct kd_ctl_session *session, int fd, const char *path,
                  struct kd_error *reterr) KD_MUST_USE;

#endif
