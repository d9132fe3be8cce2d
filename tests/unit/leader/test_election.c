/* Single steps of the election, each with the requests that it leads to. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "leader/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define START_NS (1000 * KD_SEC_NS)

struct world {
    struct kd_election election;
    int64_t now_ns;
    int64_t wake_ns;
    int64_t timeout_ns;
    int64_t until_ns;
    bool asks, watches, leads;
    enum kd_ask what;
    char body[2048];
    char holder[64];
    char why[64];
    int slow, ended;
    bool released;
};

static int64_t now(void *arg)
{
    return ((struct world *)arg)->now_ns;
}

static double half(void *arg)
{
    (void)arg;
    return 0.5;
}

static void wake_at(void *arg, int64_t at_ns)
{
    ((struct world *)arg)->wake_ns = at_ns;
}

static void ask(void *arg, enum kd_ask what, struct kd_str body, int64_t timeout_ns)
{
    struct world *world = arg;
    assert_false(world->asks);
    world->asks = true;
    world->what = what;
    world->timeout_ns = timeout_ns;
    (void)snprintf(world->body, sizeof(world->body), KD_STR_FMT, KD_STR_ARG(body));
}

static void drop_ask(void *arg)
{
    ((struct world *)arg)->asks = false;
}

static void watch(void *arg, const char *version)
{
    ((struct world *)arg)->watches = version != NULL;
}

static void leads(void *arg, int64_t until_ns)
{
    struct world *world = arg;
    world->leads = true;
    world->until_ns = until_ns;
}

static void renewed(void *arg, int64_t until_ns)
{
    ((struct world *)arg)->until_ns = until_ns;
}

static void lost(void *arg, const char *why)
{
    struct world *world = arg;
    world->leads = false;
    (void)snprintf(world->why, sizeof(world->why), "%s", why);
}

static void holder(void *arg, const char *name)
{
    struct world *world = arg;
    (void)snprintf(world->holder, sizeof(world->holder), "%s", name);
}

static void slow(void *arg)
{
    ((struct world *)arg)->slow++;
}

static void ended(void *arg, bool released)
{
    struct world *world = arg;
    world->ended++;
    world->released = released;
}

static void begin(struct world *world)
{
    static const struct kd_election_settings settings = { .ns = "n",
                                                          .name = "l",
                                                          .identity = "me",
                                                          .lease_duration_ns = 15 * KD_SEC_NS,
                                                          .renew_deadline_ns = 10 * KD_SEC_NS,
                                                          .retry_period_ns = 2 * KD_SEC_NS,
                                                          .stands_again = true };
    *world = (struct world){ .now_ns = START_NS, .wake_ns = KD_NEVER_NS };
    const struct kd_election_env env = { world, now,   now,     half, wake_at, ask,  drop_ask,
                                         watch, leads, renewed, lost, holder,  slow, ended };
    kd_election_init(&world->election, &settings, &env);
    kd_election_start(&world->election);
    assert_true(world->asks && world->what == KD_ASK_GET);
}

static void answer(struct world *world, enum kd_answer_kind kind, const char *json)
{
    assert_true(world->asks);
    world->asks = false;
    kd_election_answer(&world->election, kind, kd_str_from(json));
}

#define HELD(version, seconds)                                                                     \
    "{\"metadata\":{\"resourceVersion\":\"" version "\"},\"spec\":{\"holderIdentity\":\"other\","  \
    "\"leaseDurationSeconds\":" seconds ",\"renewTime\":\"soon\",\"leaseTransitions\":4}}"

/* Ours, as the server shows it after a claim at START_NS + seconds. */
#define OURS(version, second)                                                                      \
    "{\"metadata\":{\"resourceVersion\":\"" version "\"},\"spec\":{\"holderIdentity\":\"me\","     \
    "\"leaseDurationSeconds\":15,\"renewTime\":\"1970-01-01T00:16:" second ".000000Z\"}}"

static void lead(struct world *world)
{
    begin(world);
    answer(world, KD_ANSWER_ABSENT, "");
    assert_true(world->asks && world->what == KD_ASK_CREATE);
    answer(world, KD_ANSWER_LEASE, OURS("1", "40"));
    assert_true(world->leads);
    assert_true(world->until_ns == START_NS + 10 * KD_SEC_NS);
}

static void go_to(struct world *world, int64_t at_ns)
{
    world->now_ns = at_ns;
    kd_election_time(&world->election);
}

/* B39: 30 s in the record, 15 in our settings. */
static void test_B39_the_holders_time(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    answer(&world, KD_ANSWER_LEASE, HELD("7", "30"));
    assert_true(world.watches && !world.asks);
    assert_true(world.wake_ns == START_NS + 30 * KD_SEC_NS);
    assert_string_equal(kd_election_live_holder(&world.election), "other");
    go_to(&world, START_NS + 30 * KD_SEC_NS - 1);
    assert_false(world.asks);
    go_to(&world, START_NS + 30 * KD_SEC_NS);
    assert_null(kd_election_live_holder(&world.election));
    assert_true(world.asks && world.what == KD_ASK_UPDATE); /* at once, without another look */
    assert_non_null(strstr(world.body, "\"resourceVersion\":\"7\""));
    assert_non_null(strstr(world.body, "\"leaseTransitions\":5"));
    kd_election_release(&world.election);
}

/* B44: a new version is a sign of life, whatever its times say. */
static void test_B44_signs_of_life(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    answer(&world, KD_ANSWER_LEASE, HELD("7", "3"));
    for (int i = 1; i < 10; i++) {
        char json[512];
        world.now_ns = START_NS + i * 2 * KD_SEC_NS;
        (void)snprintf(json, sizeof(json),
                       "{\"metadata\":{\"resourceVersion\":\"%d\"},\"spec\":{\"holderIdentity\":"
                       "\"other\",\"leaseDurationSeconds\":3,\"renewTime\":\"soon\"}}",
                       7 + i);
        kd_election_seen(&world.election, kd_str_from(json), false);
        kd_election_time(&world.election);
        assert_false(world.asks);
    }
    kd_election_seen(&world.election,
                     KD_STR("{\"metadata\":{\"resourceVersion\":\"99\"},\"spec\":{}}"), false);
    assert_true(world.asks && world.what == KD_ASK_UPDATE); /* released: at once */
    kd_election_release(&world.election);
}

/* B44: PUT 404, GET, POST, and the lead only when that has gone well. */
static void test_B44_deleted(void **state)
{
    struct world world;
    (void)state;
    lead(&world);
    go_to(&world, START_NS + 2 * KD_SEC_NS);
    assert_true(world.asks && world.what == KD_ASK_UPDATE);
    answer(&world, KD_ANSWER_ABSENT, "");
    assert_false(world.leads);
    assert_true(world.asks && world.what == KD_ASK_GET);
    answer(&world, KD_ANSWER_ABSENT, "");
    assert_true(world.asks && world.what == KD_ASK_CREATE);
    answer(&world, KD_ANSWER_CONFLICT, ""); /* somebody was faster */
    assert_false(world.leads);
    assert_true(world.asks && world.what == KD_ASK_GET);
    kd_election_release(&world.election);
}

/* B40: two tries fit, and what comes after our time is of no use. */
static void test_B40_time_outs(void **state)
{
    struct world world;
    (void)state;
    lead(&world);
    go_to(&world, START_NS + 2 * KD_SEC_NS);
    assert_true(world.timeout_ns == 5 * KD_SEC_NS);
    world.now_ns = START_NS + 7 * KD_SEC_NS;
    answer(&world, KD_ANSWER_FAILED, "");
    assert_true(world.leads && world.wake_ns == world.now_ns); /* no pause: time is short */
    kd_election_time(&world.election);
    assert_true(world.asks && world.timeout_ns == 3 * KD_SEC_NS);
    world.now_ns = START_NS + 10 * KD_SEC_NS;
    answer(&world, KD_ANSWER_LEASE, "{\"metadata\":{\"resourceVersion\":\"2\"},\"spec\":{}}");
    assert_false(world.leads);
    assert_string_equal(world.why, "it could not be renewed in time");
    assert_true(world.asks && world.what == KD_ASK_GET); /* it stands again (B42) */
    kd_election_release(&world.election);
}

/* A claim whose answer was lost is ours when we find it; a namesake's is not. */
static void test_ours_by_time(void **state)
{
    struct world world;
    (void)state;
    lead(&world);
    go_to(&world, START_NS + 2 * KD_SEC_NS);
    answer(&world, KD_ANSWER_CONFLICT, "");
    assert_int_equal(world.slow, 1);
    answer(&world, KD_ANSWER_LEASE, OURS("3", "42"));
    assert_true(world.leads && world.asks && world.what == KD_ASK_UPDATE);
    answer(&world, KD_ANSWER_CONFLICT, "");
    answer(&world, KD_ANSWER_LEASE,
           "{\"metadata\":{\"resourceVersion\":\"4\"},\"spec\":{\"holderIdentity\":\"me\","
           "\"leaseDurationSeconds\":15,\"renewTime\":\"2001-01-01T00:00:00.000000Z\"}}");
    assert_false(world.leads);
    assert_string_equal(world.why, "the Lease has another holder");
    kd_election_release(&world.election);
}

/* B30: told to stop, a follower takes nothing any more; a leader goes on until its work is done. */
static void test_B30_drain(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    answer(&world, KD_ANSWER_LEASE, HELD("7", "3"));
    kd_election_drain(&world.election);
    assert_false(world.watches);
    assert_true(world.wake_ns == KD_NEVER_NS);
    go_to(&world, START_NS + 60 * KD_SEC_NS);
    assert_false(world.asks);
    kd_election_stop(&world.election, true);
    assert_true(world.ended == 1 && !world.released && !world.asks);
    kd_election_release(&world.election);

    lead(&world);
    kd_election_drain(&world.election);
    go_to(&world, START_NS + 2 * KD_SEC_NS);
    assert_true(world.asks && world.what == KD_ASK_UPDATE); /* renews while it drains */
    answer(&world, KD_ANSWER_LEASE, OURS("2", "42"));
    assert_true(world.leads && world.until_ns == START_NS + 12 * KD_SEC_NS);
    kd_election_stop(&world.election, true);
    assert_true(world.asks && world.what == KD_ASK_GET);
    answer(&world, KD_ANSWER_LEASE, OURS("2", "42"));
    assert_true(world.asks && world.what == KD_ASK_UPDATE);
    assert_non_null(strstr(world.body, "\"holderIdentity\":\"\",\"leaseDurationSeconds\":1"));
    answer(&world, KD_ANSWER_LEASE,
           "{\"metadata\":{\"resourceVersion\":\"3\"},\"spec\":{\"holderIdentity\":\"\"}}");
    assert_true(world.ended == 1 && world.released);
    kd_election_release(&world.election);
}

/* Without a watch: looks, 1 to 2.2 retry periods apart, and one at the end of the record's time. */
static void test_polling(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    answer(&world, KD_ANSWER_LEASE, HELD("7", "5"));
    world.watches = false;
    kd_election_unwatched(&world.election, KD_WATCH_REFUSED);
    assert_true(world.wake_ns == START_NS + 3200 * KD_MS_NS); /* 2 s x 1.6 */
    go_to(&world, world.wake_ns);
    assert_true(world.asks && world.what == KD_ASK_GET);
    answer(&world, KD_ANSWER_LEASE, HELD("7", "5"));
    assert_false(world.watches); /* refused: not again so soon */
    assert_true(world.wake_ns == START_NS + 5 * KD_SEC_NS);
    go_to(&world, world.wake_ns);
    assert_true(world.asks && world.what == KD_ASK_UPDATE);
    kd_election_release(&world.election);
}

/* A server that contradicts itself is not asked in a hot loop. */
static void test_contradictions(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    int asks = 0;
    while (world.asks) {
        assert_true(++asks < 20);
        answer(&world, world.what == KD_ASK_GET ? KD_ANSWER_ABSENT : KD_ANSWER_CONFLICT, "");
    }
    assert_true(world.wake_ns > world.now_ns && world.wake_ns != KD_NEVER_NS);
    go_to(&world, world.wake_ns);
    assert_true(world.asks && world.what == KD_ASK_GET);
    kd_election_release(&world.election);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B39_the_holders_time),
        cmocka_unit_test(test_B44_signs_of_life),
        cmocka_unit_test(test_B44_deleted),
        cmocka_unit_test(test_B40_time_outs),
        cmocka_unit_test(test_ours_by_time),
        cmocka_unit_test(test_B30_drain),
        cmocka_unit_test(test_polling),
        cmocka_unit_test(test_contradictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
