#include "base/loop.h"

#include "base/alloc.h"
#include "base/log.h"

#include <event2/event.h>
#include <event2/thread.h>
#include <pthread.h>
#include <stdatomic.h>

#define TURN_NS KD_SEC_NS

struct post {
    struct post *next;
    void (*fn)(void *arg);
    void *arg;
};

struct kd_loop {
    struct event_base *base;
    struct event *wake;
    struct event *turn;
    _Atomic int64_t last_turn_ns;
    _Atomic bool stopping;
    pthread_mutex_t lock; /* guards first, last */
    struct post *first;
    struct post **last;
};

static void *must(void *ptr, const char *what)
{
    if (!ptr) {
        kd_bug(__FILE__, __LINE__, what);
    }
    return ptr;
}

static void on_library_log(int severity, const char *text)
{
    if (severity >= EVENT_LOG_WARN) {
        KD_WARN("libevent", KD_F("text", text));
    }
}

static void use_threads(void)
{
    event_set_log_callback(on_library_log);
    KD_ASSERT(evthread_use_pthreads() == 0);
}

static void run_posts(struct kd_loop *loop)
{
    (void)pthread_mutex_lock(&loop->lock);
    struct post *post = loop->first;
    loop->first = NULL;
    loop->last = &loop->first;
    (void)pthread_mutex_unlock(&loop->lock);
    while (post) {
        struct post *next = post->next;
        post->fn(post->arg);
        kd_free(post);
        post = next;
    }
}

static bool has_posts(struct kd_loop *loop)
{
    (void)pthread_mutex_lock(&loop->lock);
    bool some = loop->first != NULL;
    (void)pthread_mutex_unlock(&loop->lock);
    return some;
}

/* Posts may post. */
static void run_all_posts(struct kd_loop *loop)
{
    while (has_posts(loop)) {
        run_posts(loop);
    }
}

static void on_wake(evutil_socket_t fd, short what, void *arg)
{
    struct kd_loop *loop = arg;
    (void)fd;
    (void)what;
    run_posts(loop);
    if (atomic_load(&loop->stopping)) {
        run_all_posts(loop);
        (void)event_base_loopbreak(loop->base); /* fails only without a base */
    }
}

static void on_turn(evutil_socket_t fd, short what, void *arg)
{
    struct kd_loop *loop = arg;
    (void)fd;
    (void)what;
    atomic_store(&loop->last_turn_ns, kd_now_ns(&kd_system_clock));
}

struct kd_loop *kd_loop_new(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const struct timeval second = { 1, 0 };
    (void)pthread_once(&once, use_threads);
    struct kd_loop *loop = kd_zalloc(sizeof(*loop));
    loop->last = &loop->first;
    KD_ASSERT(pthread_mutex_init(&loop->lock, NULL) == 0);
    loop->base = must(event_base_new(), "no event base");
    loop->wake = must(event_new(loop->base, -1, EV_PERSIST, on_wake, loop), "no event");
    loop->turn = must(event_new(loop->base, -1, EV_PERSIST, on_turn, loop), "no event");
    KD_ASSERT(event_add(loop->turn, &second) == 0);
    on_turn(-1, 0, loop);
    return loop;
}

void kd_loop_free(struct kd_loop *loop)
{
    if (!loop) {
        return;
    }
    run_all_posts(loop);
    event_free(loop->wake);
    event_free(loop->turn);
    event_base_free(loop->base);
    (void)pthread_mutex_destroy(&loop->lock);
    kd_free(loop);
}

struct event_base *kd_loop_base(struct kd_loop *loop)
{
    return loop->base;
}

void kd_loop_run(struct kd_loop *loop)
{
    on_turn(-1, 0, loop);
    while (!atomic_load(&loop->stopping)) {
        if (event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY) < 0) {
            kd_bug(__FILE__, __LINE__, "event loop failed");
        }
    }
    run_all_posts(loop);
}

static void on_timeout(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
}

void kd_loop_run_once(struct kd_loop *loop, int64_t timeout_ns)
{
    struct timeval limit = { timeout_ns / KD_SEC_NS, timeout_ns % KD_SEC_NS / 1000 };
    struct event *end = must(event_new(loop->base, -1, 0, on_timeout, loop), "no event");
    KD_ASSERT(event_add(end, &limit) == 0);
    (void)event_base_loop(loop->base, EVLOOP_ONCE);
    event_free(end);
}

void kd_loop_stop(struct kd_loop *loop)
{
    atomic_store(&loop->stopping, true);
    event_active(loop->wake, EV_TIMEOUT, 0);
}

void kd_loop_post(struct kd_loop *loop, void (*fn)(void *arg), void *arg)
{
    struct post *post = kd_alloc(sizeof(*post));
    *post = (struct post){ NULL, fn, arg };
    (void)pthread_mutex_lock(&loop->lock);
    *loop->last = post;
    loop->last = &post->next;
    (void)pthread_mutex_unlock(&loop->lock);
    event_active(loop->wake, EV_TIMEOUT, 0);
}

struct call {
    void (*fn)(void *arg);
    void *arg;
    pthread_mutex_t lock; /* guards done */
    pthread_cond_t cond;
    bool done;
};

static void run_call(void *arg)
{
    struct call *call = arg;
    call->fn(call->arg);
    (void)pthread_mutex_lock(&call->lock);
    call->done = true;
    (void)pthread_cond_signal(&call->cond);
    (void)pthread_mutex_unlock(&call->lock);
}

void kd_loop_call(struct kd_loop *loop, void (*fn)(void *arg), void *arg)
{
    struct call call = { .fn = fn, .arg = arg };
    KD_ASSERT(pthread_mutex_init(&call.lock, NULL) == 0);
    KD_ASSERT(pthread_cond_init(&call.cond, NULL) == 0);
    kd_loop_post(loop, run_call, &call);
    (void)pthread_mutex_lock(&call.lock);
    while (!call.done) {
        (void)pthread_cond_wait(&call.cond, &call.lock);
    }
    (void)pthread_mutex_unlock(&call.lock);
    (void)pthread_cond_destroy(&call.cond);
    (void)pthread_mutex_destroy(&call.lock);
}

int64_t kd_loop_last_turn_ns(const struct kd_loop *loop)
{
    return atomic_load(&loop->last_turn_ns);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct kd_timer *timer = arg;
    (void)fd;
    (void)what;
    timer->fn(timer->arg);
}

void kd_timer_init(struct kd_timer *timer, struct kd_loop *loop, void (*fn)(void *arg), void *arg)
{
    *timer = (struct kd_timer){ NULL, fn, arg };
    timer->event = must(event_new(loop->base, -1, 0, on_timer, timer), "no event");
}

void kd_timer_release(struct kd_timer *timer)
{
    if (timer && timer->event) {
        event_free(timer->event);
        timer->event = NULL;
    }
}

void kd_timer_start(struct kd_timer *timer, int64_t delay_ns)
{
    int64_t delay = delay_ns < 0 ? 0 : delay_ns;
    struct timeval tv = { delay / KD_SEC_NS, (delay % KD_SEC_NS + 999) / 1000 };
    if (tv.tv_usec == 1000000) {
        tv.tv_sec++;
        tv.tv_usec = 0;
    }
    KD_ASSERT(event_add(timer->event, &tv) == 0);
}

void kd_timer_stop(struct kd_timer *timer)
{
    if (timer->event) {
        (void)event_del(timer->event); /* a timer that is not pending is fine */
    }
}
