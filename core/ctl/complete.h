/* What can stand at the end of a command line that is being typed. */
#ifndef KD_CTL_COMPLETE_H
#define KD_CTL_COMPLETE_H

#include "ctl/session.h"

/*
 * The words behind kindredctl, of which the last one is being typed: writes what it may become, one
 * a line; ":files" stands for names of files. Kinds and names are asked of the server that the line
 * names; without one there are none. Nothing is an error here.
 */
void kd_ctl_complete(struct kd_ctl_session *session, char **words, int n);
/* The whole of `kindredctl __complete`. Returns the exit code. */
int kd_ctl_complete_run(int argc, char **argv);

#endif
