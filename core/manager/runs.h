/* The last reconciles of a key, over all controllers that have it. */
#ifndef KD_MANAGER_RUNS_H
#define KD_MANAGER_RUNS_H

#include "manager/kinds.h"
#include "server/server.h"

/* The newest first. Any thread. Rows and texts lie in the arena; past it there are none. */
size_t kd_runs_find(struct kd_kinds *kinds, struct kd_arena *arena,
                    const struct kd_run_query *query, const struct kd_run_row **ret);

#endif
