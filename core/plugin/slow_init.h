/*
 * An eye on init, which the host has to wait for. One that takes long is told while it runs, and a
 * signal to stop that comes meanwhile ends the process: nothing else could, as the thread that
 * takes signals is in the plugin's hands. Thread: one of its own, from start to stop.
 */
#ifndef KD_PLUGIN_SLOW_INIT_H
#define KD_PLUGIN_SLOW_INIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct kd_init_watch {
    pthread_t thread;
    bool runs;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    const char *name; /* whose init is running; NULL: none */
    int64_t since_ns;
    bool told;
    bool ends;
};

void kd_init_watch_start(struct kd_init_watch *watch);
/* Around each init; `name` is borrowed until the end. */
void kd_init_watch_begin(struct kd_init_watch *watch, const char *name);
void kd_init_watch_end(struct kd_init_watch *watch);
void kd_init_watch_stop(struct kd_init_watch *watch);

#endif
