/* A graph in plain arrays, to compare the store with: what each instance said, and no more. */
#ifndef KD_TEST_STORE_MODEL_H
#define KD_TEST_STORE_MODEL_H

#include "fixture.h"

#define N_KINDS 3
#define N_NAMES 5
#define N_NODES (N_KINDS * N_NAMES)
#define N_INSTANCES 3 /* the first one owns */
#define N_RELATIONS 4 /* of one put, at most */

static const char *const model_kinds[N_KINDS] = { "Pod", "Node", "Service" };
static const char *const model_groups[N_KINDS] = { "", "", "apps" };
static const char *const model_names[N_NAMES] = { "a", "b", "c", "d", "e" };
static const char *const model_instances[N_INSTANCES] = { "main", "second", "third" };
static const char *const model_uids[] = { "", "u1", "u2" };
static const char *const model_types[] = { "Uses", "Owns" };

struct said_relation {
    int type, subject, object, attr;
    int ready; /* -1: not said */
    int subject_uid, object_uid;
};

struct said {
    bool there;
    int uid;
    size_t n;
    struct said_relation relations[N_RELATIONS];
};

struct model {
    struct {
        bool there;
        int uid, version, created;
    } resources[N_NODES];
    struct said said[N_NODES][N_INSTANCES];
};

struct model_put {
    int node, instance, uid, version, created;
    size_t n;
    struct said_relation relations[N_RELATIONS];
};

static bool model_other_uid(int a, int b)
{
    return a && b && a != b;
}

static void model_drop_said(struct model *m, int node, bool all, int uid)
{
    for (int i = 0; i < N_INSTANCES; i++) {
        if (all || m->said[node][i].uid == uid || m->said[node][i].uid == 0) {
            m->said[node][i] = (struct said){ 0 };
        }
    }
}

static void model_put(struct model *m, const struct model_put *put)
{
    __typeof__(m->resources[0]) *resource = &m->resources[put->node];
    struct said *said = &m->said[put->node][put->instance];
    bool owner = put->instance == 0;
    int uid = put->uid;
    if (owner) {
        if (resource->there && model_other_uid(resource->uid, uid)) {
            model_drop_said(m, put->node, false, resource->uid);
            memset(resource, 0, sizeof(*resource));
        }
        uid = uid ? uid : resource->uid;
        resource->there = true;
        resource->uid = uid;
        resource->version = put->version;
        resource->created = put->created ? put->created : resource->created;
    }
    *said = (struct said){ .there = owner || put->n > 0, .uid = uid, .n = put->n };
    if (!said->there) {
        said->uid = 0;
    }
    memcpy(said->relations, put->relations, sizeof(said->relations));
}

static void model_remove(struct model *m, int node, int uid)
{
    if (m->resources[node].there && model_other_uid(m->resources[node].uid, uid)) {
        for (int i = 0; i < N_INSTANCES; i++) {
            if (m->said[node][i].uid == uid) {
                m->said[node][i] = (struct said){ 0 };
            }
        }
        return;
    }
    model_drop_said(m, node, true, 0);
    memset(&m->resources[node], 0, sizeof(m->resources[node]));
}

static bool model_differs(const struct model *m, int node, int uid)
{
    return model_other_uid(m->resources[node].uid, uid);
}

/* Whether a put said the same relation before; then only its `ready` counts. */
static bool model_is_double(const struct said *said, size_t at)
{
    const struct said_relation *rel = &said->relations[at];
    for (size_t i = 0; i < at; i++) {
        const struct said_relation *other = &said->relations[i];
        if (other->type == rel->type && other->subject == rel->subject &&
            other->object == rel->object && other->attr == rel->attr) {
            return true;
        }
    }
    return false;
}

/* One relation over all who say it. */
static int model_relation(const struct model *m, int type, int subject, int object, int attr,
                          int *ret_ready, bool *ret_resolved)
{
    int n = 0;
    *ret_ready = -1;
    *ret_resolved = m->resources[subject].there && m->resources[object].there;
    for (int i = 0; i < N_NODES * N_INSTANCES; i++) {
        const struct said *said = &m->said[i / N_INSTANCES][i % N_INSTANCES];
        for (size_t r = 0; r < said->n; r++) {
            const struct said_relation *rel = &said->relations[r];
            if (rel->type != type || rel->subject != subject || rel->object != object ||
                rel->attr != attr) {
                continue;
            }
            n++;
            *ret_ready = rel->ready > *ret_ready ? rel->ready : *ret_ready;
            if (!model_is_double(said, r) && (model_differs(m, subject, rel->subject_uid) ||
                                              model_differs(m, object, rel->object_uid))) {
                *ret_resolved = false;
            }
        }
    }
    return n;
}

#endif
