/*
 * A graph for measurements: pods of ten to a ReplicaSet, each with three relations, on nodes that
 * have 100 pods each when there are 100,000. The figures are for people, no test depends on them.
 */
#ifndef KD_BENCH_GRAPH_H
#define KD_BENCH_GRAPH_H

#include "base/alloc.h"
#include "base/limits.h"
#include "informer/build.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NODES 1000 /* of the cluster: 100 pods on each of 100,000 */
#define BATCH_SIZE 1000
#define FLUSH_NS (200 * KD_MS_NS)
#define BLOB 480 /* bytes of a record within a family */

static struct kd_record *record;

static void must(int rc)
{
    if (rc < 0) {
        (void)fprintf(stderr, "bench: %s\n", kd_errno_text(rc));
        exit(1);
    }
}

struct pod {
    char name[64], set[64], node[32], uid[40], set_uid[40], version[24];
};

static struct kd_ref ref(const char *group, const char *kind, const char *ns, const char *name,
                         const char *uid)
{
    struct kd_ref out = kd_ref_named(group, "v1", kind, kd_cstr(ns), kd_cstr(name));
    out.uid = kd_cstr(uid);
    return out;
}

static void name_pod(struct pod *pod, unsigned i)
{
    unsigned set = i / 10;
    (void)snprintf(pod->name, sizeof(pod->name), "web-%08x-%05x", set * 2654435761u, i);
    (void)snprintf(pod->set, sizeof(pod->set), "web-%08x", set * 2654435761u);
    (void)snprintf(pod->node, sizeof(pod->node), "node-%u", i * 40503u % NODES);
    (void)snprintf(pod->uid, sizeof(pod->uid), "%08x-0000-4000-8000-%012x", i * 2654435761u, i);
    (void)snprintf(pod->set_uid, sizeof(pod->set_uid), "%08x-0000-4000-8000-%012x", set, set);
}

static void put_pod(struct kd_store *store, unsigned i, unsigned round)
{
    struct pod pod;
    name_pod(&pod, i);
    (void)snprintf(pod.version, sizeof(pod.version), "%u", i + round * 1000000);
    struct kd_ref self = ref("", "Pod", "team", pod.name, pod.uid);
    const struct kd_attr owner[] = { KD_ATTR("apiVersion", KD_STR("apps/v1")),
                                     KD_ATTR("kind", KD_STR("ReplicaSet")),
                                     KD_ATTR("name", kd_cstr(pod.set)),
                                     KD_ATTR("uid", kd_cstr(pod.set_uid)) };
    const struct kd_attr binding = KD_ATTR("nodeName", kd_cstr(pod.node));
    const struct kd_relation relations[] = {
        { KD_STR("OwnerReference"), ref("apps", "ReplicaSet", "team", pod.set, pod.set_uid), self,
          owner, KD_ARRAY_LEN(owner) },
        { KD_STR("PodNodeBinding"), self, ref("", "Node", "", pod.node, ""), &binding, 1 },
        { KD_STR("ServiceAccountBinding"), self, ref("", "ServiceAccount", "team", "default", ""),
          NULL, 0 },
    };
    struct kd_put put = { .ref = self,
                          .instance = KD_STR("pod"),
                          .owner = true,
                          .record = record,
                          .version_text = kd_cstr(pod.version),
                          .labels = KD_STR("{\"app\":\"web\",\"pod-template-hash\":\"5f6d\"}"),
                          .annotations = KD_STR("{}"),
                          .created_ns = KD_SEC_NS,
                          .relations = relations,
                          .n_relations = KD_ARRAY_LEN(relations) };
    must(kd_store_put(store, &put));
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *what, int64_t *took, size_t n)
{
    qsort(took, n, sizeof(*took), by_time);
    printf("%-10s p50 %8.1f us, p99 %8.1f us\n", what, (double)took[n / 2] / 1000,
           (double)took[n * 99 / 100] / 1000);
}

static void make_record(void)
{
    char json[BLOB];
    for (size_t i = 0; i < sizeof(json); i++) {
        json[i] = (char)('a' + i * i % 23);
    }
    struct kd_record_parts parts = { .key = { KD_STR("team"), KD_STR("pod") },
                                     .uid = KD_STR("u"),
                                     .version = KD_STR("1"),
                                     .json = { json, sizeof(json) } };
    must(kd_record_new(&parts, NULL, &record));
}

static struct kd_store *open_store(char *path)
{
    struct kd_error err = { 0 };
    struct kd_store *store = NULL;
    struct kd_store_settings settings = {
        .path = path, .batch_size = BATCH_SIZE, .flush_interval_ns = FLUSH_NS, .feed_keep = 1000000
    };
    if (kd_store_open(&settings, &kd_system_clock, NULL, &store, &err) < 0) {
        (void)fprintf(stderr, "bench: %s\n", err.text);
        exit(1);
    }
    return store;
}

#endif
