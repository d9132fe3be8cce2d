/* When a new grant is asked for, and who waits: B49 with a clock of its own. */
#include "fixture.h"

#include "base/secret.h"
#include "client/execgrant.h"
#include "client/oidcgrant.h"

#define WALL_NS (INT64_C(1700000000) * KD_SEC_NS)

static struct kd_loop *loop;
static struct kd_provider provider;
static struct kd_error error;
static unsigned n_asked;
static unsigned n_changed;

static int64_t wall(void *arg)
{
    (void)arg;
    return WALL_NS + fake_now_ns;
}

static const struct kd_clock test_clock = { fake_now, wall, NULL };

static int ask(void *self, struct kd_provider *asker, struct kd_error *reterr)
{
    (void)self;
    (void)asker;
    (void)reterr;
    n_asked++;
    return 0;
}

static void free_nothing(void *self)
{
    (void)self;
}

static void on_changed(void *arg)
{
    (void)arg;
    n_changed++;
}

static const struct kd_grantor grantor = { ask, free_nothing };

static int setup(void **state)
{
    (void)state;
    kd_log_set_level(KD_LOG_ERROR + 1);
    fake_now_ns = KD_SEC_NS;
    n_asked = 0;
    n_changed = 0;
    loop = kd_loop_new();
    kd_provider_init(&provider, loop, &grantor, NULL, &test_clock, on_changed, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    kd_provider_release(&provider);
    kd_loop_free(loop);
    return 0;
}

static int ready(void)
{
    error = (struct kd_error){ 0 };
    return kd_provider_ready(&provider, &error);
}

/* life_ns 0: without expiry. */
static void give(const char *token, int64_t life_ns)
{
    struct kd_grant grant = { .token = kd_secret_keep(kd_str_from(token)) };
    grant.expires_wall_ns = life_ns ? wall(NULL) + life_ns : 0;
    kd_provider_take(&provider, &grant);
    assert_null(grant.token);
}

static void all_wait_for_one_answer_b49(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(ready(), KD_EBUSY);
    }
    assert_int_equal(n_asked, 1);
    give("t1", 0);
    assert_int_equal(n_changed, 1);
    assert_int_equal(ready(), 0);
    assert_string_equal(provider.grant.token, "t1");
    fake_now_ns += 1000000 * KD_SEC_NS; /* without an expiry it holds */
    assert_int_equal(ready(), 0);
    assert_int_equal(n_asked, 1);
}

static void it_is_renewed_before_its_end_while_it_is_used_b49(void **state)
{
    (void)state;
    assert_int_equal(ready(), KD_EBUSY);
    give("t1", 100 * KD_SEC_NS);
    fake_now_ns += 79 * KD_SEC_NS;
    assert_int_equal(ready(), 0);
    assert_int_equal(n_asked, 1);
    fake_now_ns += 2 * KD_SEC_NS;
    assert_int_equal(ready(), 0); /* nobody waits */
    assert_int_equal(ready(), 0);
    assert_int_equal(n_asked, 2);
    fake_now_ns += 20 * KD_SEC_NS;
    assert_int_equal(ready(), KD_EBUSY); /* until the old one has ended */
    assert_int_equal(n_asked, 2);
    give("t2", 100 * KD_SEC_NS);
    assert_int_equal(ready(), 0);
    assert_string_equal(provider.grant.token, "t2");
}

static void a_401_asks_once_for_all_who_met_it_b49(void **state)
{
    (void)state;
    assert_int_equal(ready(), KD_EBUSY);
    give("t1", 0);
    int64_t sent_ns = fake_now_ns;
    fake_now_ns += 5 * KD_SEC_NS;
    for (int i = 0; i < 20; i++) {
        assert_true(kd_provider_rejected(&provider, sent_ns));
        assert_int_equal(ready(), KD_EBUSY);
    }
    assert_int_equal(n_asked, 2);
    give("t2", 0);
    assert_true(kd_provider_rejected(&provider, sent_ns)); /* a late one: t2 is at hand */
    assert_int_equal(ready(), 0);
    assert_int_equal(n_asked, 2);
    /* Sent with t2 and refused at once: no storm, but a pause. */
    assert_true(kd_provider_rejected(&provider, fake_now_ns));
    assert_int_equal(ready(), KD_EBUSY);
    assert_int_equal(n_asked, 2);
    unsigned before = n_changed;
    while (n_changed == before) {
        kd_loop_run_once(loop, KD_SEC_NS);
    }
    fake_now_ns += KD_SEC_NS;
    assert_int_equal(ready(), KD_EBUSY);
    assert_int_equal(n_asked, 3);
}

static void an_expiry_that_is_past_serves_the_requests_at_hand_b49(void **state)
{
    (void)state;
    assert_int_equal(ready(), KD_EBUSY);
    give("t1", -WALL_NS);
    for (int i = 0; i < 90; i++) {
        assert_int_equal(ready(), 0);
        fake_now_ns += 100 * KD_MS_NS;
    }
    assert_int_equal(n_asked, 1);
    fake_now_ns += 2 * KD_SEC_NS;
    assert_int_equal(ready(), KD_EBUSY);
    assert_int_equal(n_asked, 2);
}

static void a_failure_is_told_and_tried_again_ever_later(void **state)
{
    (void)state;
    unsigned asked = 0;
    for (int64_t pause_s = 1; pause_s <= 16; pause_s *= 2) {
        assert_int_equal(ready(), KD_EBUSY);
        assert_int_equal(n_asked, ++asked);
        kd_provider_fail(&provider, KD_ECONFIG, "no luck");
        assert_int_equal(ready(), KD_ECONFIG);
        assert_string_equal(error.text, "no luck");
        fake_now_ns += pause_s * KD_SEC_NS - 1;
        assert_int_equal(ready(), KD_ECONFIG);
        fake_now_ns += 1;
    }
    assert_int_equal(ready(), KD_EBUSY);
    give("t1", 10 * KD_SEC_NS);
    assert_int_equal(ready(), 0);
}

static void a_failed_renewal_leaves_what_still_holds(void **state)
{
    (void)state;
    assert_int_equal(ready(), KD_EBUSY);
    give("t1", 100 * KD_SEC_NS);
    fake_now_ns += 90 * KD_SEC_NS;
    assert_int_equal(ready(), 0);
    kd_provider_fail(&provider, KD_ECONFIG, "no luck");
    assert_int_equal(ready(), 0);
    fake_now_ns += 10 * KD_SEC_NS;
    assert_int_equal(ready(), KD_EBUSY);
    kd_provider_fail(&provider, KD_ECONFIG, "no luck");
    assert_int_equal(ready(), KD_ECONFIG);
}

/* -- what a program prints */

#define V1 "client.authentication.k8s.io/v1"
#define HEAD "{\"apiVersion\":\"" V1 "\",\"kind\":\"ExecCredential\""

static void answers_of_programs_are_read(void **state)
{
    static const char *const bad[][2] = {
        { "", "it printed no JSON object" },
        { "secret", "it printed no JSON object" },
        { "[]", "it printed no JSON object" },
        { "{}", "its answer is no ExecCredential of " V1 },
        { "{\"apiVersion\":\"" V1 "beta1\",\"kind\":\"ExecCredential\",\"status\":{}}",
          "its answer is no ExecCredential of " V1 },
        { HEAD "}", "its answer has no status" },
        { HEAD ",\"status\":null}", "its answer has no status" },
        { HEAD ",\"status\":{}}", "its answer has neither token nor certificate" },
        { HEAD ",\"status\":{\"token\":\"\"}}", "its answer has neither token nor certificate" },
        { HEAD ",\"status\":{\"token\":1}}", "its answer has neither token nor certificate" },
        { HEAD ",\"status\":{\"clientKeyData\":\"secret\"}}",
          "its answer has only one of certificate and key" },
        { HEAD ",\"status\":{\"clientCertificateData\":\"x\",\"clientKeyData\":\"secret\"}}",
          "the certificate is not readable" },
        { HEAD ",\"status\":{\"token\":\"secret\\r\\nX-Evil: 1\"}}",
          "its token holds a line break or control character; it is not sent" },
        { HEAD ",\"status\":{\"token\":\"secret\",\"expirationTimestamp\":\"soon\"}}",
          "its expirationTimestamp is no RFC 3339 time" },
    };
    struct kd_grant grant = { 0 };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        error = (struct kd_error){ 0 };
        assert_int_equal(kd_exec_answer(kd_str_from(bad[i][0]), V1, &grant, &error), KD_ECONFIG);
        assert_string_equal(error.text, bad[i][1]);
    }
    assert_int_equal(kd_exec_answer(KD_STR(HEAD ",\"status\":{\"token\":\"t\","
                                                "\"expirationTimestamp\":"
                                                "\"2030-01-01T00:00:00Z\"}}"),
                                    V1, &grant, &error),
                     0);
    assert_string_equal(grant.token, "t");
    assert_int_equal(grant.expires_wall_ns / KD_SEC_NS, 1893456000);
    kd_grant_release(&grant);
}

static void programs_are_told_about_the_cluster(void **state)
{
    struct kd_exec exec = { .api_version = (char[]){ V1 } };
    struct kd_cluster cluster = { .exec = &exec,
                                  .server = (char[]){ "https://h" },
                                  .ca_pem = (char[]){ "CA" },
                                  .tls_server_name = (char[]){ "n" } };
    (void)state;
    KD_AUTO_FREE char *plain = kd_exec_info(&cluster);
    assert_string_equal(plain, "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                               "\",\"spec\":{\"interactive\":false}}");
    exec.provide_cluster_info = true;
    exec.cluster_config = (char[]){ "{\"a\":1}" };
    KD_AUTO_FREE char *whole = kd_exec_info(&cluster);
    assert_string_equal(whole,
                        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                        "\",\"spec\":{\"cluster\":{\"server\":\"https://h\",\"tls-server-name\":"
                        "\"n\",\"certificate-authority-data\":\"Q0E=\",\"config\":{\"a\":1}},"
                        "\"interactive\":false}}");
}

static void id_tokens_say_when_they_end(void **state)
{
    static const char *const bad[] = { "",         "a.b",        "a.b.c.d", "a.!!!!.c",
                                       "a.e30.c.", "a.bnVsbA.c", "a..c" };
    int64_t expires_ns = 0;
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        assert_int_equal(kd_oidc_expiry(bad[i], &expires_ns, &error), KD_ECONFIG);
    }
    /* {"exp":1700000100} and {"exp":1700000100.5} */
    assert_int_equal(kd_oidc_expiry("h.eyJleHAiOjE3MDAwMDAxMDB9.s", &expires_ns, &error), 0);
    assert_int_equal(expires_ns / KD_SEC_NS, 1700000100);
    assert_int_equal(kd_oidc_expiry("h.eyJleHAiOjE3MDAwMDAxMDAuNX0.s", &expires_ns, &error), 0);
    assert_int_equal(expires_ns / KD_SEC_NS, 1700000100);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(all_wait_for_one_answer_b49),
        CASE(it_is_renewed_before_its_end_while_it_is_used_b49),
        CASE(a_401_asks_once_for_all_who_met_it_b49),
        CASE(an_expiry_that_is_past_serves_the_requests_at_hand_b49),
        CASE(a_failure_is_told_and_tried_again_ever_later),
        CASE(a_failed_renewal_leaves_what_still_holds),
        cmocka_unit_test(answers_of_programs_are_read),
        cmocka_unit_test(programs_are_told_about_the_cluster),
        cmocka_unit_test(id_tokens_say_when_they_end),
    };
#undef CASE
    return cmocka_run_group_tests(tests, NULL, NULL);
}
