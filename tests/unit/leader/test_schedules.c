/*
 * 10,000 schedules of three elections on one Lease. At no time two of them lead; a leader's time is
 * over before its Lease can be taken; a Lease is given up only when the work has stopped; and when
 * the faults end, one leads.
 *
 * KINDRED_SCHEDULES sets how many, KINDRED_SEED the first seed: a failure prints its own.
 */
#include "unit/leader/world.h"

#include <fcntl.h>
#include <unistd.h>

#define FAULTS_NS (20 * KD_SEC_NS)
/* What is under way ends, the last record expires, and the slowest one comes to look. */
#define HEALING_NS (3 * RENEW_NS + LEASE_NS + 5 * RETRY_NS + 12 * KD_SEC_NS)

static void kill_node(struct world *world, struct node *node)
{
    node->alive = false;
    node->leads = false;
    node->working = false;
    node->watch_id = 0;
    push(world, (struct event){ .at_ns = world->now_ns + between(world, 0, 2 * KD_SEC_NS),
                                .kind = BIRTH,
                                .node = (int)(node - world->nodes),
                                .id = node->life });
}

/* Its work takes some time to end; the election goes on meanwhile. */
static void begin_stop(struct world *world, struct node *node)
{
    node->stopping = true;
    kd_election_drain(&node->election);
    push(world, (struct event){ .at_ns = world->now_ns + between(world, 0, KD_SEC_NS),
                                .kind = DRAINED,
                                .node = (int)(node - world->nodes),
                                .id = node->life });
}

static char *odd_lease(struct world *world)
{
    static const char *const specs[] = {
        "{}",
        "{\"holderIdentity\":\"ghost\",\"leaseDurationSeconds\":2,\"renewTime\":\"soon\"}",
        "{\"holderIdentity\":\"ghost\"}",
        "{\"holderIdentity\":7,\"leaseDurationSeconds\":\"long\",\"leaseTransitions\":-4}",
        "{\"holderIdentity\":\"ghost\",\"leaseDurationSeconds\":\"1\"}",
        "null",
    };
    size_t i = kd_rand_below(&world->rand, KD_ARRAY_LEN(specs));
    KD_AUTO_FREE char *body =
        kd_asprintf("{\"metadata\":{\"name\":\"lease\"},\"spec\":%s}", specs[i]);
    return with_version(world, body);
}

static void meddle(struct world *world)
{
    if (world->meddles) {
        world->meddled = true;
        server_set(world, chance(world, 50) ? NULL : odd_lease(world));
    }
}

static void chaos(struct world *world)
{
    struct node *node = &world->nodes[kd_rand_below(&world->rand, NODES)];
    int64_t long_ns = between(world, 0, 6 * KD_SEC_NS);
    switch (kd_rand_below(&world->rand, 6)) {
    case 0:
        node->asleep_until_ns = world->now_ns + long_ns;
        break;
    case 1:
        world->down_until_ns = world->now_ns + long_ns;
        break;
    case 2:
        if (node->alive) {
            kill_node(world, node);
        }
        break;
    case 3:
    case 4:
        if (node->alive && !node->stopping) {
            begin_stop(world, node);
        }
        break;
    default:
        meddle(world);
        break;
    }
    push(world, (struct event){ .at_ns = world->now_ns + between(world, 0, 2 * KD_SEC_NS),
                                .kind = CHAOS });
}

/* Whether it still means something: answers to what was dropped, timers set anew, ... */
static bool is_current(const struct world *world, const struct event *event)
{
    const struct node *node = &world->nodes[event->node];
    switch (event->kind) {
    case AT_SERVER:
    case CHAOS:
        return true;
    case AT_NODE:
        return node->alive && node->ask_id == event->id;
    case TIMER:
        return node->alive && node->timer_id == event->id;
    case SEEN:
    case UNWATCHED:
        return node->alive && node->watch_id == event->id;
    case DRAINED:
        return node->alive && node->life == event->id;
    case BIRTH:
        return !node->alive && node->life == event->id;
    }
    return false;
}

static void stop_node(struct node *node)
{
    node->working = false;
    kd_election_stop(&node->election, true);
    node->leads = false;
}

static void run_event(struct world *world, const struct event *event)
{
    struct node *node = &world->nodes[event->node];
    struct kd_str text = kd_str_from(event->text);
    switch (event->kind) {
    case AT_SERVER:
        at_server(world, event);
        break;
    case AT_NODE:
        node->ask_id = 0;
        kd_election_answer(&node->election, event->answer, text);
        break;
    case TIMER:
        kd_election_time(&node->election);
        break;
    case SEEN:
        kd_election_seen(&node->election, text, event->gone);
        break;
    case UNWATCHED:
        node->watch_id = 0;
        kd_election_unwatched(&node->election, event->gone ? KD_WATCH_REFUSED : KD_WATCH_CLOSED);
        break;
    case DRAINED:
        stop_node(node);
        break;
    case BIRTH:
        node_start(world, event->node);
        break;
    case CHAOS:
        if (!world->healed) {
            chaos(world);
        }
        break;
    }
}

/* A sleeping process gets everything when it wakes, in any order but its own. */
static bool put_off(struct world *world, const struct event *event)
{
    const struct node *node = &world->nodes[event->node];
    bool at_node = event->kind != AT_SERVER && event->kind != CHAOS && event->kind != BIRTH;
    if (!at_node || world->now_ns >= node->asleep_until_ns) {
        return false;
    }
    struct event later = *event;
    later.at_ns = node->asleep_until_ns;
    push(world, later);
    return true;
}

static void run_until(struct world *world, int64_t end_ns)
{
    while (world->n > 0 && world->heap[0].at_ns <= end_ns) {
        struct event event = pop(world);
        world->now_ns = event.at_ns;
        if (is_current(world, &event)) {
            if (put_off(world, &event)) {
                continue; /* its text has gone with it */
            }
            run_event(world, &event);
        }
        kd_free(event.text);
    }
    world->now_ns = end_ns;
}

static void expect_one_leader(struct world *world)
{
    unsigned long long seed = world->seed;
    int leaders = 0;
    for (int i = 0; i < NODES; i++) {
        const struct node *node = &world->nodes[i];
        if (!node->alive || node->election.state == KD_ELECTION_IDLE) {
            fail_msg("seed %llu: node %d is idle", seed, i);
        }
        leaders += node->leads && world->now_ns < node->until_ns;
    }
    if (leaders != 1) {
        fail_msg("seed %llu: %d lead in the end: %s %s %s", seed, leaders,
                 kd_election_state_name(world->nodes[0].election.state),
                 kd_election_state_name(world->nodes[1].election.state),
                 kd_election_state_name(world->nodes[2].election.state));
    }
}

static void run_schedule(struct world *world, uint64_t seed)
{
    world->seed = seed;
    kd_rand_init(&world->rand, seed);
    world->now_ns = 1000 * KD_SEC_NS;
    world->meddles = kd_rand_below(&world->rand, 4) == 0;
    world->no_watch = kd_rand_below(&world->rand, 4) == 0;
    for (int i = 0; i < NODES; i++) {
        world->nodes[i].life = ++world->n_ids;
        push(world, (struct event){ .at_ns = world->now_ns + between(world, 0, KD_SEC_NS),
                                    .kind = BIRTH,
                                    .node = i,
                                    .id = world->nodes[i].life });
    }
    push(world, (struct event){ .at_ns = world->now_ns, .kind = CHAOS });
    run_until(world, world->now_ns + FAULTS_NS);
    world->healed = true;
    run_until(world, world->now_ns + HEALING_NS);
    expect_one_leader(world);
}

static void release(struct world *world)
{
    while (world->n > 0) {
        kd_free(pop(world).text);
    }
    kd_free(world->heap);
    kd_free(world->lease);
    for (int i = 0; i < NODES; i++) {
        kd_election_release(&world->nodes[i].election);
    }
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    uint64_t number = otherwise;
    const char *text = getenv(name);
    return text && kd_str_to_u64(kd_str_from(text), &number) ? number : otherwise;
}

static void test_schedules(void **state)
{
    /* A sanitizer makes each ten times as slow. */
    uint64_t usual = getenv("KINDRED_SANITIZER") ? 1000 : 10000;
    uint64_t n = number_from("KINDRED_SCHEDULES", usual);
    uint64_t first = number_from("KINDRED_SEED", 1);
    size_t reigns = 0;
    size_t losses = 0;
    size_t releases = 0;
    size_t requests = 0;
    (void)state;
    for (uint64_t seed = first; seed < first + n; seed++) {
        struct world world = { 0 };
        run_schedule(&world, seed);
        reigns += world.reigns;
        losses += world.losses;
        releases += world.releases;
        requests += world.requests;
        release(&world);
    }
    print_message("%zu reigns, %zu losses, %zu releases, %zu requests\n", reigns, losses, releases,
                  requests);
    assert_true(reigns > 3 * n && losses > n / 2 && releases > n / 2); /* the schedules are wild */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_schedules) };
    kd_log_set_fd(open("/dev/null", O_WRONLY | O_CLOEXEC));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
