/* A server of nothing but answers whose steps a test writes and holds back. */
#ifndef KD_TESTS_SERVER_STAGE_H
#define KD_TESTS_SERVER_STAGE_H

#include "peer.h"

#include "server/answer.h"
#include "server/bind.h"

#include <event2/http.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* What a path is answered by. */
struct script {
    const char *path;
    kd_step_fn fn;
};

struct stage {
    const struct script *scripts; /* a path that none of them has is refused */
    size_t n_scripts;
    char path[64];
    struct kd_context context;
    struct evhttp *http;
    pthread_t thread;
    pthread_mutex_t lock; /* guards held, in_gate */
    pthread_cond_t changed;
    bool held; /* steps that come to the gate wait */
    unsigned in_gate;
    _Atomic unsigned released;
    unsigned begun; /* the loop's thread, or after it */
};

static struct stage *stage; /* steps have no other way to it */

/* One answer's own: how many steps it has made. */
struct steps {
    unsigned n;
};

static inline void stage_release(void *state)
{
    (void)state; /* in the answer's arena */
    (void)atomic_fetch_add(&stage->released, 1);
}

static inline void stage_gate(void)
{
    (void)pthread_mutex_lock(&stage->lock);
    stage->in_gate++;
    (void)pthread_cond_broadcast(&stage->changed);
    while (stage->held) {
        (void)pthread_cond_wait(&stage->changed, &stage->lock);
    }
    stage->in_gate--;
    (void)pthread_mutex_unlock(&stage->lock);
}

static inline void stage_hold(bool held)
{
    (void)pthread_mutex_lock(&stage->lock);
    stage->held = held;
    (void)pthread_cond_broadcast(&stage->changed);
    (void)pthread_mutex_unlock(&stage->lock);
}

static inline void stage_await_in_gate(unsigned n)
{
    (void)pthread_mutex_lock(&stage->lock);
    while (stage->in_gate < n) {
        (void)pthread_cond_wait(&stage->changed, &stage->lock);
    }
    (void)pthread_mutex_unlock(&stage->lock);
}

static inline void stage_on_request(struct evhttp_request *request, void *arg)
{
    const char *path = evhttp_request_get_uri(request);
    struct kd_answer *answer = kd_answer_new(arg, request);
    struct steps *steps = kd_arena_alloc(&answer->arena, sizeof(*steps));
    *steps = (struct steps){ 0 };
    answer->state = steps;
    answer->release = stage_release;
    stage->begun++;
    for (size_t i = 0; i < stage->n_scripts; i++) {
        if (strcmp(path, stage->scripts[i].path) == 0) {
            kd_answer_run(answer, stage->scripts[i].fn);
            return;
        }
    }
    kd_answer_refuse(answer, 410, "refused \"at\" once");
}

static inline void *stage_loop_main(void *arg)
{
    kd_loop_run(arg);
    return NULL;
}

static inline int stage_setup(const struct script *scripts, size_t n_scripts)
{
    int fd = -1;
    (void)signal(SIGPIPE, SIG_IGN);
    stage = kd_zalloc(sizeof(*stage));
    stage->scripts = scripts;
    stage->n_scripts = n_scripts;
    (void)snprintf(stage->path, sizeof(stage->path), "/tmp/kd-test-answer-%ld", (long)getpid());
    char *bind = kd_asprintf("unix:%s", stage->path);
    assert_int_equal(kd_bind_listen(bind, "api", &fd, NULL), 0);
    kd_free(bind);
    assert_int_equal(pthread_mutex_init(&stage->lock, NULL), 0);
    assert_int_equal(pthread_cond_init(&stage->changed, NULL), 0);
    stage->context = (struct kd_context){ .loop = kd_loop_new(),
                                          .workers = kd_workers_new(2),
                                          .idle_seconds = 90 };
    stage->http = evhttp_new(kd_loop_base(stage->context.loop));
    evhttp_set_gencb(stage->http, stage_on_request, &stage->context);
    assert_int_equal(evhttp_accept_socket(stage->http, fd), 0);
    assert_int_equal(pthread_create(&stage->thread, NULL, stage_loop_main, stage->context.loop), 0);
    return 0;
}

static inline void stage_drop_all(void *arg)
{
    (void)arg;
    kd_answers_drop(&stage->context);
    evhttp_free(stage->http);
}

/* As the server does it; every answer has released what it held, once. */
static inline int stage_teardown(void **state)
{
    (void)state;
    kd_loop_call(stage->context.loop, stage_drop_all, NULL);
    stage_hold(false); /* a step that is still under way ends after the drop */
    kd_loop_stop(stage->context.loop);
    assert_int_equal(pthread_join(stage->thread, NULL), 0);
    kd_workers_free(stage->context.workers);
    kd_loop_free(stage->context.loop);
    kd_answers_reap(&stage->context);
    assert_null(stage->context.first);
    assert_int_equal(atomic_load(&stage->released), stage->begun);
    (void)pthread_mutex_destroy(&stage->lock);
    (void)pthread_cond_destroy(&stage->changed);
    int rc = unlink(stage->path);
    stage = kd_free(stage);
    return rc;
}

#endif
