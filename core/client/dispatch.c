/* From the queues into curl, in the order of arrival and at the pace of the rate limit. */
#include "client/internal.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"

#include <string.h>

#define WAIT_DEBUG_NS (50 * KD_MS_NS)
#define WAIT_INFO_NS KD_SEC_NS
#define WAIT_INFO_EVERY_NS (10 * KD_SEC_NS)

static struct kd_pace *pace_of(const struct kd_call *call)
{
    return kd_call_is_lease(call) ? &call->client->lease_pace : &call->client->pace;
}

void kd_call_enqueue(struct kd_call *call)
{
    struct kd_client *client = call->client;
    struct kd_pace *pace = pace_of(call);
    call->queued_ns = kd_client_now(client);
    if (kd_call_is_watch(call) || !(pace->limiter.qps > 0)) {
        kd_lane_wait(call);
        return;
    }
    call->state = KD_CALL_LIMITED;
    TAILQ_INSERT_TAIL(&pace->limited, call, queue);
    kd_timer_start(&client->pump, 0);
}

static void delay(struct kd_call *call, void (*then)(void *arg), int64_t delay_ns)
{
    call->state = KD_CALL_DELAYED;
    call->delay.fn = then;
    kd_timer_start(&call->delay, delay_ns);
}

static void retry_now(void *arg)
{
    kd_call_enqueue(arg);
}

static void fail_now(void *arg)
{
    struct kd_call *call = arg;
    kd_call_fail(call, call->abort_code, call->error_text);
}

void kd_call_retry(struct kd_call *call, int64_t delay_ns)
{
    delay(call, retry_now, delay_ns);
}

void kd_call_fail_soon(struct kd_call *call, int error, const char *why)
{
    call->abort_code = error;
    kd_one_line(kd_str_from(why), call->error_text, sizeof(call->error_text));
    delay(call, fail_now, 0);
}

bool kd_call_run(struct kd_call *call)
{
    struct kd_error error = { 0 };
    call->sent_ns = kd_client_now(call->client);
    call->progress_ns = call->sent_ns;
    if (call->first_sent_ns == 0) {
        call->first_sent_ns = call->sent_ns;
        if (call->timeout_ns > 0 && !kd_call_is_lease(call)) { /* the latter's runs already */
            kd_timer_start(&call->deadline, call->timeout_ns);
        }
    }
    call->state = KD_CALL_RUNNING;
    int rc = kd_call_prepare(call, &error);
    if (rc == 0) {
        rc = kd_lane_enter(call);
        if (rc < 0) {
            curl_easy_cleanup(kd_steal(call->easy)); /* detach would take it out of the pool */
        }
    }
    if (rc < 0) {
        kd_call_detach(call);
        kd_call_fail_soon(call, rc, error.text[0] ? error.text : kd_errno_text(rc));
    }
    return rc == 0;
}

/* The token is among them. */
void kd_call_wipe_headers(struct kd_call *call)
{
    for (struct curl_slist *item = call->headers; item; item = item->next) {
        explicit_bzero(item->data, strlen(item->data));
    }
}

void kd_call_detach(struct kd_call *call)
{
    if (call->state == KD_CALL_LIMITED) {
        TAILQ_REMOVE(&pace_of(call)->limited, call, queue);
    } else {
        kd_lane_leave(call);
    }
    call->state = KD_CALL_ENDED;
    if (call->easy) {
        curl_easy_cleanup(kd_steal(call->easy));
    }
    kd_call_wipe_headers(call);
    curl_slist_free_all(kd_steal(call->headers));
    curl_slist_free_all(kd_steal(call->connect_to));
    call->material = kd_material_unref(call->material);
    kd_timer_stop(&call->delay);
}

static void note_wait(struct kd_call *call)
{
    struct kd_client *client = call->client;
    struct kd_stat_labels labels = kd_call_labels(call);
    int64_t now_ns = kd_client_now(client);
    int64_t wait_ns = now_ns - call->queued_ns;
    kd_stats_limited(&client->stats, &labels, (double)wait_ns / (double)KD_SEC_NS);
    bool may_log =
        client->last_wait_log_ns == 0 || now_ns - client->last_wait_log_ns >= WAIT_INFO_EVERY_NS;
    if (wait_ns > WAIT_INFO_NS && may_log) {
        client->last_wait_log_ns = now_ns;
        KD_INFO("request waited for the rate limit", KD_F("method", call->method),
                KD_F("path", call->path), KD_FU("ms", wait_ns / KD_MS_NS));
    } else if (wait_ns > WAIT_DEBUG_NS) {
        KD_DEBUG("request waited for the rate limit", KD_F("method", call->method),
                 KD_F("path", call->path), KD_FU("ms", wait_ns / KD_MS_NS));
    }
}

/* Returns how long the next one has to wait, or -1. */
static int64_t admit(struct kd_client *client, struct kd_pace *pace)
{
    struct kd_call *call;
    while ((call = TAILQ_FIRST(&pace->limited)) != NULL) {
        int64_t wait_ns = 0;
        if (!kd_limiter_take(&pace->limiter, kd_client_now(client), &wait_ns)) {
            return wait_ns;
        }
        TAILQ_REMOVE(&pace->limited, call, queue);
        note_wait(call);
        kd_lane_wait(call);
    }
    return -1;
}

static bool any_waits(const struct kd_client *client)
{
    return !TAILQ_EMPTY(&client->watches.waiting) || !TAILQ_EMPTY(&client->others.waiting) ||
           !TAILQ_EMPTY(&client->leases.waiting);
}

static void refuse_all(struct kd_client *client, int error, const char *why)
{
    kd_lane_refuse(&client->watches, error, why);
    kd_lane_refuse(&client->others, error, why);
    kd_lane_refuse(&client->leases, error, why);
}

void kd_client_pump(void *arg)
{
    struct kd_client *client = arg;
    struct kd_error error = { 0 };
    int64_t wait_ns = admit(client, &client->pace);
    int64_t lease_wait_ns = admit(client, &client->lease_pace);
    if (wait_ns < 0 || (lease_wait_ns >= 0 && lease_wait_ns < wait_ns)) {
        wait_ns = lease_wait_ns;
    }
    if (wait_ns >= 0) {
        kd_timer_start(&client->pump, wait_ns);
    }
    if (!any_waits(client)) {
        return;
    }
    int rc = kd_identity_ready(&client->identity, &error);
    if (rc == KD_EBUSY) {
        return; /* the identity starts the pump again */
    }
    if (rc < 0) {
        refuse_all(client, rc, error.text);
        return;
    }
    kd_lane_run(&client->watches);
    kd_lane_run(&client->others);
    kd_lane_run(&client->leases);
}
