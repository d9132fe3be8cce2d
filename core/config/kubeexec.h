/* `exec` of a kubeconfig's user. */
#ifndef KD_CONFIG_KUBEEXEC_H
#define KD_CONFIG_KUBEEXEC_H

#include "config/kubefields.h"

/* Fills cluster->exec where the user has one; `server` is the cluster's entry. */
void kd_kubeconfig_exec(struct kd_kubefields *in, const struct kd_kubeentry *server,
                        struct kd_cluster *cluster);
struct kd_exec *kd_exec_free(struct kd_exec *exec);
/* Fails unless `allow` is empty or names the program: by its path, or, for a program that is looked
 * up in PATH, by its name. */
int kd_exec_check(const struct kd_exec *exec, const struct kd_strlist *allow,
                  struct kd_error *reterr) KD_MUST_USE;

#endif
