#include "ctl/http.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
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
    return http;
}

static int send_token(struct kd_ctl_http *http, const char *path, struct kd_error *reterr)
{
    struct kd_buf text;
    kd_buf_init(&text, KD_MAX_TOKEN);
    int rc = kd_file_read(path, &text, reterr);
    struct kd_str token = kd_str_trim(kd_buf_str(&text));
    if (rc == 0 && !http->address->confides) {
        rc = kd_fail(reterr, KD_ECONFIG, "%s: a token is sent by https:// or to this machine only",
                     http->address->text);
    } else if (rc == 0) {
        KD_AUTO_FREE char *copy = kd_str_dup(token);
        (void)curl_easy_setopt(http->curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        (void)curl_easy_setopt(http->curl, CURLOPT_XOAUTH2_BEARER, copy); /* copied once more */
    }
    kd_free_secret(kd_steal(text.ptr), text.cap);
    return rc;
}

int kd_ctl_http_identify(struct kd_ctl_http *http, const char *ca, const char *token,
                         struct kd_error *reterr)
{
    if (ca) {
        (void)curl_easy_setopt(http->curl, CURLOPT_CAINFO, ca); /* its faults show as one of TLS */
        (void)curl_easy_setopt(http->curl, CURLOPT_CAPATH, NULL);
    }
    return token ? send_token(http, token, reterr) : 0;
}

void kd_ctl_http_free(struct kd_ctl_http *http)
{
    if (http) {
        curl_easy_cleanup(http->curl);
        kd_buf_release(&http->refusal);
        kd_free(http);
    }
}

long kd_ctl_http_status(const struct kd_ctl_http *http)
{
    return http->status;
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
            return kd_fail(reterr, KD_EHTTP, KD_STR_FMT, KD_STR_ARG(text));
        }
    }
    return kd_fail(reterr, KD_EHTTP, "%s answered with HTTP status %ld: is it kindred's api?",
                   http->address->text, http->status);
}

static const char *remedy_of(long os_error)
{
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
    const char *remedy = code == CURLE_COULDNT_CONNECT ? remedy_of(os_error) : NULL;
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
