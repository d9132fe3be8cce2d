/* The text of /healthz and /readyz, with sub-paths, ?verbose and ?exclude= (semantics, section 7).
 */
#ifndef KD_SERVER_HEALTH_H
#define KD_SERVER_HEALTH_H

#include "server/params.h"
#include "server/server.h"

/*
 * Answers `path` ("/healthz", "/readyz/store", ...): the HTTP code, and the body in `out`. 404 for
 * a path that is none of them.
 */
int kd_health_answer(const struct kd_server_source *source, struct kd_str path,
                     const struct kd_params *params, struct kd_arena *arena, struct kd_buf *out);

#endif
