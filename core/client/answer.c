/* curl's callbacks: headers and body of an answer. They run inside of curl. */
#include "client/internal.h"

#include "base/limits.h"
#include "base/str.h"

static size_t give_up(struct kd_call *call, int code)
{
    call->abort_code = code;
    return CURL_WRITEFUNC_ERROR;
}

static void headers_end(struct kd_call *call)
{
    long code = 0;
    (void)curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &code); /* cannot fail here */
    if (code < 200) {
        return; /* the real answer follows */
    }
    call->http_code = (int)code;
    kd_call_wipe_headers(call);
    if (kd_is_success(call->http_code) && call->sink->started) {
        call->sink->started(call->arg, call->http_code);
    }
}

size_t kd_answer_header(char *ptr, size_t size, size_t n, void *arg)
{
    static const struct kd_str warning = KD_STR_INIT("warning");
    struct kd_call *call = arg;
    struct kd_client *client = call->client;
    size_t len = size * n;
    struct kd_str rest = { ptr, len };
    if (call->canceled) {
        return give_up(call, KD_ECANCELED);
    }
    call->progress_ns = kd_client_now(client);
    if (call->http_code != 0) {
        return len; /* a trailer */
    }
    if (kd_str_trim(rest).len == 0) {
        headers_end(call);
    } else if (kd_str_eq_nocase(kd_str_cut(&rest, ':'), warning)) {
        (void)kd_warnings_note(&client->warnings, rest); /* how many does not matter here */
    }
    return call->canceled ? give_up(call, KD_ECANCELED) : len;
}

/* What does not fit is cut off, and the rest of such an answer is not waited for. */
static size_t keep_error(struct kd_call *call, const char *ptr, size_t len)
{
    size_t room = KD_MAX_ERROR_BODY - call->error_body.len;
    if (kd_buf_put(&call->error_body, ptr, len < room ? len : room) < 0 || len > room) {
        return give_up(call, KD_ETOOBIG);
    }
    return len;
}

size_t kd_answer_body(char *ptr, size_t size, size_t n, void *arg)
{
    struct kd_call *call = arg;
    struct kd_client *client = call->client;
    size_t len = size * n;
    if (call->canceled) {
        return give_up(call, KD_ECANCELED);
    }
    call->progress_ns = kd_client_now(client);
    call->received += len;
    if (!kd_is_success(call->http_code)) {
        return keep_error(call, ptr, len);
    }
    if (!(call->flags & (KD_REQUEST_WATCH | KD_REQUEST_LIST)) &&
        call->received > (uint64_t)client->settings->max_body_bytes) {
        return give_up(call, KD_ETOOBIG);
    }
    int rc = call->sink->data(call->arg, ptr, len);
    if (rc < 0) {
        return give_up(call, rc);
    }
    return call->canceled ? give_up(call, KD_ECANCELED) : len;
}
