/*
 * An informer on a transport in memory, for targets that answer its requests: one request at a
 * time, a clock that only the target moves, bodies cut as a seed says.
 */
#ifndef KD_FUZZ_INFORMER_H
#define KD_FUZZ_INFORMER_H

#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/reflector.h"

#include <string.h>

#define WORLD_TIMERS 8

struct world_timer {
    bool used;
    bool armed;
    int64_t due_ns;
    void (*fn)(void *arg);
    void *arg;
};

struct world {
    int64_t now_ns;
    struct kd_clock clock;
    struct kd_request request; /* the one under way, when `live`; its texts are not kept */
    bool live;
    bool begun;     /* its answer has */
    bool watch;     /* it is a watch, maybe a streaming list */
    bool next_page; /* it goes on with a list */
    uint64_t seed;  /* of the cuts; 0: bodies come whole */
    struct world_timer timers[WORLD_TIMERS];
    uint64_t told; /* hash of what the subscriber was told */
    struct kd_informer *informer;
    struct kd_subscription *subscription;
};

static inline int64_t world_now(void *arg)
{
    return ((struct world *)arg)->now_ns;
}

static inline void *world_call_start(void *arg, const struct kd_request *request)
{
    struct world *world = arg;
    KD_ASSERT(!world->live);
    world->request = *request;
    world->live = true;
    world->begun = false;
    world->watch = strstr(request->path, "watch=true") != NULL;
    world->next_page = strstr(request->path, "continue=") != NULL;
    return world;
}

static inline void world_call_cancel(void *arg, void *call)
{
    (void)call;
    ((struct world *)arg)->live = false;
}

static inline void *world_timer_new(void *arg, void (*fn)(void *fn_arg), void *fn_arg)
{
    struct world_timer *timer = ((struct world *)arg)->timers;
    while (timer->used) {
        timer++;
        KD_ASSERT(timer < ((struct world *)arg)->timers + WORLD_TIMERS);
    }
    *timer = (struct world_timer){ .used = true, .fn = fn, .arg = fn_arg };
    return timer;
}

static inline void world_timer_start(void *arg, void *timer, int64_t delay_ns)
{
    ((struct world_timer *)timer)->armed = true;
    ((struct world_timer *)timer)->due_ns = kd_time_add_ns(((struct world *)arg)->now_ns, delay_ns);
}

static inline void world_timer_stop(void *arg, void *timer)
{
    (void)arg;
    ((struct world_timer *)timer)->armed = false;
}

static inline void world_timer_free(void *arg, void *timer)
{
    (void)arg;
    if (timer) {
        *(struct world_timer *)timer = (struct world_timer){ .used = false };
    }
}

static inline void world_on_event(void *arg, const struct kd_informer_event *event)
{
    struct world *world = arg;
    struct kd_key key = kd_record_key(event->record);
    KD_ASSERT(key.name.len > 0);
    world->told = kd_hash_mix(world->told, kd_hash(key.ns.ptr, key.ns.len, event->type));
    world->told = kd_hash_mix(world->told, kd_hash(key.name.ptr, key.name.len, event->changed));
}

static inline void world_start(struct world *world, const char *mode, bool streams, uint64_t seed)
{
    static const char *const fields[] = { "/spec/nodeName", "/status/conditions" };
    static const char *const noise[] = { "/status/conditions/*/lastHeartbeatTime" };
    static const struct kd_index indexes[] = {
        { "node", "/spec/nodeName" },
    };
    *world = (struct world){ .now_ns = 1000 * KD_SEC_NS, .seed = seed };
    world->clock = (struct kd_clock){ world_now, world_now, world };
    const struct kd_informer_env env = { .arg = world,
                                         .clock = &world->clock,
                                         .seed = 7,
                                         .call_start = world_call_start,
                                         .call_cancel = world_call_cancel,
                                         .timer_new = world_timer_new,
                                         .timer_start = world_timer_start,
                                         .timer_stop = world_timer_stop,
                                         .timer_free = world_timer_free };
    const struct kd_informer_spec spec = { .group = "",
                                           .version = "v1",
                                           .kind = "Pod",
                                           .resource = "pods",
                                           .namespaced = true,
                                           .label_selector = "",
                                           .field_selector = "",
                                           .mode = mode,
                                           .fields = fields,
                                           .n_fields = 2,
                                           .noise = noise,
                                           .n_noise = 1,
                                           .indexes = indexes,
                                           .n_indexes = 1,
                                           .list_page = 500,
                                           .watch_timeout_ns = 300 * KD_SEC_NS,
                                           .stream_list = streams,
                                           .stream_deadline_ns = 60 * KD_SEC_NS,
                                           .max_object_bytes = 4 * KD_KIB };
    const struct kd_informer_sink sink = { world, world_on_event, NULL, NULL };
    kd_log_set_level(KD_LOG_ERROR);
    KD_ASSERT(kd_informer_new_in(&env, NULL, &spec, &world->informer, NULL) == 0);
    world->subscription = kd_informer_subscribe(world->informer, &sink);
    kd_informer_start(world->informer);
}

static inline void world_end(struct world *world)
{
    kd_informer_unsubscribe(world->subscription);
    kd_informer_free(world->informer);
    KD_ASSERT(!world->live);
}

static inline struct world_timer *world_next_timer(struct world *world)
{
    struct world_timer *next = NULL;
    for (size_t i = 0; i < WORLD_TIMERS; i++) {
        struct world_timer *timer = &world->timers[i];
        if (timer->armed && (!next || timer->due_ns < next->due_ns)) {
            next = timer;
        }
    }
    return next;
}

/* Lets time go by until a request is under way: there always comes one. */
static inline void world_await(struct world *world)
{
    while (!world->live) {
        struct world_timer *timer = world_next_timer(world);
        KD_ASSERT(timer != NULL);
        world->now_ns = timer->due_ns > world->now_ns ? timer->due_ns : world->now_ns;
        timer->armed = false;
        timer->fn(timer->arg);
    }
}

static inline void world_done(struct world *world, const struct kd_response *response)
{
    world->live = false;
    world->request.sink->done(world->request.arg, response);
}

/* Length of the next piece. */
static inline size_t world_cut(struct world *world, size_t left)
{
    if (world->seed == 0) {
        return left;
    }
    world->seed = kd_hash_mix(world->seed, left);
    size_t len = 1 + world->seed % 17;
    return len < left ? len : left;
}

/* A whole 200 answer to the request under way, or as much of it as the informer takes. */
static inline void world_answer(struct world *world, struct kd_str body)
{
    const struct kd_response_sink *sink = world->request.sink;
    void *arg = world->request.arg;
    struct kd_response response = { .http_code = 200 };
    sink->started(arg, 200);
    for (size_t at = 0; at < body.len && response.error == 0;) {
        size_t n = world_cut(world, body.len - at);
        response.error = sink->data(arg, body.ptr + at, n);
        at += n;
    }
    world_done(world, &response);
}

static inline void world_add_record(void *arg, struct kd_record *record)
{
    uint64_t *sum = arg;
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_str text;
    struct kd_value root;
    struct kd_key key = kd_record_key(record);
    char version[KD_VERSION_MAX];
    struct kd_str shown = kd_record_version(record, version);
    kd_arena_init(&arena, KD_MIB);
    KD_ASSERT(kd_record_decode(record, &arena, &text) == 0);
    KD_ASSERT(kd_json_parse(text, &root, NULL) == 0 && root.type == KD_JSON_OBJECT);
    KD_ASSERT(kd_record_changed(record, record) == 0);
    uint64_t hash = kd_hash(key.ns.ptr, key.ns.len, kd_hash(key.name.ptr, key.name.len, 3));
    hash = kd_hash_mix(hash, kd_hash(shown.ptr, shown.len, 1));
    sum[0] += kd_hash_mix(hash, kd_hash(text.ptr, text.len, 2)); /* in any order */
    sum[1]++;
}

/* Hash of all that the informer holds, says and has told. */
static inline uint64_t world_hash(const struct world *world)
{
    uint64_t sum[2] = { 0, 0 };
    struct kd_informer_status status;
    kd_informer_each(world->informer, world_add_record, sum);
    kd_informer_get_status(world->informer, &status);
    KD_ASSERT(status.objects == sum[1]);
    uint64_t hash = kd_hash_mix(sum[0], world->told);
    hash = kd_hash_mix(hash, kd_hash(status.version, strlen(status.version), status.state));
    return kd_hash_mix(hash, kd_hash(status.last_error, strlen(status.last_error), 5));
}

#endif
