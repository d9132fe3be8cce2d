#include "leader/leader.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "leader/identity.h"
#include "leader/inner.h"
#include "leader/steps.h"
#include "metrics/metrics.h"

#include <stdio.h>

#define LAST_EVENTS_NS KD_SEC_NS /* the end waits so long for its Events */

/* -- the election's env */

static int64_t env_now(void *arg)
{
    (void)arg;
    return kd_now_ns(&kd_boot_clock);
}

static int64_t env_wall(void *arg)
{
    (void)arg;
    return kd_wall_ns(&kd_system_clock);
}

static double env_random(void *arg)
{
    return kd_rand_unit(&((struct kd_leader *)arg)->rand);
}

static void env_wake_at(void *arg, int64_t at_ns)
{
    struct kd_leader *leader = arg;
    leader->wake_ns = at_ns;
    if (at_ns == KD_NEVER_NS) {
        kd_timer_stop(&leader->timer);
    } else {
        int64_t now_ns = kd_now_ns(&kd_boot_clock);
        kd_timer_start(&leader->timer, at_ns > now_ns ? at_ns - now_ns : 0);
    }
}

static void env_ask(void *arg, enum kd_ask what, struct kd_str body, int64_t timeout_ns)
{
    kd_lease_ask_start(arg, what, body, timeout_ns);
}

static void env_drop_ask(void *arg)
{
    kd_lease_ask_drop(arg);
}

static void env_watch(void *arg, const char *version)
{
    kd_lease_watch_set(arg, version);
}

static void open_fence(struct kd_leader *leader, int64_t until_ns)
{
    if (leader->fence) {
        kd_fence_open_until(leader->fence, until_ns);
    }
}

static void shut_fence(struct kd_leader *leader)
{
    if (leader->fence) {
        kd_fence_shut(leader->fence);
    }
}

static void tell(struct kd_leader *leader, bool became)
{
    if (leader->told == became) {
        return;
    }
    leader->told = became;
    kd_gauge_set(leader->master, became);
    kd_lease_events_tell(leader->events, became, kd_str_from(leader->election.seen.json));
}

static void env_leads(void *arg, int64_t until_ns)
{
    struct kd_leader *leader = arg;
    KD_INFO("became leader", KD_F("identity", leader->identity),
            KD_F("lease", leader->settings->name), KD_F("namespace", leader->settings->ns));
    tell(leader, true);
    open_fence(leader, until_ns);
    leader->sink.lead(leader->sink.arg);
}

static void env_renewed(void *arg, int64_t until_ns)
{
    open_fence(arg, until_ns);
}

static void env_lost(void *arg, const char *why)
{
    struct kd_leader *leader = arg;
    shut_fence(leader);
    KD_WARN("stopped leading", KD_F("identity", leader->identity), KD_F("reason", why));
    tell(leader, false);
    leader->sink.follow(leader->sink.arg);
}

static void env_holder(void *arg, const char *holder)
{
    struct kd_leader *leader = arg;
    if (holder[0] && strcmp(holder, leader->identity) != 0) {
        KD_INFO("the leader is another one", KD_F("holder", holder));
    }
}

static void env_slow(void *arg)
{
    kd_counter_add(((struct kd_leader *)arg)->slowpath, 1);
}

static void end_now(void *arg)
{
    struct kd_leader *leader = arg;
    kd_timer_stop(&leader->last_events);
    if (leader->ending) {
        leader->ending = false;
        leader->sink.stopped(leader->sink.arg);
    }
}

static void env_ended(void *arg, bool released)
{
    struct kd_leader *leader = arg;
    KD_INFO("leader election ended", KD_F("released", released ? "yes" : "no"));
    leader->ending = true;
    kd_timer_start(&leader->last_events, LAST_EVENTS_NS);
    kd_lease_events_when_told(leader->events, end_now, leader);
}

/* -- what others see */

void kd_leader_note(struct kd_leader *leader)
{
    const struct kd_election *election = &leader->election;
    const char *holder = election->seen.json ? election->seen.holder : "";
    bool leads = kd_election_leads(election);
    int64_t expiry_ns = kd_election_live_holder(election) ? kd_election_expiry_ns(election) : 0;
    pthread_mutex_lock(&leader->lock);
    leader->status.leads = leads;
    leader->expiry_ns = leads ? 0 : expiry_ns;
    (void)snprintf(leader->status.holder, KD_IDENTITY_MAX, "%s", holder); /* cut to fit */
    pthread_mutex_unlock(&leader->lock);
}

void kd_leader_note_error(struct kd_leader *leader, const char *text)
{
    bool failing = text[0] != '\0';
    if (failing && !leader->failing) {
        KD_WARN("a request of the leader election failed", KD_F("error", text));
    } else if (leader->failing && !failing) {
        KD_INFO("the leader election is answered again", KD_F("lease", leader->settings->name));
    }
    leader->failing = failing;
    pthread_mutex_lock(&leader->lock);
    (void)snprintf(leader->status.error, sizeof(leader->status.error), "%s", text);
    pthread_mutex_unlock(&leader->lock);
}

void kd_leader_get_status(struct kd_leader *leader, struct kd_leader_status *ret)
{
    KD_CHECK(leader, KD_LEADER_MAGIC);
    pthread_mutex_lock(&leader->lock);
    *ret = leader->status;
    int64_t expiry_ns = leader->expiry_ns;
    pthread_mutex_unlock(&leader->lock);
    ret->holder_lives = kd_now_ns(&kd_boot_clock) < expiry_ns;
    ret->leads = ret->leads && kd_fence_is_open(leader->fence);
}

/* -- life */

static void on_timer(void *arg)
{
    struct kd_leader *leader = arg;
    if (kd_now_ns(&kd_boot_clock) < leader->wake_ns) { /* the clocks differ a little */
        env_wake_at(leader, leader->wake_ns);
        return;
    }
    kd_election_time(&leader->election);
    kd_leader_note(leader);
}

static struct kd_series *make_series(struct kd_metrics *metrics, enum kd_metric_type type,
                                     const char *name, const char *help, const char *value)
{
    static const char *const labels[] = { "name" };
    const char *const values[] = { value };
    const struct kd_family_spec spec = {
        .type = type, .name = name, .help = help, .labels = labels, .n_labels = 1
    };
    return kd_family_series(kd_metrics_family(metrics, &spec), values);
}

static void init_metrics(struct kd_leader *leader, struct kd_metrics *metrics)
{
    const char *name = leader->settings->name;
    leader->master = make_series(metrics, KD_GAUGE, "leader_election_master_status",
                                 "1 while this process leads.", name);
    leader->slowpath =
        make_series(metrics, KD_COUNTER, "leader_election_slowpath_total",
                    "How often a leader had to read its Lease again to renew it.", name);
    kd_gauge_set(leader->master, 0);
}

static void init_paths(struct kd_leader *leader)
{
    KD_AUTO_BUF struct kd_buf path;
    kd_buf_init(&path, 64 * KD_KIB);
    (void)kd_buf_puts(&path, "/apis/coordination.k8s.io/v1/namespaces/");
    (void)kd_buf_put_url(&path, kd_str_from(leader->settings->ns));
    (void)kd_buf_puts(&path, "/leases");
    leader->leases_path = kd_strdup(path.ptr);
    (void)kd_buf_puts(&path, "/");
    (void)kd_buf_put_url(&path, kd_str_from(leader->settings->name));
    leader->lease_path = kd_strdup(path.ptr);
}

static void init_election(struct kd_leader *leader)
{
    const struct kd_leader_settings *settings = leader->settings;
    const struct kd_election_settings own = {
        .ns = settings->ns,
        .name = settings->name,
        .identity = leader->identity,
        .lease_duration_ns = settings->lease_duration_ns,
        .renew_deadline_ns = settings->renew_deadline_ns,
        .retry_period_ns = settings->retry_period_ns,
        .stands_again = strcmp(settings->on_loss, "retry") == 0,
    };
    const struct kd_election_env env = { leader,   env_now,      env_wall,  env_random, env_wake_at,
                                         env_ask,  env_drop_ask, env_watch, env_leads,  env_renewed,
                                         env_lost, env_holder,   env_slow,  env_ended };
    kd_election_init(&leader->election, &own, &env);
}

struct kd_leader *kd_leader_new(struct kd_loop *loop, struct kd_client *client,
                                const struct kd_leader_settings *settings,
                                struct kd_metrics *metrics, struct kd_fence *fence,
                                const struct kd_leader_sink *sink)
{
    struct kd_leader *leader = kd_zalloc(sizeof(*leader));
    leader->magic = KD_LEADER_MAGIC;
    leader->loop = loop;
    leader->client = client;
    leader->settings = settings;
    leader->fence = fence;
    leader->sink = *sink;
    leader->identity = settings->identity[0] ? kd_strdup(settings->identity) : kd_identity_new();
    pthread_mutex_init(&leader->lock, NULL);
    (void)snprintf(leader->status.identity, KD_IDENTITY_MAX, "%s", leader->identity);
    kd_rand_init(&leader->rand, kd_hash_seed());
    kd_timer_init(&leader->timer, loop, on_timer, leader);
    kd_timer_init(&leader->last_events, loop, end_now, leader);
    kd_buf_init(&leader->ask.body, KD_MIB);
    leader->events =
        kd_lease_events_new(loop, client, settings->ns, settings->name, leader->identity);
    init_paths(leader);
    init_metrics(leader, metrics);
    init_election(leader);
    return leader;
}

void kd_leader_free(struct kd_leader *leader)
{
    if (!leader) {
        return;
    }
    KD_CHECK(leader, KD_LEADER_MAGIC);
    kd_lease_ask_drop(leader);
    kd_lease_watch_set(leader, NULL);
    kd_lease_events_free(leader->events);
    kd_election_release(&leader->election);
    kd_splitter_free(leader->watch.splitter);
    kd_buf_release(&leader->ask.body);
    kd_timer_release(&leader->timer);
    kd_timer_release(&leader->last_events);
    pthread_mutex_destroy(&leader->lock);
    kd_free(leader->identity);
    kd_free(leader->lease_path);
    kd_free(leader->leases_path);
    leader->magic = 0;
    kd_free(leader);
}

void kd_leader_start(struct kd_leader *leader)
{
    KD_CHECK(leader, KD_LEADER_MAGIC);
    kd_election_start(&leader->election);
    kd_leader_note(leader);
}

void kd_leader_drain(struct kd_leader *leader)
{
    KD_CHECK(leader, KD_LEADER_MAGIC);
    kd_election_drain(&leader->election);
    kd_leader_note(leader);
}

void kd_leader_stop(struct kd_leader *leader)
{
    KD_CHECK(leader, KD_LEADER_MAGIC);
    shut_fence(leader);
    tell(leader, false);
    kd_election_stop(&leader->election, leader->settings->release_on_cancel);
    kd_leader_note(leader);
}
