/*
 * An env without sockets and without time: the test answers requests itself, moves the clock and
 * reads what the subscribers were told as lines of text.
 */
#ifndef KD_TESTS_INFORMER_FAKE_H
#define KD_TESTS_INFORMER_FAKE_H

#include "base/alloc.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/reflector.h"

/* cmocka needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FAKE_CALLS 16
#define FAKE_TIMERS 64

struct fake_call {
    bool live;
    char *path;
    char *accept;
    uint32_t flags;
    const struct kd_response_sink *sink;
    void *arg;
};

struct fake_timer {
    bool used;
    bool armed;
    int64_t due_ns;
    void (*fn)(void *arg);
    void *arg;
};

struct fake {
    int64_t now_ns;
    struct kd_clock clock;
    struct fake_call calls[FAKE_CALLS];
    struct fake_timer timers[FAKE_TIMERS];
    size_t n_requests;
    size_t n_abandoned; /* given up with their connection */
    struct fake_call *last;
    struct kd_buf told; /* what the subscriber was told */
    struct kd_informer *informer;
    struct kd_subscription *subscription;
};

static inline int64_t fake_now(void *arg)
{
    return ((struct fake *)arg)->now_ns;
}

static inline void *fake_call_start(void *arg, const struct kd_request *request)
{
    struct fake *fake = arg;
    struct fake_call *call = fake->calls;
    while (call->live) {
        call++;
        assert_true(call < fake->calls + FAKE_CALLS);
    }
    kd_free(call->path);
    kd_free(call->accept);
    *call = (struct fake_call){ .live = true,
                                .path = kd_strdup(request->path),
                                .accept = kd_strdup(request->accept ? request->accept : ""),
                                .flags = request->flags,
                                .sink = request->sink,
                                .arg = request->arg };
    fake->last = call;
    fake->n_requests++;
    return call;
}

static inline void fake_call_cancel(void *arg, void *call)
{
    (void)arg;
    ((struct fake_call *)call)->live = false;
}

static inline void fake_call_abandon(void *arg, void *call)
{
    ((struct fake *)arg)->n_abandoned++;
    fake_call_cancel(arg, call);
}

static inline void *fake_timer_new(void *arg, void (*fn)(void *fn_arg), void *fn_arg)
{
    struct fake *fake = arg;
    struct fake_timer *timer = fake->timers;
    while (timer->used) {
        timer++;
        assert_true(timer < fake->timers + FAKE_TIMERS);
    }
    *timer = (struct fake_timer){ .used = true, .fn = fn, .arg = fn_arg };
    return timer;
}

static inline void fake_timer_start(void *arg, void *timer, int64_t delay_ns)
{
    ((struct fake_timer *)timer)->armed = true;
    ((struct fake_timer *)timer)->due_ns = kd_time_add_ns(((struct fake *)arg)->now_ns, delay_ns);
}

static inline void fake_timer_stop(void *arg, void *timer)
{
    (void)arg;
    ((struct fake_timer *)timer)->armed = false;
}

static inline void fake_timer_free(void *arg, void *timer)
{
    (void)arg;
    if (timer) {
        ((struct fake_timer *)timer)->used = false;
        ((struct fake_timer *)timer)->armed = false;
    }
}

static inline void fake_init(struct fake *fake)
{
    *fake = (struct fake){ .now_ns = 1000 * KD_SEC_NS };
    fake->clock = (struct kd_clock){ fake_now, fake_now, fake };
    kd_buf_init(&fake->told, KD_MIB);
    kd_log_set_level(KD_LOG_ERROR);
}

static inline struct kd_informer_env fake_env(struct fake *fake, uint64_t seed)
{
    return (struct kd_informer_env){ .arg = fake,
                                     .clock = &fake->clock,
                                     .seed = seed,
                                     .call_start = fake_call_start,
                                     .call_cancel = fake_call_cancel,
                                     .call_abandon = fake_call_abandon,
                                     .timer_new = fake_timer_new,
                                     .timer_start = fake_timer_start,
                                     .timer_stop = fake_timer_stop,
                                     .timer_free = fake_timer_free };
}

static inline struct kd_informer_spec fake_spec(void)
{
    return (struct kd_informer_spec){ .group = "",
                                      .version = "v1",
                                      .kind = "Pod",
                                      .resource = "pods",
                                      .namespaced = true,
                                      .label_selector = "",
                                      .field_selector = "",
                                      .mode = "full",
                                      .list_page = 500,
                                      .watch_timeout_ns = 300 * KD_SEC_NS,
                                      .stream_deadline_ns = 60 * KD_SEC_NS,
                                      .max_object_bytes = 1 << 20 };
}

static inline void fake_on_event(void *arg, const struct kd_informer_event *event)
{
    static const char signs[] = " +~-";
    struct fake *fake = arg;
    struct kd_key key = kd_record_key(event->record);
    (void)kd_buf_printf(&fake->told, "%c" KD_STR_FMT "/" KD_STR_FMT, signs[event->type],
                        KD_STR_ARG(key.ns), KD_STR_ARG(key.name));
    if (event->type == KD_EVENT_MODIFIED) {
        (void)kd_buf_printf(&fake->told, ":%u", event->changed);
    }
    (void)kd_buf_printf(&fake->told, "%s%s%s ", event->flags & KD_EVENT_INITIAL ? "i" : "",
                        event->flags & KD_EVENT_NEW_UID ? "u" : "",
                        event->flags & KD_EVENT_FINAL_UNKNOWN ? "f" : "");
}

static inline void fake_on_synced(void *arg)
{
    (void)kd_buf_puts(&((struct fake *)arg)->told, "synced ");
}

static inline void fake_on_listed(void *arg)
{
    (void)kd_buf_puts(&((struct fake *)arg)->told, "listed ");
}

static inline struct kd_subscription *fake_subscribe(struct fake *fake)
{
    const struct kd_informer_sink sink = { fake, fake_on_event, fake_on_synced, fake_on_listed };
    return kd_informer_subscribe(fake->informer, &sink);
}

static inline void fake_start(struct fake *fake, const struct kd_informer_spec *spec)
{
    struct kd_informer_env env = fake_env(fake, 7);
    assert_int_equal(kd_informer_new_in(&env, NULL, spec, &fake->informer, NULL), 0);
    fake->subscription = fake_subscribe(fake);
    kd_informer_start(fake->informer);
}

static inline void fake_release(struct fake *fake)
{
    kd_informer_unsubscribe(fake->subscription);
    kd_informer_free(fake->informer);
    for (size_t i = 0; i < FAKE_CALLS; i++) {
        assert_false(fake->calls[i].live);
        kd_free(fake->calls[i].path);
        kd_free(fake->calls[i].accept);
    }
    for (size_t i = 0; i < FAKE_TIMERS; i++) {
        assert_false(fake->timers[i].used);
    }
    kd_buf_release(&fake->told);
}

/* What was told since the last call of this. */
static inline void fake_expect(struct fake *fake, const char *told)
{
    assert_string_equal(fake->told.ptr ? fake->told.ptr : "", told);
    kd_buf_clear(&fake->told, KD_MIB);
}

static inline const char *fake_path(const struct fake *fake)
{
    assert_non_null(fake->last);
    assert_true(fake->last->live);
    return fake->last->path;
}

static inline bool fake_asks(const struct fake *fake, const char *part)
{
    return strstr(fake_path(fake), part) != NULL;
}

static inline bool fake_is_quiet(const struct fake *fake)
{
    return !fake->last->live;
}

static inline void fake_done(struct fake_call *call, const struct kd_response *response)
{
    assert_true(call->live);
    call->live = false;
    call->sink->done(call->arg, response);
}

/* A piece of a 200 answer. */
static inline void fake_send(struct fake *fake, const char *text)
{
    struct fake_call *call = fake->last;
    struct kd_reflector *reflector = call->arg;
    assert_true(call->live);
    if (!reflector->started) {
        call->sink->started(call->arg, 200);
    }
    int rc = call->sink->data(call->arg, text, strlen(text));
    if (rc < 0) {
        struct kd_response response = { .error = rc, .http_code = 200 };
        fake_done(call, &response);
    }
}

static inline void fake_end(struct fake *fake)
{
    struct kd_response response = { .http_code = 200 };
    fake_done(fake->last, &response);
}

static inline void fake_answer(struct fake *fake, const char *text)
{
    struct fake_call *call = fake->last;
    fake_send(fake, text);
    if (call->live) {
        fake_end(fake);
    }
}

static inline void fake_fail(struct fake *fake, int code, const char *body)
{
    struct kd_response response = { .error = KD_EHTTP, .http_code = code };
    kd_status_read(kd_str_from(body), code, &response.status);
    (void)snprintf(response.text, sizeof(response.text), "HTTP %d", code);
    fake_done(fake->last, &response);
}

static inline void fake_cut(struct fake *fake)
{
    struct kd_response response = { .error = KD_ENET };
    (void)snprintf(response.text, sizeof(response.text), "connection lost");
    fake_done(fake->last, &response);
}

static inline struct fake_timer *fake_next_timer(struct fake *fake)
{
    struct fake_timer *next = NULL;
    for (size_t i = 0; i < FAKE_TIMERS; i++) {
        struct fake_timer *timer = &fake->timers[i];
        if (timer->armed && (!next || timer->due_ns < next->due_ns)) {
            next = timer;
        }
    }
    return next;
}

/* Lets time go by, with the timers that fall into it. */
static inline void fake_advance(struct fake *fake, int64_t ns)
{
    int64_t until_ns = fake->now_ns + ns;
    struct fake_timer *timer;
    while ((timer = fake_next_timer(fake)) != NULL && timer->due_ns <= until_ns) {
        fake->now_ns = timer->due_ns > fake->now_ns ? timer->due_ns : fake->now_ns;
        timer->armed = false;
        timer->fn(timer->arg);
    }
    fake->now_ns = until_ns;
}

/* Goes to the next timer and returns how long that took. */
static inline int64_t fake_wait(struct fake *fake)
{
    struct fake_timer *timer = fake_next_timer(fake);
    assert_non_null(timer);
    int64_t wait_ns = timer->due_ns - fake->now_ns;
    fake_advance(fake, wait_ns);
    return wait_ns;
}

static inline struct kd_informer_status fake_status(const struct fake *fake)
{
    struct kd_informer_status status;
    kd_informer_get_status(fake->informer, &status);
    return status;
}

#define POD(ns, name, rv, rest)                                                                    \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"" ns "\",\"uid\":\"u-" name              \
    "\",\"resourceVersion\":\"" rv "\"}" rest "}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define LIST(rv, more, items)                                                                      \
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" rv          \
    "\",\"continue\":\"" more "\"},\"items\":[" items "]}"
#define BOOKMARK(rv)                                                                               \
    "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"     \
    "\"resourceVersion\":\"" rv                                                                    \
    "\",\"creationTimestamp\":null},\"spec\":{\"containers\":null}}}\n"
#define END_MARK(rv)                                                                               \
    "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"     \
    "\"resourceVersion\":\"" rv "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n"
#define STATUS(code, reason, message)                                                              \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","           \
    "\"message\":\"" message "\",\"reason\":\"" reason "\",\"code\":" code "}"

#endif
