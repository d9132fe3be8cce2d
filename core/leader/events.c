#include "leader/events.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/rand.h"
#include "base/str.h"
#include "json/json.h"
#include "leader/record.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_WAITING 1000
#define MAX_TRIES 12u
#define PAUSE_NS (10 * KD_SEC_NS)
#define SERIES_NS (6 * 60 * KD_SEC_NS)
#define INSTANCE_MAX 128 /* of reportingInstance, as the API has it */
#define SCRATCH (256 * 1024)

struct note {
    struct note *next;
    bool became;
    int64_t wall_ns;
    char uid[64];
};

/* The last Event of each sort: one more of it makes a series. */
struct series {
    char *name; /* NULL: none */
    uint64_t count;
    int64_t last_ns; /* monotonic */
};

struct kd_lease_events {
    struct kd_loop *loop;
    struct kd_client *client;
    char *ns;
    char *lease;
    char *identity;
    struct note *first; /* being told */
    struct note **last;
    size_t n;
    unsigned tries;
    struct series series[2]; /* stopped, became */
    char *name;              /* of the Event being made; NULL: a series goes on */
    struct kd_call *call;
    struct kd_timer pause;
    struct kd_rand rand;
    void (*told)(void *arg);
    void *told_arg;
};

static void send_first(void *arg);

struct kd_lease_events *kd_lease_events_new(struct kd_loop *loop, struct kd_client *client,
                                            const char *ns, const char *name, const char *identity)
{
    struct kd_lease_events *events = kd_zalloc(sizeof(*events));
    events->loop = loop;
    events->client = client;
    events->ns = kd_strdup(ns);
    events->lease = kd_strdup(name);
    events->identity = kd_strdup(identity);
    events->last = &events->first;
    kd_rand_init(&events->rand, kd_hash_seed());
    kd_timer_init(&events->pause, loop, send_first, events);
    return events;
}

static void pop(struct kd_lease_events *events)
{
    struct note *note = events->first;
    events->first = note->next;
    events->last = events->first ? events->last : &events->first;
    events->n--;
    events->tries = 0;
    kd_free(note);
}

void kd_lease_events_free(struct kd_lease_events *events)
{
    if (!events) {
        return;
    }
    kd_call_cancel(events->call);
    kd_timer_release(&events->pause);
    while (events->first) {
        pop(events);
    }
    kd_free(events->series[0].name);
    kd_free(events->series[1].name);
    kd_free(events->name);
    kd_free(events->ns);
    kd_free(events->lease);
    kd_free(events->identity);
    kd_free(events);
}

static struct series *series_of(struct kd_lease_events *events)
{
    return &events->series[events->first->became];
}

/* -- what is written */

static void put_text(struct kd_buf *out, const char *key, const char *text)
{
    (void)kd_buf_printf(out, ",\"%s\":", key);
    (void)kd_buf_put_json(out, kd_str_from(text));
}

static void put_regarding(const struct kd_lease_events *events, struct kd_buf *out)
{
    (void)kd_buf_puts(out, ",\"regarding\":{\"apiVersion\":\"coordination.k8s.io/v1\","
                           "\"kind\":\"Lease\"");
    put_text(out, "namespace", events->ns);
    put_text(out, "name", events->lease);
    if (events->first->uid[0]) {
        put_text(out, "uid", events->first->uid);
    }
    (void)kd_buf_puts(out, "}");
}

static void write_event(const struct kd_lease_events *events, struct kd_buf *out)
{
    char time[KD_LEASE_TIME_MAX];
    char instance[INSTANCE_MAX + 1];
    const struct note *note = events->first;
    KD_AUTO_FREE char *text =
        kd_asprintf("%s %s", events->identity, note->became ? "became leader" : "stopped leading");
    (void)snprintf(instance, sizeof(instance), "%s", events->identity); /* cut to fit */
    (void)kd_buf_puts(out, "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\","
                           "\"metadata\":{\"name\":");
    (void)kd_buf_put_json(out, kd_str_from(events->name));
    put_text(out, "namespace", events->ns);
    (void)kd_buf_puts(out, "},\"type\":\"Normal\",\"reason\":\"LeaderElection\","
                           "\"action\":\"LeaderElection\",\"reportingController\":\"kindred\"");
    put_text(out, "reportingInstance", instance);
    put_text(out, "eventTime", kd_micro_time(note->wall_ns, time));
    put_text(out, "note", text);
    put_regarding(events, out);
    (void)kd_buf_puts(out, "}");
}

static void write_series(struct kd_lease_events *events, struct kd_buf *out)
{
    char time[KD_LEASE_TIME_MAX];
    (void)kd_buf_printf(out, "{\"series\":{\"count\":%" PRIu64 ",\"lastObservedTime\":\"%s\"}}",
                        series_of(events)->count + 1, kd_micro_time(events->first->wall_ns, time));
}

/* -- sending */

static int ignore_data(void *arg, const char *ptr, size_t len)
{
    (void)arg;
    (void)ptr;
    (void)len;
    return 0;
}

/* The server has it: what it is called, for one more of the same. */
static void note_sent(struct kd_lease_events *events)
{
    struct series *series = series_of(events);
    if (events->name) {
        kd_free(series->name);
        series->name = kd_steal(events->name);
        series->count = 0;
    }
    series->count++;
    series->last_ns = kd_now_ns(&kd_system_clock);
}

static void go_on(struct kd_lease_events *events)
{
    if (events->first) {
        kd_timer_start(&events->pause, 0);
    } else if (events->told) {
        void (*told)(void *arg) = events->told;
        events->told = NULL;
        told(events->told_arg);
    }
}

static bool may_help_later(const struct kd_response *response)
{
    return response->http_code == 0 || response->http_code == 429 || response->http_code >= 500;
}

static void on_done(void *arg, const struct kd_response *response)
{
    struct kd_lease_events *events = arg;
    events->call = NULL;
    if (response->error == 0) {
        note_sent(events);
        pop(events);
    } else if (!events->name && response->http_code == 404) { /* the Event has gone: a new one */
        series_of(events)->name = kd_free(series_of(events)->name);
    } else if (may_help_later(response) && ++events->tries < MAX_TRIES) {
        double stretch = 1.0 + kd_rand_unit(&events->rand);
        kd_timer_start(&events->pause, (int64_t)((double)PAUSE_NS * stretch));
        return;
    } else {
        KD_DEBUG("an Event on the Lease is lost", KD_F("error", response->text));
        pop(events);
    }
    go_on(events);
}

static bool is_series(struct kd_lease_events *events)
{
    const struct series *series = series_of(events);
    return series->name && kd_now_ns(&kd_system_clock) - series->last_ns < SERIES_NS;
}

static void send_first(void *arg)
{
    static const struct kd_response_sink sink = { .data = ignore_data, .done = on_done };
    struct kd_lease_events *events = arg;
    KD_AUTO_BUF struct kd_buf body;
    kd_buf_init(&body, 64 * KD_KIB);
    bool again = is_series(events);
    KD_AUTO_FREE char *path =
        kd_asprintf("/apis/events.k8s.io/v1/namespaces/%s/events%s%s", events->ns, again ? "/" : "",
                    again ? series_of(events)->name : "");
    events->name = kd_free(events->name);
    if (again) {
        write_series(events, &body);
    } else {
        events->name = kd_asprintf("%s.%" PRIx64, events->lease, (uint64_t)events->first->wall_ns);
        write_event(events, &body);
    }
    const struct kd_request request = {
        .method = again ? "PATCH" : "POST",
        .path = path,
        .content_type = again ? "application/merge-patch+json" : NULL,
        .body = kd_buf_str(&body),
        .verb = again ? "patch" : "create",
        .url_template = again ? "/apis/events.k8s.io/v1/namespaces/{namespace}/events/{name}"
                              : "/apis/events.k8s.io/v1/namespaces/{namespace}/events",
        .sink = &sink,
        .arg = events,
    };
    events->call = kd_client_start(events->client, &request);
}

static void read_uid(struct kd_str lease, char out[64])
{
    struct kd_value root;
    struct kd_value uid;
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, SCRATCH);
    out[0] = '\0';
    if (lease.len && kd_json_parse(lease, &root, NULL) == 0 &&
        kd_json_at(root, "/metadata/uid", &uid)) {
        struct kd_str text = { 0 };
        if (kd_json_string(uid, &arena, &text) == 0 && text.len < 64) {
            (void)snprintf(out, 64, KD_STR_FMT, KD_STR_ARG(text));
        }
    }
}

void kd_lease_events_tell(struct kd_lease_events *events, bool became, struct kd_str lease)
{
    if (events->n >= MAX_WAITING) {
        return;
    }
    struct note *note = kd_zalloc(sizeof(*note));
    note->became = became;
    note->wall_ns = kd_wall_ns(&kd_system_clock);
    read_uid(lease, note->uid);
    *events->last = note;
    events->last = &note->next;
    if (events->n++ == 0) {
        kd_timer_start(&events->pause, 0);
    }
}

void kd_lease_events_when_told(struct kd_lease_events *events, void (*fn)(void *arg), void *arg)
{
    events->told = fn;
    events->told_arg = arg;
    if (!events->first) {
        go_on(events);
    }
}
