/* The life of the process: ordered start, signals, ordered stop. */
#ifndef KD_MANAGER_MANAGER_H
#define KD_MANAGER_MANAGER_H

#include <stdbool.h>

/* Exit codes of the process. */
#define KD_EXIT_CLEAN 0
#define KD_EXIT_FAILED 1
#define KD_EXIT_CONFIG 2
#define KD_EXIT_LOST 3 /* leadership, and not allowed to stand again */

/* `kindred run`: returns the exit code. Faults go to stderr, one line each. */
int kd_manager_run(const char *config_path, char *const *env);
/* `kindred check`: config and plugins, without init, and without the cluster unless asked
 * (--cluster). Prints what it found. */
int kd_manager_check(const char *config_path, bool cluster, char *const *env);
/* `kindred rbac`: prints, as YAML, the rules that the configuration needs, granted to the service
 * account `name` of namespace `ns`; NULL: the Lease's. Asks no cluster. */
int kd_manager_rbac(const char *config_path, const char *name, const char *ns, char *const *env);

#endif
