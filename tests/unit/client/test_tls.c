/* TLS: who is trusted, under which name, and what is sent to whom. */
#include "fixture.h"

static const char script[] = "{'routes':["
                             "{'path':'/ok','answers':[{'text':'fine'}]},"
                             "{'path':'/who','answers':[{'gate':'who','status_object':{'code':401,"
                             "'reason':'Unauthorized'}},{'text':'fine'}]}]}";

/* The server's certificate is for 127.0.0.1 and kubernetes.default.svc, not for 127.0.0.2. */
#define OTHER_HOST "127.0.0.2"
#define SERVER_NAME "kubernetes.default.svc"

static struct wire wire;
static struct wire other;  /* on OTHER_HOST, asks for a client certificate */
static struct fixture fix; /* to `wire`, with its CA */
static struct result result;

static int group_setup(void **state)
{
    (void)state;
    wire_start(&wire, script, (struct wire_options){ .tls = true });
    wire_start(&other, script,
               (struct wire_options){ .tls = true, .client_cert = true, .host = OTHER_HOST });
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    wire_stop(&wire);
    wire_stop(&other);
    return 0;
}

static int setup(void **state)
{
    (void)state;
    fixture_init(&fix, "https", "127.0.0.1", wire.port);
    fix.cluster.ca_pem = wire_file(&wire, "ca.crt");
    result_init(&result);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    struct kd_cluster *cluster = &fix.cluster;
    char *const owned[] = { cluster->ca_pem, cluster->tls_server_name, cluster->client_cert_pem,
                            cluster->client_key_pem };
    result_release(&result);
    fixture_close(&fix);
    for (size_t i = 0; i < KD_ARRAY_LEN(owned); i++) {
        kd_free(owned[i]);
    }
    return 0;
}

static void get(const char *path)
{
    result_release(&result);
    fetch(&fix, path, KD_REQUEST_LIST, &result);
}

/* How many requests to `path` the server has seen: tests of this file share it. */
static size_t count(const struct wire *server, const char *path)
{
    size_t n = 0;
    while (wire_saw(server, path, n)) {
        n++;
    }
    return n;
}

static void own_ca_is_trusted(void **state)
{
    (void)state;
    fixture_open(&fix);
    get("/ok");
    assert_string_equal(result.response.text, "");
    assert_string_equal(result.data.ptr, "fine");
}

static void other_ca_is_not(void **state)
{
    (void)state;
    size_t before = count(&wire, "/ok");
    kd_free(fix.cluster.ca_pem);
    fix.cluster.ca_pem = wire_file(&other, "ca.crt");
    fixture_open(&fix);
    get("/ok");
    assert_int_equal(result.response.error, KD_ENET);
    assert_contains(result.response.text, "127.0.0.1");
    assert_contains(result.response.text,
                    "certificate of CN = wire-server, issued by CN = wire-ca");
    assert_contains(result.response.text, "unable to get local issuer certificate");
    assert_int_equal(count(&wire, "/ok"), before);
}

static void without_a_ca_the_systems_counts(void **state)
{
    (void)state;
    fix.cluster.ca_pem = kd_free(fix.cluster.ca_pem);
    fixture_open(&fix);
    get("/ok");
    assert_int_equal(result.response.error, KD_ENET);
    assert_contains(result.response.text, "certificate");
}

static void bad_ca_is_an_error_by_name(void **state)
{
    (void)state;
    kd_free(fix.cluster.ca_pem);
    struct kd_error error = { 0 };
    fix.cluster.ca_pem = kd_strdup("no certificate");
    assert_int_equal(
        kd_client_new(fix.loop, &fix.cluster, &fix.settings, fix.metrics, &fix.client, &error),
        KD_ECONFIG);
    assert_string_equal(error.text, "certificate-authority-data: no readable certificate");
}

static void insecure_checks_nothing(void **state)
{
    (void)state;
    fix.cluster.ca_pem = kd_free(fix.cluster.ca_pem);
    fix.cluster.insecure = true;
    fixture_open(&fix);
    get("/ok");
    assert_int_equal(result.response.error, 0);
}

static void to_other(void)
{
    kd_free(fix.cluster.server);
    kd_free(fix.cluster.ca_pem);
    fix.cluster.server = kd_asprintf("https://" OTHER_HOST ":%d", other.port);
    fix.cluster.ca_pem = wire_file(&other, "ca.crt");
    fix.cluster.client_cert_pem = wire_file(&other, "client.crt");
    fix.cluster.client_key_pem = wire_file(&other, "client.key");
}

static void wrong_name_is_refused_b55(void **state)
{
    (void)state;
    to_other();
    fixture_open(&fix);
    get("/ok");
    assert_int_equal(result.response.error, KD_ENET);
    assert_contains(result.response.text, OTHER_HOST);
}

static void wrong_server_name_is_refused_b55(void **state)
{
    (void)state;
    fix.cluster.tls_server_name = kd_strdup("someone.else");
    fixture_open(&fix);
    get("/ok");
    assert_int_equal(result.response.error, KD_ENET);
    assert_contains(result.response.text, "someone.else");
}

static void tls_server_name_b55(void **state)
{
    (void)state;
    to_other();
    fix.cluster.tls_server_name = kd_strdup(SERVER_NAME);
    fixture_open(&fix);
    get("/ok");
    assert_string_equal(result.response.text, "");
    KD_AUTO_FREE char *authority = kd_asprintf(OTHER_HOST ":%d", other.port);
    assert_header(&other, "/ok", count(&other, "/ok") - 1, "host", authority);
}

static void client_certificate_is_shown(void **state)
{
    (void)state;
    to_other();
    fix.cluster.tls_server_name = kd_strdup(SERVER_NAME);
    char *key = kd_steal(fix.cluster.client_key_pem);
    fixture_open(&fix); /* without its key the certificate is of no use */
    get("/ok");
    assert_int_equal(result.response.error, KD_ENET);
    kd_client_free(fix.client);
    fix.cluster.client_key_pem = key;
    fixture_open(&fix);
    get("/ok");
    assert_int_equal(result.response.error, 0);
}

static void token_goes_over_tls(void **state)
{
    char token[] = "tok-A";
    (void)state;
    fix.cluster.token = token;
    fixture_open(&fix);
    get("/ok");
    assert_header(&wire, "/ok", count(&wire, "/ok") - 1, "authorization", "Bearer tok-A");
}

static void user_and_password_go_over_tls(void **state)
{
    char name[] = "me";
    char password[] = "a:b";
    (void)state;
    fix.cluster.username = name;
    fix.cluster.password = password;
    fixture_open(&fix);
    get("/ok");
    assert_header(&wire, "/ok", count(&wire, "/ok") - 1, "authorization", "Basic bWU6YTpi");
}

static void refused_token_file_sends_nothing_b46(void **state)
{
    (void)state;
    KD_AUTO_FREE char *path = wire_path(&wire, "token");
    size_t before = count(&wire, "/ok");
    write_file(path, "tok\nX-Evil: 1");
    fix.cluster.token_file = path;
    fixture_open(&fix);
    get("/ok");
    assert_int_equal(result.response.error, KD_ECONFIG);
    assert_contains(result.response.text, "line break");
    assert_null(strstr(result.response.text, "Evil"));
    assert_int_equal(count(&wire, "/ok"), before);
    write_file(path, "tok-A\n");
    get("/ok");
    assert_header(&wire, "/ok", before, "authorization", "Bearer tok-A");
}

static void rotated_token_is_used_after_401(void **state)
{
    (void)state;
    KD_AUTO_FREE char *path = wire_path(&wire, "token");
    write_file(path, "first");
    fix.cluster.token_file = path;
    fixture_open(&fix);
    result_release(&result);
    result_init(&result);
    (void)start(&fix, "/who", KD_REQUEST_LIST, &result);
    AWAIT(&fix, wire_saw(&wire, "/who", 0));
    write_file(path, "second");
    open_gate(&fix, "who");
    AWAIT(&fix, result.done); /* the very request that met the 401 */
    assert_int_equal(result.response.error, 0);
    assert_header(&wire, "/who", 0, "authorization", "Bearer first");
    assert_header(&wire, "/who", 1, "authorization", "Bearer second");
}

static void plain_http_withholds_credentials(void **state)
{
    struct wire plain;
    char token[] = "tok-A";
    char name[] = "me";
    (void)state;
    wire_start(&plain, script, (struct wire_options){ 0 });
    kd_free(fix.cluster.server);
    fix.cluster.server = kd_asprintf("http://127.0.0.1:%d", plain.port);
    fix.cluster.token = token;
    kd_log_set_level(KD_LOG_ERROR);
    fixture_open(&fix);
    get("/ok");
    assert_header(&plain, "/ok", 0, "authorization", NULL);
    fix.cluster.token = NULL;
    fix.cluster.username = name;
    get("/ok");
    assert_header(&plain, "/ok", 1, "authorization", NULL);
    wire_stop(&plain);
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(own_ca_is_trusted),
        CASE(other_ca_is_not),
        CASE(without_a_ca_the_systems_counts),
        CASE(bad_ca_is_an_error_by_name),
        CASE(insecure_checks_nothing),
        CASE(wrong_name_is_refused_b55),
        CASE(wrong_server_name_is_refused_b55),
        CASE(tls_server_name_b55),
        CASE(client_certificate_is_shown),
        CASE(token_goes_over_tls),
        CASE(user_and_password_go_over_tls),
        CASE(refused_token_file_sends_nothing_b46),
        CASE(rotated_token_is_used_after_401),
        CASE(plain_http_withholds_credentials),
    };
#undef CASE
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
