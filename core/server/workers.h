/* The small pool that runs queries, so that the server's loop never waits for the store. */
#ifndef KD_SERVER_WORKERS_H
#define KD_SERVER_WORKERS_H

struct kd_workers;

struct kd_workers *kd_workers_new(unsigned n_threads);
/* Drops what has not begun, waits for what has, joins. */
void kd_workers_free(struct kd_workers *workers);

/* A job in the caller's memory; it may be submitted again once fn has begun. */
struct kd_job {
    struct kd_job *next;
    void (*fn)(void *arg);
    void *arg;
};

/* Any thread. Does nothing after kd_workers_free has begun. */
void kd_workers_submit(struct kd_workers *workers, struct kd_job *job);
/* Before all that wait: for jobs that take no time. */
void kd_workers_submit_first(struct kd_workers *workers, struct kd_job *job);

#endif
