/* How a try ends: metrics, the retry, and the sink's word. */
#include "client/internal.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_RETRIES 10
#define LOST_DELAY_NS KD_SEC_NS

static bool streams(const struct kd_call *call)
{
    return kd_call_is_watch(call) || kd_call_is_list(call);
}

static int error_of(CURLcode result)
{
    return result == CURLE_OK                   ? 0
           : result == CURLE_OPERATION_TIMEDOUT ? KD_ETIMEOUT
           : result == CURLE_OUT_OF_MEMORY      ? KD_ENOMEM
                                                : KD_ENET;
}

static bool was_lost(CURLcode result)
{
    return result == CURLE_RECV_ERROR || result == CURLE_SEND_ERROR ||
           result == CURLE_GOT_NOTHING || result == CURLE_PARTIAL_FILE || result == CURLE_HTTP2 ||
           result == CURLE_HTTP2_STREAM;
}

/* Others wait for the connection that this one could not make. A bad URL is its own fault. */
static bool was_unreachable(const struct kd_call *call, CURLcode result)
{
    return result != CURLE_OK && result != CURLE_URL_MALFORMAT && !call->connected &&
           kd_call_lane(call)->opener == call;
}

/* "GET /api/v1/pods at host:6443: why", without the query. */
static void say(const struct kd_call *call, const char *why, struct kd_response *response)
{
    KD_AUTO_FREE char *line =
        kd_asprintf("%s %.*s at %s: %s", call->method, (int)strcspn(call->path, "?"), call->path,
                    call->client->target.authority, why);
    kd_one_line(kd_str_from(line), response->text, sizeof(response->text));
}

static void read_error_answer(struct kd_call *call, struct kd_response *response)
{
    struct kd_status *status = &response->status;
    curl_off_t seconds = 0;
    kd_status_read(kd_buf_str(&call->error_body), call->http_code, status);
    if (curl_easy_getinfo(call->easy, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK && seconds > 0) {
        status->retry_after_ns = kd_retry_after_ns(seconds);
    }
    response->error = KD_EHTTP;
    if (call->abort_code == KD_ETOOBIG) { /* what was kept of it is no Status and says little */
        (void)snprintf(status->message, sizeof(status->message),
                       "an error body of more than %llu bytes is over the limit",
                       (unsigned long long)KD_MAX_ERROR_BODY);
    }
    KD_AUTO_FREE char *why =
        kd_asprintf("%d %s%s%s", call->http_code, kd_reason_name(status->reason),
                    status->message[0] ? ": " : "", status->message);
    say(call, why, response);
}

static char *failure_text(const struct kd_call *call, CURLcode result)
{
    if (call->abort_code == KD_ETOOBIG && !streams(call) &&
        call->received > (uint64_t)call->client->settings->max_body_bytes) {
        return kd_asprintf("the answer is larger than max_body_bytes (%" PRId64 ")",
                           call->client->settings->max_body_bytes);
    }
    if (call->abort_code < 0) {
        return kd_asprintf("reading was given up: %s", kd_errno_text(call->abort_code));
    }
    const char *text = call->error_text[0] ? call->error_text : curl_easy_strerror(result);
    return kd_tls_fault_text(&call->client->tls_fault, result, text);
}

static void read_failure(struct kd_call *call, CURLcode result, struct kd_response *response)
{
    KD_AUTO_FREE char *why = failure_text(call, result);
    response->error = call->abort_code < 0 ? call->abort_code : error_of(result);
    say(call, why, response);
}

/* The time is there for the transfer that made its connection. */
static void note_lookup(const struct kd_call *call)
{
    long connects = 0;
    curl_off_t took_us = 0;
    if (curl_easy_getinfo(call->easy, CURLINFO_NUM_CONNECTS, &connects) == CURLE_OK &&
        connects > 0 &&
        curl_easy_getinfo(call->easy, CURLINFO_NAMELOOKUP_TIME_T, &took_us) == CURLE_OK) {
        kd_stats_resolved(&call->client->stats, call->client->target.authority,
                          (double)took_us / 1e6);
    }
}

static void note_exchange(const struct kd_call *call)
{
    if (!call->easy) {
        return; /* nothing was sent */
    }
    const struct kd_client *client = call->client;
    struct kd_stat_labels labels = kd_call_labels(call);
    int64_t took_ns = kd_client_now(client) - call->sent_ns;
    double seconds = kd_call_is_watch(call) ? -1 : (double)took_ns / (double)KD_SEC_NS;
    kd_stats_exchange(&client->stats, &labels, call->http_code, seconds, call->body_len,
                      call->received);
    KD_DEBUG("request", KD_F("method", call->method), KD_F("path", call->path),
             KD_FU("code", call->http_code), KD_FU("ms", took_ns / KD_MS_NS),
             KD_FU("bytes", call->received));
    note_lookup(call);
}

/* How long to wait before this GET is sent again, or -1. Lists and watches have a back-off of
 * their own, and what a sink has begun to read cannot be taken back. */
static int64_t retry_delay(const struct kd_call *call, CURLcode result,
                           const struct kd_response *response)
{
    int64_t delay_ns = -1;
    if (streams(call) || kd_call_is_lease(call) || strcmp(call->method, "GET") != 0 ||
        call->retries >= MAX_RETRIES) {
        return -1;
    }
    if (call->http_code == 0 && was_lost(result)) {
        delay_ns = LOST_DELAY_NS;
    } else if ((call->http_code == 429 || call->http_code >= 500) &&
               response->status.retry_after_ns > 0) {
        delay_ns = response->status.retry_after_ns;
    }
    int64_t spent_ns = kd_client_now(call->client) - call->first_sent_ns;
    bool too_late = call->timeout_ns > 0 && delay_ns >= call->timeout_ns - spent_ns;
    return too_late ? -1 : delay_ns;
}

static void tell(struct kd_call *call, const struct kd_response *response)
{
    struct kd_client *client = call->client;
    client->in_sink++;
    call->sink->done(call->arg, response);
    client->in_sink--;
    kd_call_free(call);
}

void kd_call_finish(struct kd_call *call, CURLcode result)
{
    struct kd_client *client = call->client;
    struct kd_response response = { .http_code = call->http_code };
    if (call->http_code != 0 && !kd_is_success(call->http_code)) {
        read_error_answer(call, &response);
    } else if (result != CURLE_OK) {
        read_failure(call, result, &response);
    }
    note_exchange(call);
    bool again = call->http_code == 401 && kd_identity_rejected(&client->identity, call->sent_ns) &&
                 !call->reauthed;
    if (was_unreachable(call, result)) {
        KD_AUTO_FREE char *why = failure_text(call, result);
        kd_lane_refuse(kd_call_lane(call), error_of(result), why);
    }
    kd_call_detach(call);
    int64_t delay_ns = again ? 0 : response.error ? retry_delay(call, result, &response) : -1;
    if (delay_ns >= 0) {
        call->reauthed = call->reauthed || again;
        struct kd_stat_labels labels = kd_call_labels(call);
        call->retries++;
        kd_stats_retry(&client->stats, &labels, call->http_code);
        kd_call_retry(call, delay_ns);
        return;
    }
    tell(call, &response);
}

void kd_call_fail(struct kd_call *call, int error, const char *why)
{
    struct kd_response response = { .error = error, .http_code = call->http_code };
    say(call, why, &response);
    note_exchange(call);
    kd_call_detach(call);
    tell(call, &response);
}

void kd_call_deadline(void *arg)
{
    struct kd_call *call = arg;
    int64_t silent_ns = kd_client_now(call->client) - call->progress_ns;
    if (kd_call_is_list(call) && silent_ns < call->timeout_ns) {
        kd_timer_start(&call->deadline, call->timeout_ns - silent_ns);
        return;
    }
    char duration[KD_RFC3339_MAX];
    const char *what = kd_call_is_list(call) ? "no progress"
                       : call->http_code     ? "the answer was not complete"
                                             : "no answer";
    KD_AUTO_FREE char *why =
        kd_asprintf("%s within %s", what, kd_duration_text(call->timeout_ns, duration));
    kd_lane_give_up_silent(call);
    kd_call_fail(call, KD_ETIMEOUT, why);
}
