/* A call's curl handle: URL, headers, credentials, TLS, socket options. */
#include "client/internal.h"

#include "base/alloc.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#define CONNECT_TIMEOUT_MS 30000L
#define USER_TIMEOUT_MS 30000 /* unacknowledged for so long: the connection is dead */
#define KEEP_IDLE_S 20
#define KEEP_INTERVAL_S 10       /* with the above: a dead peer is noticed after 30 s of silence */
#define LIST_CHUNK (128L * 1024) /* a list in larger pieces; watches keep curl's small buffer */

/* Collects the first failure of many options. They fail only without memory. */
struct setup {
    CURL *easy;
    CURLcode rc;
};

static void set_long(struct setup *setup, CURLoption option, long value)
{
    if (setup->rc == CURLE_OK) {
        setup->rc = curl_easy_setopt(setup->easy, option, value);
    }
}

static void set_ptr(struct setup *setup, CURLoption option, const void *value)
{
    if (setup->rc == CURLE_OK) {
        setup->rc = curl_easy_setopt(setup->easy, option, value);
    }
}

static void set_pem(struct setup *setup, CURLoption option, char *pem)
{
    struct curl_blob blob = { .data = pem, .len = strlen(pem), .flags = CURL_BLOB_NOCOPY };
    set_ptr(setup, option, &blob);
}

/* A socket without these still works, so a refusal is passed over. */
static int on_socket(void *arg, curl_socket_t fd, curlsocktype purpose)
{
    static const struct {
        int level;
        int name;
        int value;
    } rows[] = { { SOL_SOCKET, SO_KEEPALIVE, 1 },
                 { IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S },
                 { IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL_S },
                 { IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS } };
    (void)arg;
    for (size_t i = 0; purpose == CURLSOCKTYPE_IPCXN && i < KD_ARRAY_LEN(rows); i++) {
        (void)setsockopt(fd, rows[i].level, rows[i].name, &rows[i].value, sizeof(rows[i].value));
    }
    return CURL_SOCKOPT_OK;
}

static void set_tls(struct setup *setup, const struct kd_cluster *cluster,
                    const struct kd_material *material)
{
    set_long(setup, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    set_long(setup, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    set_long(setup, CURLOPT_PIPEWAIT, 1);
    if (cluster->insecure) {
        set_long(setup, CURLOPT_SSL_VERIFYPEER, 0);
        set_long(setup, CURLOPT_SSL_VERIFYHOST, 0);
    }
    if (material->ca_pem) { /* this CA and no other: the system's are put aside */
        set_ptr(setup, CURLOPT_CAINFO, NULL);
        set_ptr(setup, CURLOPT_CAPATH, NULL);
        set_pem(setup, CURLOPT_CAINFO_BLOB, material->ca_pem);
    }
    if (material->cert_pem && material->key_pem) {
        set_ptr(setup, CURLOPT_SSLCERTTYPE, "PEM");
        set_ptr(setup, CURLOPT_SSLKEYTYPE, "PEM");
        set_pem(setup, CURLOPT_SSLCERT_BLOB, material->cert_pem);
        set_pem(setup, CURLOPT_SSLKEY_BLOB, material->key_pem);
    }
}

/* The environment's proxies are in cluster->proxy already. A proxy that is spoken to over TLS is
 * trusted as the server is. */
static void set_proxy(struct setup *setup, const struct kd_client *client,
                      const struct kd_material *material)
{
    set_ptr(setup, CURLOPT_PROXY, client->proxy);
    set_ptr(setup, CURLOPT_NOPROXY, "");
    if (!client->proxy[0]) {
        return;
    }
    set_long(setup, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1); /* they are no answer */
    set_long(setup, CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    if (client->cluster->insecure) {
        set_long(setup, CURLOPT_PROXY_SSL_VERIFYPEER, 0);
        set_long(setup, CURLOPT_PROXY_SSL_VERIFYHOST, 0);
    }
    if (material->ca_pem) {
        set_ptr(setup, CURLOPT_PROXY_CAINFO, NULL);
        set_ptr(setup, CURLOPT_PROXY_CAPATH, NULL);
        set_pem(setup, CURLOPT_PROXY_CAINFO_BLOB, material->ca_pem);
    }
}

/* Watches ask for identity by name: a compressed stream comes in parts that do not decode (B18). */
static void set_credentials(struct kd_call *call, struct setup *setup)
{
    const struct kd_client *client = call->client;
    if (kd_call_is_list(call) && client->settings->compress_lists &&
        !client->cluster->disable_compression) {
        set_ptr(setup, CURLOPT_ACCEPT_ENCODING, "gzip");
    }
    if (call->connect_to) {
        set_ptr(setup, CURLOPT_CONNECT_TO, call->connect_to);
    }
    if (kd_credentials_basic(&client->identity.credentials)) {
        set_long(setup, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        set_ptr(setup, CURLOPT_USERNAME, client->cluster->username);
        set_ptr(setup, CURLOPT_PASSWORD,
                client->cluster->password ? client->cluster->password : "");
    }
    set_ptr(setup, CURLOPT_HTTPHEADER, call->headers);
}

static void set_method(struct setup *setup, const struct kd_call *call)
{
    if (call->body_len > 0) {
        set_ptr(setup, CURLOPT_POSTFIELDS, call->body);
        if (setup->rc == CURLE_OK) {
            setup->rc = curl_easy_setopt(setup->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                         (curl_off_t)call->body_len);
        }
    }
    if (call->body_len > 0 || strcmp(call->method, "GET") != 0) {
        set_ptr(setup, CURLOPT_CUSTOMREQUEST, call->method);
    }
}

static void set_callbacks(struct setup *setup, struct kd_call *call)
{
    kd_lane_hook(call, setup->easy);
    /* A function cannot go through a void pointer; setting one does not fail. */
    (void)curl_easy_setopt(setup->easy, CURLOPT_HEADERFUNCTION, kd_answer_header);
    (void)curl_easy_setopt(setup->easy, CURLOPT_WRITEFUNCTION, kd_answer_body);
    (void)curl_easy_setopt(setup->easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
    set_ptr(setup, CURLOPT_HEADERDATA, call);
    set_ptr(setup, CURLOPT_WRITEDATA, call);
    set_ptr(setup, CURLOPT_PRIVATE, call);
    set_ptr(setup, CURLOPT_ERRORBUFFER, call->error_text);
}

static void set_basics(struct setup *setup, const struct kd_call *call, const char *url)
{
    const struct kd_client *client = call->client;
    set_ptr(setup, CURLOPT_URL, url);
    set_ptr(setup, CURLOPT_PROTOCOLS_STR, "http,https");
    set_long(setup, CURLOPT_PATH_AS_IS, 1);
    set_proxy(setup, client, call->material);
    set_ptr(setup, CURLOPT_USERAGENT, client->user_agent);
    set_long(setup, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
    set_long(setup, CURLOPT_NOSIGNAL, 1);
    set_long(setup, CURLOPT_QUICK_EXIT, 1); /* a cancel must not wait for a name's resolution */
    if (kd_call_is_list(call)) {
        set_long(setup, CURLOPT_BUFFERSIZE, LIST_CHUNK);
    }
    if (client->target.tls) {
        set_tls(setup, client->cluster, call->material);
        if (!client->cluster->insecure) {
            (void)curl_easy_setopt(setup->easy, CURLOPT_SSL_CTX_FUNCTION, kd_tls_fault_hook);
            set_ptr(setup, CURLOPT_SSL_CTX_DATA, &client->tls_fault);
        }
    } else {
        set_long(setup, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    }
}

int kd_call_prepare(struct kd_call *call, struct kd_error *reterr)
{
    struct setup setup = { .easy = curl_easy_init() };
    KD_ENSURE(setup.easy, KD_ENOMEM);
    KD_AUTO_FREE char *url = kd_asprintf("%s%s", call->client->target.base_url, call->path);
    call->error_text[0] = '\0';
    call->connected = false;
    call->http_code = 0;
    call->received = 0;
    call->abort_code = 0;
    kd_buf_clear(&call->error_body, 0);
    call->material = kd_material_ref(call->client->identity.material);
    set_basics(&setup, call, url);
    set_callbacks(&setup, call);
    set_method(&setup, call);
    int rc = kd_call_headers(call, reterr);
    if (rc == 0) {
        set_credentials(call, &setup);
    }
    if (rc == 0 && setup.rc != CURLE_OK) {
        rc = kd_fail(reterr, setup.rc == CURLE_OUT_OF_MEMORY ? KD_ENOMEM : KD_ECONFIG, "%s",
                     curl_easy_strerror(setup.rc));
    }
    if (rc < 0) {
        curl_easy_cleanup(setup.easy);
        return rc;
    }
    call->easy = setup.easy;
    return 0;
}
