#include "manager/lead.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

/* Beyond the time that the election itself has for its end. */
#define STOP_MARGIN_NS (3 * KD_SEC_NS)

static void work(struct kd_lead *lead)
{
    atomic_store(&lead->caught_up, !lead->stands_by);
    kd_kinds_lead(lead->kinds);
    atomic_store(&lead->leads, true);
}

static void on_lead(void *arg)
{
    struct kd_lead *lead = arg;
    if (lead->stands_by) {
        work(lead);
    }
}

static void on_follow(void *arg)
{
    struct kd_lead *lead = arg;
    if (lead->stands_by) {
        atomic_store(&lead->leads, false);
        kd_kinds_follow(lead->kinds);
    }
    if (strcmp(lead->deps.settings->on_loss, "exit") == 0) {
        atomic_store(&lead->over, true);
    }
    (void)eventfd_write(lead->kinds->turned, 1); /* fails only where a look is long due */
}

static void on_stopped(void *arg)
{
    struct kd_lead *lead = arg;
    pthread_mutex_lock(&lead->lock);
    lead->stopped = true;
    pthread_cond_signal(&lead->cond);
    pthread_mutex_unlock(&lead->lock);
}

static void init_cond(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void kd_lead_init(struct kd_lead *lead, const struct kd_lead_deps *deps, struct kd_kinds *kinds)
{
    const struct kd_leader_settings *settings = deps->settings;
    *lead = (struct kd_lead){ .deps = *deps, .kinds = kinds };
    pthread_mutex_init(&lead->lock, NULL);
    init_cond(&lead->cond);
    kd_fence_init(&lead->fence, &kd_boot_clock);
    lead->stands_by = settings->enabled && strcmp(settings->followers, "standby") == 0;
    if (!lead->stands_by) {
        kd_fence_open_until(&lead->fence, KD_NEVER_NS);
    }
    if (settings->enabled) {
        const struct kd_leader_sink sink = { lead, on_lead, on_follow, on_stopped };
        lead->leader = kd_leader_new(deps->loop, deps->client, settings, deps->metrics,
                                     lead->stands_by ? &lead->fence : NULL, &sink);
    }
}

void kd_lead_release(struct kd_lead *lead)
{
    if (!lead->kinds) {
        return;
    }
    kd_leader_free(kd_steal(lead->leader));
    pthread_cond_destroy(&lead->cond);
    pthread_mutex_destroy(&lead->lock);
    lead->kinds = NULL;
}

void kd_lead_start(struct kd_lead *lead)
{
    if (!lead->stands_by) {
        work(lead); /* before the lists, so that they are seen as the first ones */
    }
    kd_kinds_start(lead->kinds);
    if (lead->leader) {
        kd_leader_start(lead->leader);
    }
}

void kd_lead_drain(struct kd_lead *lead)
{
    if (lead->leader) {
        kd_leader_drain(lead->leader);
    }
}

static void stop_leader(void *arg)
{
    struct kd_lead *lead = arg;
    kd_leader_stop(lead->leader);
}

void kd_lead_stop(struct kd_lead *lead)
{
    if (!lead->leader) {
        return;
    }
    int64_t limit_ns = kd_time_add_ns(lead->deps.settings->renew_deadline_ns, STOP_MARGIN_NS);
    int64_t until_ns = kd_time_add_ns(kd_now_ns(&kd_system_clock), limit_ns);
    struct timespec until = { until_ns / KD_SEC_NS, until_ns % KD_SEC_NS };
    kd_loop_post(lead->deps.loop, stop_leader, lead);
    int rc = 0;
    pthread_mutex_lock(&lead->lock);
    while (!lead->stopped && rc == 0) {
        rc = pthread_cond_timedwait(&lead->cond, &lead->lock, &until);
    }
    pthread_mutex_unlock(&lead->lock);
    if (rc != 0) {
        KD_WARN("the lead could not be given up in time", KD_F("lease", lead->deps.settings->name));
    }
}

bool kd_lead_is_over(const struct kd_lead *lead)
{
    return atomic_load(&lead->over);
}

bool kd_lead_stands_by(const struct kd_lead *lead)
{
    return lead->stands_by && !atomic_load(&lead->leads);
}

bool kd_lead_is_ready(struct kd_lead *lead, char *why, size_t size)
{
    struct kd_leader_status status;
    if (!lead->leader) {
        return true;
    }
    kd_leader_get_status(lead->leader, &status);
    if (status.leads || status.holder_lives) {
        return true;
    }
    (void)snprintf(why, size, "no live leader is known%s%s", status.error[0] ? ": " : "",
                   status.error); /* cut to fit */
    return false;
}

/* A kind that cannot be had holds nobody up. */
static bool is_behind(const struct kd_running_kind *running)
{
    struct kd_informer_status status;
    if (atomic_load(&running->written)) {
        return false;
    }
    kd_informer_get_status(running->informer, &status);
    return status.ever_synced || status.state == KD_INFORMER_SYNCING;
}

static bool has_caught_up(struct kd_lead *lead, char *why, size_t size)
{
    if (atomic_load(&lead->caught_up)) {
        return true;
    }
    const struct kd_view *view = kd_kinds_hold(lead->kinds);
    const char *behind = NULL;
    for (size_t i = 0; !behind && i < view->n; i++) {
        behind = is_behind(&view->items[i]) ? view->items[i].name : NULL;
    }
    if (behind) {
        (void)snprintf(why, size, "catching up: kind %s is still to come", behind);
    } else {
        atomic_store(&lead->caught_up, true);
    }
    kd_kinds_drop(lead->kinds, view);
    return !behind;
}

bool kd_lead_may_show(struct kd_lead *lead, bool process_only, char *why, size_t size,
                      char leader[KD_IDENTITY_MAX])
{
    struct kd_leader_status status = { 0 };
    leader[0] = '\0';
    if (!lead->stands_by) {
        return true;
    }
    if (atomic_load(&lead->leads) && kd_fence_is_open(&lead->fence)) {
        return process_only || has_caught_up(lead, why, size);
    }
    kd_leader_get_status(lead->leader, &status);
    if (status.holder_lives) {
        (void)snprintf(leader, KD_IDENTITY_MAX, "%s", status.holder);
        (void)snprintf(why, size, "this replica stands by; the leader is %s", status.holder);
    } else {
        (void)snprintf(why, size, "this replica stands by; no live leader is known");
    }
    return false;
}
