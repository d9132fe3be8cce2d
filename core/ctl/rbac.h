/*
 * `kindredctl rbac`: only kindred itself can load plugins, so it is `kindred rbac` that runs, the
 * program beside this one, else the one of PATH.
 */
#ifndef KD_CTL_RBAC_H
#define KD_CTL_RBAC_H

/* argv[0] is "rbac"; the words behind it are kindred's. Returns the exit code only where there is
 * no kindred; else the process has become it. */
int kd_ctl_rbac_run(char **argv);

#endif
