/* The events of a world, and its server: one Lease, requests that are late, lost or carried out
 * without an answer, watches that lag. */
#ifndef KD_UNIT_LEADER_SERVER_H
#define KD_UNIT_LEADER_SERVER_H

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/rand.h"
#include "base/str.h"
#include "leader/steps.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define NODES 3
#define LEASE_NS (3 * KD_SEC_NS)
#define RENEW_NS (2 * KD_SEC_NS)
#define RETRY_NS (KD_SEC_NS / 2)

enum event_kind {
    AT_SERVER, /* a request arrives */
    AT_NODE,   /* an answer arrives */
    TIMER,
    SEEN,
    UNWATCHED,
    DRAINED, /* the work of a node that stops has ended */
    BIRTH,
    CHAOS,
};

struct event {
    int64_t at_ns;
    uint64_t order; /* of events at the same time */
    enum event_kind kind;
    int node;
    uint64_t id; /* of the request, timer, watch or life that it belongs to */
    enum kd_ask ask;
    enum kd_answer_kind answer;
    bool answers; /* a request at the server: its answer will arrive */
    bool applies; /* and it will be carried out */
    bool gone;
    char *text;
};

struct node {
    struct world *world;
    struct kd_election election;
    char identity[24];
    bool alive, leads, stopping;
    bool working; /* work of a leader that has not come to its end yet */
    int64_t until_ns;
    int64_t asleep_until_ns;
    uint64_t life, ask_id, timer_id, watch_id;
    int64_t last_seen_ns; /* arrival of the last watch event: they keep their order */
    int64_t timeout_ns;
};

struct world {
    uint64_t seed;
    struct kd_rand rand;
    int64_t now_ns;
    struct event *heap;
    size_t n, cap;
    uint64_t n_ids;
    struct node nodes[NODES];
    /* the server */
    char *lease; /* NULL: none */
    uint64_t version;
    int64_t applied_ns[NODES]; /* when a claim of the node was last carried out */
    int64_t down_until_ns;
    bool meddled;  /* somebody else has written or deleted the Lease: two may lead for a moment */
    bool meddles;  /* somebody does in this schedule */
    bool healed;   /* no more faults */
    bool no_watch; /* the server refuses them */
    /* what happened, over all schedules */
    size_t reigns, losses, releases, requests;
};

static inline bool chance(struct world *world, unsigned percent)
{
    return !world->healed && kd_rand_below(&world->rand, 100) < percent;
}

static inline int64_t between(struct world *world, int64_t low_ns, int64_t high_ns)
{
    return low_ns + (int64_t)kd_rand_below(&world->rand, (uint64_t)(high_ns - low_ns));
}

/* -- events: a binary heap by time, then by chance */

static inline bool sooner(const struct event *a, const struct event *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static inline void swap(struct event *a, struct event *b)
{
    struct event held = *a;
    *a = *b;
    *b = held;
}

static inline void push(struct world *world, struct event event)
{
    if (world->n == world->cap) {
        world->cap = world->cap ? world->cap * 2 : 64;
        world->heap = kd_realloc_array(world->heap, world->cap, sizeof(*world->heap));
    }
    event.order = kd_rand_next(&world->rand);
    size_t at = world->n++;
    world->heap[at] = event;
    while (at > 0 && sooner(&world->heap[at], &world->heap[(at - 1) / 2])) {
        swap(&world->heap[at], &world->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static inline struct event pop(struct world *world)
{
    struct event first = world->heap[0];
    world->heap[0] = world->heap[--world->n];
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < world->n; child++) {
            least = sooner(&world->heap[child], &world->heap[least]) ? child : least;
        }
        if (least == at) {
            return first;
        }
        swap(&world->heap[at], &world->heap[least]);
        at = least;
    }
}

/* -- the server */

static inline struct json_object *meta_of(struct json_object *root)
{
    struct json_object *meta = NULL;
    assert_true(json_object_object_get_ex(root, "metadata", &meta));
    return meta;
}

static inline const char *text_of(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) : "";
}

static inline int64_t seen_delay(struct world *world)
{
    return chance(world, 10) ? between(world, 0, 3 * KD_SEC_NS) : between(world, 0, 20 * KD_MS_NS);
}

static inline void tell_watcher(struct world *world, struct node *node)
{
    int64_t at_ns = world->now_ns + seen_delay(world);
    if (node->last_seen_ns == KD_NEVER_NS) {
        return;
    }
    at_ns = at_ns > node->last_seen_ns ? at_ns : node->last_seen_ns + 1;
    node->last_seen_ns = at_ns;
    push(world, (struct event){ .at_ns = at_ns,
                                .kind = SEEN,
                                .node = (int)(node - world->nodes),
                                .id = node->watch_id,
                                .gone = !world->lease,
                                .text = world->lease ? kd_strdup(world->lease) : NULL });
}

/* Takes text, NULL deletes. */
static inline void server_set(struct world *world, char *text)
{
    kd_free(world->lease);
    world->lease = text;
    for (int i = 0; i < NODES; i++) {
        if (world->nodes[i].alive && world->nodes[i].watch_id) {
            tell_watcher(world, &world->nodes[i]);
        }
    }
}

static inline char *with_version(struct world *world, const char *body)
{
    char version[24];
    struct json_object *root = json_tokener_parse(body);
    (void)snprintf(version, sizeof(version), "%llu", (unsigned long long)++world->version);
    assert_non_null(root);
    json_object_object_add(meta_of(root), "resourceVersion", json_object_new_string(version));
    char *text = kd_strdup(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN));
    json_object_put(root);
    return text;
}

static inline bool same_version(const struct world *world, const char *body)
{
    struct json_object *root = json_tokener_parse(body);
    struct json_object *now = json_tokener_parse(world->lease);
    assert_non_null(root);
    const char *wanted = text_of(meta_of(root), "resourceVersion");
    assert_true(wanted[0] != '\0'); /* a claim without one would overrun whoever holds it */
    bool same = strcmp(wanted, text_of(meta_of(now), "resourceVersion")) == 0;
    json_object_put(root);
    json_object_put(now);
    return same;
}

/* ours: sent in the life that the node has now. */
static inline void note_applied(struct world *world, struct node *node, bool ours)
{
    struct kd_lease lease = { 0 };
    assert_int_equal(kd_lease_read(kd_str_from(world->lease), &lease, NULL), 0);
    if (lease.holder[0] == '\0') {
        assert_false(ours && node->working); /* given up only when the work has stopped */
        world->releases++;
    } else if (ours) {
        assert_string_equal(lease.holder, node->identity);
        world->applied_ns[node - world->nodes] = world->now_ns;
    }
    kd_lease_release(&lease);
}

static inline enum kd_answer_kind serve(struct world *world, const struct event *event)
{
    if (event->ask == KD_ASK_GET) {
        return world->lease ? KD_ANSWER_LEASE : KD_ANSWER_ABSENT;
    }
    if (event->ask == KD_ASK_UPDATE && !world->lease) {
        return KD_ANSWER_ABSENT;
    }
    if (event->ask == KD_ASK_CREATE ? world->lease != NULL : !same_version(world, event->text)) {
        return KD_ANSWER_CONFLICT;
    }
    server_set(world, with_version(world, event->text));
    struct node *node = &world->nodes[event->node];
    note_applied(world, node, event->id > node->life);
    return KD_ANSWER_LEASE;
}

static inline int64_t latency(struct world *world)
{
    return chance(world, 6) ? between(world, 0, 3 * KD_SEC_NS) : between(world, 0, 40 * KD_MS_NS);
}

static inline void at_server(struct world *world, const struct event *event)
{
    enum kd_answer_kind kind = KD_ANSWER_FAILED;
    if (event->applies && (world->now_ns >= world->down_until_ns || world->healed)) {
        kind = serve(world, event);
    }
    if (!event->answers && !world->healed) {
        return; /* the time-out will tell */
    }
    bool error = kind == KD_ANSWER_LEASE && chance(world, 2); /* carried out all the same */
    push(world, (struct event){ .at_ns = world->now_ns + latency(world),
                                .kind = AT_NODE,
                                .node = event->node,
                                .id = event->id,
                                .answer = error ? KD_ANSWER_FAILED : kind,
                                .text = kind == KD_ANSWER_LEASE && !error ? kd_strdup(world->lease)
                                                                          : NULL });
}

#endif
