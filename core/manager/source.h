/* What the HTTP servers show: kinds, plugins and checks, read from the running parts. */
#ifndef KD_MANAGER_SOURCE_H
#define KD_MANAGER_SOURCE_H

#include "manager/kinds.h"
#include "manager/lead.h"
#include "manager/reload.h"
#include "manager/reviewer.h"
#include "server/server.h"

struct kd_source {
    struct kd_kinds *kinds;
    struct kd_reload *reload;
    struct kd_lead *lead;
    struct kd_store *store;
    const struct kd_loop *loop;
    struct kd_pool *pool;
    struct kd_reviewer *reviewer;
    const char *config_path;
    char *const *env;
    int64_t stall_ns;
};

/* The vtable over `source`, which must outlive the servers. */
struct kd_server_source kd_source_vtable(struct kd_source *source);

#endif
