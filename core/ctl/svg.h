/* A graph as a picture, drawn by graphviz. */
#ifndef KD_CTL_SVG_H
#define KD_CTL_SVG_H

#include "ctl/session.h"

/*
 * Asks for `target`, a graph in graphviz' language, and lets the program dot draw it. KD_ENOENT
 * when there is no such program, KD_EIO when it fails.
 */
int kd_ctl_svg(struct kd_ctl_session *session, const char *target,
               struct kd_error *reterr) KD_MUST_USE;

#endif
