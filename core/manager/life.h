/*
 * The main thread between start and stop: signals, changed files, reloads, readiness, and signs of
 * life for a service manager.
 */
#ifndef KD_MANAGER_LIFE_H
#define KD_MANAGER_LIFE_H

#include "config/watch.h"
#include "manager/lead.h"
#include "manager/purge.h"
#include "manager/reload.h"
#include "manager/source.h"

#include <signal.h>

struct kd_life {
    struct kd_kinds *kinds;
    struct kd_store *store;
    struct kd_lead *lead;
    struct kd_server *server;
    struct kd_loop *loop;
    struct kd_source *source;
    struct kd_reload *reload;
    struct kd_notify *notify;
    const char *path; /* of the configuration */
    struct kd_conf_watch *watch;
    struct kd_purge purge;
    int signals;          /* signalfd */
    bool asked;           /* for a reload, by a signal */
    int64_t changed_ns;   /* since when a file may have changed; 0: it has not */
    int64_t quiet_ns;     /* when the last sign of that came */
    int64_t look_ns;      /* when to look without a sign */
    uint32_t quiet_level; /* of the log, when SIGUSR1 sets debug off again */
    bool led;             /* at the last turn */
    bool unwritten;       /* some kind is still to be written */
};

/* The signals of set are blocked. `files` are those of the configuration. */
void kd_life_init(struct kd_life *life, const sigset_t *set, const struct kd_strlist *files);
/* Returns at SIGTERM or SIGINT, or when leadership is lost for good. */
void kd_life_run(struct kd_life *life);
void kd_life_release(struct kd_life *life);

#endif
