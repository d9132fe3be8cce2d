#include "ctl/http.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define CONNECT_SECONDS 10L
#define SILENCE_NS (120 * KD_SEC_NS)
#define URL_MAX (256 * KD_KIB)

struct kd_ctl_http {
    const struct kd_ctl_address *address;
    CURL *curl;
    char reason[CURL_ERROR_SIZE];
    struct curl_slist *headers;
    struct kd_buf refusal; /* body of an answer other than 200 */
    const struct kd_ctl_sink *sink;
    struct kd_error *sink_error;
    int sink_code;
    bool endless;
    int64_t heard_ns; /* when the last bytes had been dealt with */
    long status;
};

static size_t on_body(char *ptr, size_t size, size_t n, void *arg)
{
    struct kd_ctl_http *http = arg;
    size_t len = size * n;
    (void)curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &http->status);
    if (http->status != 200) {
        (void)kd_buf_put(&http->refusal, ptr, len); /* what does not fit is not shown */
        return len;
    }
    http->sink_code = http->sink->bytes(http->sink->arg, ptr, len, http->sink_error);
    http->heard_ns = kd_now_ns(&kd_system_clock);
    return http->sink_code < 0 ? CURL_WRITEFUNC_ERROR : len;
}

/* Counts only the time in which we wait: a slow reader of our output is no silence. */
static int on_progress(void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total,
                       curl_off_t up_now)
{
    const struct kd_ctl_http *http = arg;
    (void)total;
    (void)now;
    (void)up_total;
    (void)up_now;
    return !http->endless && kd_now_ns(&kd_system_clock) - http->heard_ns > SILENCE_NS;
}

static void set_options(struct kd_ctl_http *http)
{
    CURL *curl = http->curl;
    /* None of these fails: they are known to every libcurl that we build with, and short. */
    (void)curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->reason);
    (void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    (void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
    (void)curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_USERAGENT, "kindredctl/" KINDRED_VERSION);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
    (void)curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFODATA, http);
}

static void set_access(struct kd_ctl_http *http)
{
    const struct kd_ctl_address *address = http->address;
    if (address->ca) { /* a file that is none shows when it is needed */
        (void)curl_easy_setopt(http->curl, CURLOPT_CAINFO, address->ca);
    }
    if (address->token) {
        KD_AUTO_FREE char *line = kd_asprintf("Authorization: Bearer %s", address->token);
        http->headers = curl_slist_append(NULL, line);
        (void)curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, http->headers);
    }
}

struct kd_ctl_http *kd_ctl_http_new(const struct kd_ctl_address *address)
{
    struct kd_ctl_http *http = kd_zalloc(sizeof(*http));
    http->address = address;
    http->curl = curl_easy_init();
    if (!http->curl) {
        (void)fputs("kindredctl: no memory for libcurl\n", stderr);
        abort();
    }
    kd_buf_init(&http->refusal, KD_MAX_ERROR_BODY);
    set_options(http);
    set_access(http);
    return http;
}

void kd_ctl_http_free(struct kd_ctl_http *http)
{
    if (http) {
        curl_easy_cleanup(http->curl);
        curl_slist_free_all(http->headers);
        kd_buf_release(&http->refusal);
        kd_free(http);
    }
}

long kd_ctl_http_status(const struct kd_ctl_http *http)
{
    return http->status;
}

/* What helps when the server does not know us, or does not let us. */
static const char *hint_of(const struct kd_ctl_http *http)
{
    if (http->status == 401) {
        return http->address->token ? "; the token is not accepted: give a valid one by --token or "
                                      "--token-file"
                                    : "; give a token by --token, --token-file or KINDRED_TOKEN";
    }
    return "";
}

/* {"error": "..."}, or whatever else stands at that address. */
static int explain_refusal(struct kd_ctl_http *http, struct kd_error *reterr)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_value root = { 0 };
    kd_arena_init(&arena, KD_MIB);
    if (kd_json_parse(kd_buf_str(&http->refusal), &root, NULL) == 0) {
        struct kd_str text = kd_json_get_str(root, KD_STR("error"), &arena);
        if (text.len > 0) {
            return kd_fail(reterr, KD_EHTTP, KD_STR_FMT "%s", KD_STR_ARG(text), hint_of(http));
        }
    }
    const char *hint = hint_of(http);
    return kd_fail(reterr, KD_EHTTP, "%s answered with HTTP status %ld%s", http->address->text,
                   http->status, hint[0] ? hint : ": is it kindred's api?");
}

/* NULL: libcurl's own words say it best. */
static const char *remedy_of(CURLcode code, long os_error)
{
    if (code == CURLE_PEER_FAILED_VERIFICATION) {
        return "its certificate is signed by nobody that we trust, or for another host: --ca FILE "
               "names the certificates to trust";
    }
    if (code == CURLE_SSL_CACERT_BADFILE) {
        return "the file of --ca holds no certificate that can be read";
    }
    if (code != CURLE_COULDNT_CONNECT) {
        return NULL;
    }
    switch (os_error) {
    case ENOENT:
        return "there is no such socket: is kindred running, and is this its api.bind?";
    case ECONNREFUSED:
        return "nobody listens there: is kindred running?";
    case EACCES:
        return "permission denied: the socket is for its owner and group";
    default:
        return NULL;
    }
}

static int explain_failure(struct kd_ctl_http *http, CURLcode code, struct kd_error *reterr)
{
    const char *where = http->address->text;
    const char *reason = http->reason[0] ? http->reason : curl_easy_strerror(code);
    long os_error = 0;
    if (code == CURLE_ABORTED_BY_CALLBACK) {
        return kd_fail(reterr, KD_ETIMEOUT, "%s: no answer for %d s", where,
                       (int)(SILENCE_NS / KD_SEC_NS));
    }
    if (http->status != 0) {
        return kd_fail(reterr, KD_ENET, "%s: the answer was cut off: %s", where, reason);
    }
    (void)curl_easy_getinfo(http->curl, CURLINFO_OS_ERRNO, &os_error);
    const char *remedy = remedy_of(code, os_error);
    return kd_fail(reterr, KD_ENET,
                   "cannot reach %s: %s (--server or KINDRED_SERVER names another)", where,
                   remedy ? remedy : reason);
}

static int set_target(struct kd_ctl_http *http, const char *target, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf url;
    kd_buf_init(&url, URL_MAX);
    (void)kd_buf_put_str(&url, http->address->base);
    (void)kd_buf_puts(&url, target); /* looked at below */
    if (kd_buf_failed(&url)) {
        return kd_fail(reterr, KD_ETOOBIG, "the question is too long");
    }
    CURLcode code = curl_easy_setopt(http->curl, CURLOPT_URL, url.ptr);
    if (code == CURLE_OK) {
        code = curl_easy_setopt(http->curl, CURLOPT_UNIX_SOCKET_PATH, http->address->socket);
    }
    return code == CURLE_OK ? 0 : kd_fail(reterr, KD_ENOMEM, "%s", curl_easy_strerror(code));
}

int kd_ctl_http_get(struct kd_ctl_http *http, const char *target, bool endless,
                    const struct kd_ctl_sink *sink, struct kd_error *reterr)
{
    KD_TRY(set_target(http, target, reterr));
    http->sink = sink;
    http->sink_error = reterr;
    http->sink_code = 0;
    http->status = 0;
    http->endless = endless;
    http->heard_ns = kd_now_ns(&kd_system_clock);
    http->reason[0] = '\0';
    kd_buf_clear(&http->refusal, KD_MAX_ERROR_BODY);
    CURLcode code = curl_easy_perform(http->curl);
    if (http->sink_code < 0) {
        return http->sink_code;
    }
    if (code != CURLE_OK) {
        return explain_failure(http, code, reterr);
    }
    (void)curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &http->status);
    return http->status == 200 ? 0 : explain_refusal(http, reterr);
}
