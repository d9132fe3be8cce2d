#include "informer/env.h"

#include "base/alloc.h"
#include "base/hash.h"

struct real_env {
    struct kd_loop *loop;
    struct kd_client *client;
};

static void *call_start(void *arg, const struct kd_request *request)
{
    struct real_env *env = arg;
    return kd_client_start(env->client, request);
}

static void call_cancel(void *arg, void *call)
{
    (void)arg;
    kd_call_cancel(call);
}

static void call_abandon(void *arg, void *call)
{
    (void)arg;
    kd_call_abandon(call);
}

static void *timer_new(void *arg, void (*fn)(void *fn_arg), void *fn_arg)
{
    struct real_env *env = arg;
    struct kd_timer *timer = kd_alloc(sizeof(*timer));
    kd_timer_init(timer, env->loop, fn, fn_arg);
    return timer;
}

static void timer_start(void *arg, void *timer, int64_t delay_ns)
{
    (void)arg;
    kd_timer_start(timer, delay_ns);
}

static void timer_stop(void *arg, void *timer)
{
    (void)arg;
    kd_timer_stop(timer);
}

static void timer_free(void *arg, void *timer)
{
    (void)arg;
    if (timer) {
        kd_timer_release(timer);
        kd_free(timer);
    }
}

static void post(void *arg, void (*fn)(void *fn_arg), void *fn_arg)
{
    struct real_env *env = arg;
    kd_loop_post(env->loop, fn, fn_arg);
}

static void release(void *arg)
{
    kd_free(arg);
}

void kd_informer_env_real(struct kd_loop *loop, struct kd_client *client,
                          struct kd_informer_env *ret)
{
    struct real_env *env = kd_alloc(sizeof(*env));
    *env = (struct real_env){ loop, client };
    *ret = (struct kd_informer_env){
        .arg = env,
        .clock = &kd_system_clock,
        .seed = kd_hash_mix(kd_hash_seed(), (uint64_t)kd_now_ns(&kd_system_clock)),
        .call_start = call_start,
        .call_cancel = call_cancel,
        .call_abandon = call_abandon,
        .timer_new = timer_new,
        .timer_start = timer_start,
        .timer_stop = timer_stop,
        .timer_free = timer_free,
        .post = post,
        .release = release,
    };
}
