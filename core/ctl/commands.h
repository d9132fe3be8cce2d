/*
 * The commands. Each asks, and leaves the last of its output for the caller to flush. A positive
 * result is an exit code of its own.
 */
#ifndef KD_CTL_COMMANDS_H
#define KD_CTL_COMMANDS_H

#include "ctl/session.h"

int kd_ctl_run_get(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_graph(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_path(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_impact(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_unresolved(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_trace(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_kinds(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_plugins(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_changes(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_status(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_top(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_debug(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_store(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_export(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
/* These ask no server: session->http is NULL. */
int kd_ctl_run_import(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_diff(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;
int kd_ctl_run_completion(struct kd_ctl_session *session, struct kd_error *reterr) KD_MUST_USE;

/* Largest answer that is held whole. */
#define KD_CTL_ANSWER_MAX (1024 * KD_MIB)

#endif
