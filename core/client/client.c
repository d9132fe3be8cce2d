#include "client/internal.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "client/wiping.h"
#include "config/pem.h"

#include <pthread.h>
#include <string.h>
#include <sys/utsname.h>

/* The election asks once in a while; a fault of its must not become a flood. */
#define LEASE_QPS 5.0
#define LEASE_BURST 10

static void init_curl(void)
{
    KD_ASSERT(kd_curl_init() == 0);
}

/* As the API server's own clients say it: program/version (os/arch). */
static char *default_user_agent(void)
{
    struct utsname names;
    const char *arch = "unknown";
    if (uname(&names) == 0) {
        arch = strcmp(names.machine, "x86_64") == 0    ? "amd64"
               : strcmp(names.machine, "aarch64") == 0 ? "arm64"
                                                       : names.machine;
    }
    return kd_asprintf("kindred/%s (linux/%s)", KINDRED_VERSION, arch);
}

static int set_user_agent(struct kd_client *client, struct kd_error *reterr)
{
    const char *wanted = client->settings->user_agent;
    if (!wanted || !wanted[0]) {
        client->user_agent = default_user_agent();
        return 0;
    }
    for (const char *c = wanted; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            return kd_fail(reterr, KD_ECONFIG,
                           "user_agent holds a line break or control character");
        }
    }
    client->user_agent = kd_strdup(wanted);
    return 0;
}

static void enter_curl(void *arg)
{
    struct kd_client *client = arg;
    KD_ASSERT(!client->in_curl);
    client->in_curl = true;
}

static void leave_curl(void *arg)
{
    struct kd_client *client = arg;
    client->in_curl = false;
    if (!client->has_canceled) {
        return;
    }
    client->has_canceled = false;
    struct kd_call *next;
    for (struct kd_call *call = TAILQ_FIRST(&client->all); call; call = next) {
        next = TAILQ_NEXT(call, all);
        if (call->canceled) {
            kd_call_free(call);
        }
    }
}

static void transfer_ended(void *arg, CURL *easy, CURLcode result)
{
    struct kd_call *call = NULL;
    (void)arg;
    KD_ASSERT(curl_easy_getinfo(easy, CURLINFO_PRIVATE, &call) == CURLE_OK);
    kd_call_finish(call, result);
}

static const struct kd_multi_sink pool_sink = { enter_curl, leave_curl, transfer_ended };

static void warn_of_withheld(const struct kd_client *client)
{
    const struct kd_cluster *cluster = client->cluster;
    if (!client->target.tls && (cluster->token || cluster->token_file || cluster->username ||
                                cluster->exec || cluster->oidc)) {
        KD_WARN("credentials are withheld: the server is not https",
                KD_F("server", client->cluster->server));
    }
}

static void on_ready(void *arg)
{
    struct kd_client *client = arg;
    kd_timer_start(&client->pump, 0);
}

static void on_new_client(void *arg)
{
    struct kd_client *client = arg;
    KD_INFO("new client certificate, connections are made anew",
            KD_F("server", client->target.authority));
    kd_lane_drop(&client->watches);
    kd_lane_drop(&client->others);
    kd_lane_drop(&client->leases);
}

static const struct kd_identity_sink identity_sink = { on_ready, on_new_client };

/* A SOCKS5 proxy resolves the server's name, which may mean nothing here. */
static char *curl_proxy(const char *url)
{
    static const struct kd_str socks5 = KD_STR_INIT("socks5://");
    return !url                                      ? kd_strdup("")
           : kd_str_starts(kd_str_from(url), socks5) ? kd_asprintf("socks5h://%s", url + socks5.len)
                                                     : kd_strdup(url);
}

static int init_parts(struct kd_client *client, struct kd_error *reterr)
{
    const struct kd_cluster *cluster = client->cluster;
    KD_TRY(kd_target_init(&client->target, cluster->server, cluster->tls_server_name, reterr));
    KD_TRY(set_user_agent(client, reterr));
    client->proxy = curl_proxy(cluster->proxy);
    if (kd_lane_init(&client->watches, client, &pool_sink) < 0 ||
        kd_lane_init(&client->others, client, &pool_sink) < 0 ||
        kd_lane_init(&client->leases, client, &pool_sink) < 0) {
        return kd_fail(reterr, KD_ENOMEM, "no memory for the connection pool");
    }
    return kd_identity_init(&client->identity, client->loop, client->clock, cluster,
                            client->target.tls, client->settings->exec_timeout_ns, &client->stats,
                            &identity_sink, client, reterr);
}

static void init_paces(struct kd_client *client)
{
    int64_t now_ns = kd_client_now(client);
    TAILQ_INIT(&client->pace.limited);
    TAILQ_INIT(&client->lease_pace.limited);
    kd_limiter_init(&client->pace.limiter, client->settings->qps, client->settings->burst, now_ns);
    kd_limiter_init(&client->lease_pace.limiter, LEASE_QPS, LEASE_BURST, now_ns);
}

int kd_client_new(struct kd_loop *loop, const struct kd_cluster *cluster,
                  const struct kd_cluster_settings *settings, struct kd_metrics *metrics,
                  struct kd_client **ret, struct kd_error *reterr)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, init_curl);
    struct kd_client *client = kd_zalloc(sizeof(*client));
    client->magic = KD_CLIENT_MAGIC;
    client->loop = loop;
    client->clock = &kd_system_clock;
    client->cluster = cluster;
    client->settings = settings;
    TAILQ_INIT(&client->all);
    init_paces(client);
    kd_timer_init(&client->pump, loop, kd_client_pump, client);
    kd_stats_init(&client->stats, metrics);
    int rc = init_parts(client, reterr);
    if (rc < 0) {
        kd_client_free(client);
        return rc;
    }
    warn_of_withheld(client);
    *ret = client;
    return 0;
}

void kd_client_free(struct kd_client *client)
{
    if (!client) {
        return;
    }
    KD_CHECK(client, KD_CLIENT_MAGIC);
    KD_ASSERT(!client->in_curl && client->in_sink == 0);
    while (!TAILQ_EMPTY(&client->all)) {
        kd_call_free(TAILQ_FIRST(&client->all));
    }
    kd_lane_release(&client->watches);
    kd_lane_release(&client->others);
    kd_lane_release(&client->leases);
    kd_timer_release(&client->pump);
    kd_identity_release(&client->identity);
    kd_target_release(&client->target);
    kd_free(client->user_agent);
    kd_secret_free(client->proxy);
    memset(client, 0, sizeof(*client));
    kd_free(client);
}

static char *dup_or_null(const char *text)
{
    return text ? kd_strdup(text) : NULL;
}

struct kd_call *kd_client_start(struct kd_client *client, const struct kd_request *request)
{
    KD_CHECK(client, KD_CLIENT_MAGIC);
    struct kd_call *call = kd_zalloc(sizeof(*call));
    call->magic = KD_CALL_MAGIC;
    call->client = client;
    call->method = kd_strdup(request->method);
    call->path = kd_strdup(request->path);
    call->accept = kd_strdup(request->accept ? request->accept : "application/json");
    call->content_type = dup_or_null(request->content_type);
    call->verb = kd_strdup(request->verb ? request->verb : request->method);
    call->url_template = kd_strdup(request->url_template ? request->url_template : "");
    call->body = kd_str_dup(request->body);
    call->body_len = request->body.len;
    call->flags = request->flags;
    call->timeout_ns = request->timeout_ns;
    if (call->timeout_ns == 0 && !kd_call_is_watch(call)) {
        call->timeout_ns = client->settings->request_timeout_ns;
    }
    call->sink = request->sink;
    call->arg = request->arg;
    kd_buf_init(&call->error_body, KD_MAX_ERROR_BODY);
    kd_timer_init(&call->deadline, client->loop, kd_call_deadline, call);
    kd_timer_init(&call->delay, client->loop, NULL, call);
    TAILQ_INSERT_TAIL(&client->all, call, all);
    if (kd_call_is_lease(call)) {
        kd_timer_start(&call->deadline, call->timeout_ns);
    }
    kd_call_enqueue(call);
    return call;
}

void kd_call_cancel(struct kd_call *call)
{
    if (!call || call->state == KD_CALL_ENDED) {
        return; /* ENDED: from its own done, after which it goes anyway */
    }
    KD_CHECK(call, KD_CALL_MAGIC);
    if (call->state == KD_CALL_RUNNING && call->client->in_curl) {
        call->canceled = true;
        call->client->has_canceled = true;
        return;
    }
    kd_call_free(call);
}

void kd_call_abandon(struct kd_call *call)
{
    if (call && call->state == KD_CALL_RUNNING) {
        kd_lane_give_up_silent(call);
    }
    kd_call_cancel(call);
}

void kd_call_free(struct kd_call *call)
{
    struct kd_client *client = call->client;
    kd_call_detach(call);
    TAILQ_REMOVE(&client->all, call, all);
    kd_timer_release(&call->deadline);
    kd_timer_release(&call->delay);
    kd_buf_release(&call->error_body);
    kd_free(call->method);
    kd_free(call->path);
    kd_free(call->accept);
    kd_free(call->content_type);
    kd_free(call->verb);
    kd_free(call->url_template);
    kd_free(call->body);
    memset(call, 0, sizeof(*call));
    kd_free(call);
}

struct kd_stat_labels kd_call_labels(const struct kd_call *call)
{
    return (struct kd_stat_labels){ .method = call->method,
                                    .verb = call->verb,
                                    .host = call->client->target.authority,
                                    .url = call->url_template };
}
