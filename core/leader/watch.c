/* The watch on one Lease, by which those who follow learn of a release at once. */
#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"
#include "json/json.h"
#include "leader/inner.h"

#include <inttypes.h>

#define MIN_TIMEOUT_S 300
#define GRACE_S 30 /* after its time, then it is given up */
#define MAX_OBJECT (1024 * 1024)

static void end(struct kd_leader *leader, enum kd_watch_end how)
{
    leader->watch.call = NULL; /* gone, or canceled by the caller */
    if (how == KD_WATCH_REFUSED && !leader->watch.told) {
        leader->watch.told = true;
        KD_INFO("the Lease cannot be watched and is asked for instead",
                KD_F("namespace", leader->settings->ns), KD_F("name", leader->settings->name));
    }
    kd_election_unwatched(&leader->election, how);
    kd_leader_note(leader);
}

/* An ERROR event: what its reason, a fresh look goes on. */
static int give_up(struct kd_leader *leader)
{
    kd_call_cancel(kd_steal(leader->watch.call));
    end(leader, KD_WATCH_CLOSED);
    return KD_ECANCELED;
}

static int on_line(void *arg, struct kd_str text)
{
    struct kd_leader *leader = arg;
    struct kd_value root;
    struct kd_value type;
    struct kd_value object;
    if (kd_json_parse(text, &root, NULL) < 0 || !kd_json_get(root, KD_STR("type"), &type) ||
        !kd_json_get(root, KD_STR("object"), &object) || kd_json_string_is(type, KD_STR("ERROR"))) {
        return give_up(leader);
    }
    if (kd_json_string_is(type, KD_STR("BOOKMARK"))) {
        return 0;
    }
    kd_election_seen(&leader->election, (struct kd_str){ object.ptr, object.len },
                     kd_json_string_is(type, KD_STR("DELETED")));
    kd_leader_note(leader);
    return leader->watch.call ? 0 : KD_ECANCELED;
}

static void on_skipped(void *arg, struct kd_str head, uint64_t size)
{
    (void)arg;
    (void)head;
    KD_DEBUG("a Lease that is too large", KD_FU("bytes", size));
}

static int on_data(void *arg, const char *ptr, size_t len)
{
    struct kd_leader *leader = arg;
    leader->watch.feeding = true;
    int rc = kd_splitter_feed(leader->watch.splitter, ptr, len, NULL);
    leader->watch.feeding = false;
    return rc;
}

static bool is_refused(const struct kd_response *response)
{
    int code = response->http_code;
    return (code >= 400 && code < 500 && code != 401 && code != 408 && code != 410 &&
            code != 429) ||
           code == 501;
}

static void on_done(void *arg, const struct kd_response *response)
{
    end(arg, is_refused(response) ? KD_WATCH_REFUSED : KD_WATCH_CLOSED);
}

static void start(struct kd_leader *leader, const char *version)
{
    static const struct kd_response_sink sink = { .data = on_data, .done = on_done };
    const struct kd_split_sink lines = { leader, on_line, on_skipped };
    int64_t timeout_s = MIN_TIMEOUT_S + (int64_t)kd_rand_below(&leader->rand, MIN_TIMEOUT_S);
    KD_AUTO_BUF struct kd_buf path;
    kd_buf_init(&path, 4096);
    (void)kd_buf_printf(&path, "%s?watch=1&allowWatchBookmarks=true&timeoutSeconds=%" PRId64,
                        leader->leases_path, timeout_s);
    (void)kd_buf_puts(&path, "&fieldSelector=metadata.name%3D");
    (void)kd_buf_put_url(&path, kd_str_from(leader->settings->name));
    (void)kd_buf_puts(&path, "&resourceVersion=");
    (void)kd_buf_put_url(&path, kd_str_from(version));
    kd_splitter_free(leader->watch.splitter);
    leader->watch.splitter = kd_splitter_new(KD_SPLIT_LINES, &lines, MAX_OBJECT);
    const struct kd_request request = {
        .method = "GET",
        .path = kd_buf_failed(&path) ? leader->leases_path : path.ptr,
        .flags = KD_REQUEST_WATCH,
        .timeout_ns = (timeout_s + GRACE_S) * KD_SEC_NS,
        .verb = "watch",
        .url_template = KD_LEASES_TEMPLATE,
        .sink = &sink,
        .arg = leader,
    };
    leader->watch.call = kd_client_start(leader->client, &request);
}

void kd_lease_watch_set(struct kd_leader *leader, const char *version)
{
    kd_call_cancel(kd_steal(leader->watch.call));
    if (version) {
        KD_ASSERT(!leader->watch.feeding);
        start(leader, version);
    }
}
