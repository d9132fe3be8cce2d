/*
 * kindredctl: asks a running kindred over HTTP and shows the answer, as tables and trees for people
 * and as JSON and YAML for programs. Object data passes through with its digits as they are.
 */
#ifndef KD_CTL_CTL_H
#define KD_CTL_CTL_H

/* Exit codes. */
#define KD_CTL_DONE 0
#define KD_CTL_FAILED 1
#define KD_CTL_USAGE 2

/* The whole program; the locale is set already. Returns the exit code. argv may be reordered. */
int kd_ctl_run(int argc, char **argv);

#endif
