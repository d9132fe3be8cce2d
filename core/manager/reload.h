/*
 * A new configuration while the process runs: what it asks for is compared with what runs, and only
 * the difference is carried out. Everything that can be wrong is found before anything is touched;
 * a configuration that is refused changes nothing and is told in the log, in metrics and in
 * /readyz?verbose. Main thread, but for kd_reload_describe.
 */
#ifndef KD_MANAGER_RELOAD_H
#define KD_MANAGER_RELOAD_H

#include "manager/kinds.h"
#include "manager/notify.h"
#include "metrics/metrics.h"

struct kd_reload_deps {
    const char *path;
    char *const *env;
    const struct kd_config *running; /* of the start: what needs a restart is compared with it */
    struct kd_kinds *kinds;
    struct kd_metrics *metrics;
    struct kd_notify *notify;
};

struct kd_reload {
    struct kd_reload_deps deps;
    uint64_t content;       /* hash of the last configuration that was tried */
    struct kd_plan *plan;   /* under way: waits for workers to leave */
    int64_t deadline_ns;    /* then it goes on without them */
    struct kd_config *next; /* the one of the plan */
    char *level, *format;   /* of the log, as last configured */
    struct kd_series *successful, *success_time, *hash;
    struct kd_family *reloads;
    pthread_mutex_t lock;     /* guards text */
    char text[KD_ERROR_TEXT]; /* why the last one was refused; "" when it was not */
};

/* content: of the configuration that the process has started with. */
void kd_reload_init(struct kd_reload *reload, const struct kd_reload_deps *deps, uint64_t content);
/* Gives up what is under way; the I/O thread still runs. */
void kd_reload_cancel(struct kd_reload *reload);
void kd_reload_release(struct kd_reload *reload);

/* Takes the configuration, of that content, unless one is under way: false then. */
bool kd_reload_begin(struct kd_reload *reload, uint64_t content);
/* Goes on with one that is under way. True when it has just come to its end. */
bool kd_reload_step(struct kd_reload *reload);

/* Any thread: a remark on the last reload, or "". */
void kd_reload_describe(struct kd_reload *reload, char ret[KD_ERROR_TEXT]);

#endif
