/* The election's requests. */
#include "base/limits.h"
#include "base/str.h"
#include "leader/inner.h"

#include <stdio.h>

struct form {
    const char *method;
    const char *verb;
    bool on_object; /* else on the collection */
};

static const struct form forms[] = {
    [KD_ASK_GET] = { "GET", "get", true },
    [KD_ASK_CREATE] = { "POST", "create", false },
    [KD_ASK_UPDATE] = { "PUT", "update", true },
};

static int on_data(void *arg, const char *ptr, size_t len)
{
    struct kd_leader *leader = arg;
    return kd_buf_put(&leader->ask.body, ptr, len);
}

static enum kd_answer_kind kind_of(const struct kd_response *response)
{
    if (response->error == 0) {
        return KD_ANSWER_LEASE;
    }
    return response->http_code == 404   ? KD_ANSWER_ABSENT
           : response->http_code == 409 ? KD_ANSWER_CONFLICT
                                        : KD_ANSWER_FAILED;
}

static void on_done(void *arg, const struct kd_response *response)
{
    struct kd_leader *leader = arg;
    enum kd_answer_kind kind = kind_of(response);
    struct kd_buf body = leader->ask.body; /* a step may ask anew */
    leader->ask.call = NULL;
    kd_buf_init(&leader->ask.body, KD_MIB);
    /* Where none can be made, its namespace is missing. */
    bool failed =
        kind == KD_ANSWER_FAILED || (kind == KD_ANSWER_ABSENT && leader->ask.what == KD_ASK_CREATE);
    kd_leader_note_error(leader, failed ? response->text : "");
    kd_election_answer(&leader->election, kind, kd_buf_str(&body));
    kd_buf_release(&body);
    kd_leader_note(leader);
}

void kd_lease_ask_start(struct kd_leader *leader, enum kd_ask what, struct kd_str body,
                        int64_t timeout_ns)
{
    static const struct kd_response_sink sink = { .data = on_data, .done = on_done };
    const struct form *form = &forms[what];
    KD_ASSERT(!leader->ask.call);
    leader->ask.what = what;
    kd_buf_clear(&leader->ask.body, 0);
    const struct kd_request request = {
        .method = form->method,
        .path = form->on_object ? leader->lease_path : leader->leases_path,
        .body = body,
        .flags = KD_REQUEST_LEASE,
        .timeout_ns = timeout_ns,
        .verb = form->verb,
        .url_template = form->on_object ? KD_LEASES_TEMPLATE "/{name}" : KD_LEASES_TEMPLATE,
        .sink = &sink,
        .arg = leader,
    };
    leader->ask.call = kd_client_start(leader->client, &request);
}

void kd_lease_ask_drop(struct kd_leader *leader)
{
    kd_call_cancel(kd_steal(leader->ask.call));
}
