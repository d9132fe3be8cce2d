/*
 * A server with one Lease and a few elections on it, in a time that only events move on. Requests
 * are late, lost, applied without an answer; processes sleep, die, stop and come again; watches lag
 * and break. All of it follows from a seed.
 */
#ifndef KD_UNIT_LEADER_WORLD_H
#define KD_UNIT_LEADER_WORLD_H

#include "unit/leader/server.h"

/* -- the env of an election */

static int64_t env_now(void *arg)
{
    return ((struct node *)arg)->world->now_ns;
}

static double env_random(void *arg)
{
    return kd_rand_unit(&((struct node *)arg)->world->rand);
}

static void env_wake_at(void *arg, int64_t at_ns)
{
    struct node *node = arg;
    struct world *world = node->world;
    node->timer_id = ++world->n_ids;
    if (at_ns != KD_NEVER_NS) {
        push(world, (struct event){ .at_ns = at_ns > world->now_ns ? at_ns : world->now_ns,
                                    .kind = TIMER,
                                    .node = (int)(node - world->nodes),
                                    .id = node->timer_id });
    }
}

static void env_ask(void *arg, enum kd_ask what, struct kd_str body, int64_t timeout_ns)
{
    struct node *node = arg;
    struct world *world = node->world;
    int at = (int)(node - world->nodes);
    assert_true(timeout_ns > 0 && 2 * timeout_ns <= RENEW_NS); /* two tries fit (B40) */
    assert_int_equal(node->ask_id, 0);                         /* one at a time */
    world->requests++;
    node->ask_id = ++world->n_ids;
    push(world, (struct event){ .at_ns = world->now_ns + latency(world),
                                .kind = AT_SERVER,
                                .node = at,
                                .id = node->ask_id,
                                .ask = what,
                                .applies = !chance(world, 5),
                                .answers = !chance(world, 5),
                                .text = kd_str_dup(body) });
    push(world, (struct event){ .at_ns = world->now_ns + timeout_ns,
                                .kind = AT_NODE,
                                .node = at,
                                .id = node->ask_id,
                                .answer = KD_ANSWER_FAILED });
}

static void env_drop_ask(void *arg)
{
    ((struct node *)arg)->ask_id = 0;
}

static void env_watch(void *arg, const char *version)
{
    struct node *node = arg;
    struct world *world = node->world;
    int at = (int)(node - world->nodes);
    node->watch_id = version ? ++world->n_ids : 0;
    if (!version) {
        return;
    }
    if (world->no_watch || chance(world, 10)) {
        push(world, (struct event){ .at_ns = world->now_ns + latency(world),
                                    .kind = UNWATCHED,
                                    .node = at,
                                    .id = node->watch_id,
                                    .gone = world->no_watch });
        node->last_seen_ns = KD_NEVER_NS; /* it shows nothing */
        return;
    }
    node->last_seen_ns = 0;
    tell_watcher(world, node); /* what has changed since, at least */
    if (!world->healed) {
        push(world, (struct event){ .at_ns = world->now_ns + between(world, 0, 20 * KD_SEC_NS),
                                    .kind = UNWATCHED,
                                    .node = at,
                                    .id = node->watch_id });
    }
}

static void check_until(struct node *node, int64_t until_ns)
{
    const struct world *world = node->world;
    int64_t applied_ns = world->applied_ns[node - world->nodes];
    assert_true(until_ns <= node->election.sent_ns + RENEW_NS);
    assert_true(until_ns < applied_ns + LEASE_NS); /* over before it can be taken */
    assert_true(until_ns > world->now_ns);
    node->until_ns = until_ns;
}

static void env_leads(void *arg, int64_t until_ns)
{
    struct node *node = arg;
    struct world *world = node->world;
    assert_true(node->alive && !node->leads && !node->stopping);
    for (int i = 0; i < NODES; i++) {
        const struct node *other = &world->nodes[i];
        if (other != node && other->alive && other->leads && world->now_ns < other->until_ns &&
            !world->meddled) {
            fail_msg("seed %llu: two lead: %s for %lld ms more, and %s",
                     (unsigned long long)world->seed, other->identity,
                     (long long)((other->until_ns - world->now_ns) / KD_MS_NS), node->identity);
        }
    }
    world->meddled = world->meddled && world->meddles;
    node->leads = true;
    node->working = true;
    world->reigns++;
    check_until(node, until_ns);
}

static void env_renewed(void *arg, int64_t until_ns)
{
    struct node *node = arg;
    assert_true(node->leads);
    check_until(node, until_ns);
}

static void env_lost(void *arg, const char *why)
{
    struct node *node = arg;
    (void)why;
    assert_true(node->leads);
    node->leads = false;
    node->world->losses++;
}

static void env_holder(void *arg, const char *holder)
{
    (void)arg;
    assert_non_null(holder);
}

static void env_slow(void *arg)
{
    assert_true(((struct node *)arg)->leads);
}

static void env_ended(void *arg, bool released)
{
    struct node *node = arg;
    assert_true(node->stopping);
    (void)released;
    node->leads = false;
    node->stopping = false;
    node->alive = false;
    node->watch_id = 0;
    push(node->world,
         (struct event){ .at_ns = node->world->now_ns + between(node->world, 0, 2 * KD_SEC_NS),
                         .kind = BIRTH,
                         .node = (int)(node - node->world->nodes),
                         .id = node->life });
}

static inline void node_start(struct world *world, int at)
{
    struct node *node = &world->nodes[at];
    uint64_t life = ++world->n_ids;
    kd_election_release(&node->election);
    *node = (struct node){ .world = world, .alive = true, .life = life };
    (void)snprintf(node->identity, sizeof(node->identity), "node%d-%llu", at,
                   (unsigned long long)life);
    const struct kd_election_settings settings = { .ns = "ns",
                                                   .name = "lease",
                                                   .identity = node->identity,
                                                   .lease_duration_ns = LEASE_NS,
                                                   .renew_deadline_ns = RENEW_NS,
                                                   .retry_period_ns = RETRY_NS,
                                                   .stands_again = true };
    const struct kd_election_env env = { node,     env_now,      env_now,   env_random, env_wake_at,
                                         env_ask,  env_drop_ask, env_watch, env_leads,  env_renewed,
                                         env_lost, env_holder,   env_slow,  env_ended };
    kd_election_init(&node->election, &settings, &env);
    kd_election_start(&node->election);
}

#endif
