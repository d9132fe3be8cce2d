/*
 * Speed of core/store: resources with three relations each, written anew and unchanged, and reads.
 * The figures are for people, no test depends on them; CPU is that of all threads.
 *
 *     cmake -DKINDRED_BENCH=ON ... --target bench_store && build/bench_store [PATH [RESOURCES]]
 */
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
#define READS 20000
#define BLOB 480 /* bytes of a record within a family */

static struct kd_record *record;

static void must(int rc)
{
    if (rc < 0) {
        (void)fprintf(stderr, "bench: %s\n", kd_errno_text(rc));
        exit(1);
    }
}

static int64_t used_ns(void)
{
    struct timespec used;
    must(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) ? KD_EIO : 0);
    return used.tv_sec * KD_SEC_NS + used.tv_nsec;
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
        { KD_STR("PodServiceAccount"), self, ref("", "ServiceAccount", "team", "default", ""), NULL,
          0 },
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

static void put_all(struct kd_store *store, const char *what, unsigned n, unsigned round)
{
    int64_t started_ns = kd_now_ns(&kd_system_clock);
    int64_t used = used_ns();
    for (unsigned i = 0; i < n; i++) {
        put_pod(store, i, round);
    }
    must(kd_store_flush(store));
    double wall = (double)(kd_now_ns(&kd_system_clock) - started_ns) / KD_SEC_NS;
    double cpu = (double)(used_ns() - used) / KD_SEC_NS;
    printf("%-10s %7.0f a second of one core, %7.0f of wall time\n", what, n / cpu, n / wall);
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int count(void *arg, const struct kd_stored_relation *relation)
{
    (void)relation;
    ++*(uint64_t *)arg;
    return 0;
}

static void read_one(struct kd_store *store, unsigned i, bool hop)
{
    struct pod pod;
    struct kd_stored stored;
    uint64_t seen = 0;
    struct kd_str ns = KD_STR("team");
    struct kd_str none = KD_STR("");
    name_pod(&pod, i);
    struct kd_str name = kd_cstr(hop ? pod.node : pod.name);
    struct kd_match match = { "", hop ? "Node" : "Pod", hop ? &none : &ns, &name };
    if (hop) { /* all pods of a node */
        must(kd_store_each_relation(store, NULL, &match, NULL, 0, count, &seen));
        return;
    }
    struct kd_arena arena;
    kd_arena_init(&arena, KD_MIB);
    must(kd_store_get(store, &match, &arena, &stored));
    kd_arena_release(&arena);
}

static void read_all(struct kd_store *store, const char *what, unsigned n, bool hop)
{
    static int64_t took[READS];
    for (unsigned i = 0; i < READS; i++) {
        int64_t started_ns = kd_now_ns(&kd_system_clock);
        read_one(store, i * 7919u % n, hop);
        took[i] = kd_now_ns(&kd_system_clock) - started_ns;
    }
    qsort(took, READS, sizeof(took[0]), by_time);
    printf("%-10s p50 %6.1f us, p99 %6.1f us\n", what, (double)took[READS / 2] / 1000,
           (double)took[READS * 99 / 100] / 1000);
}

int main(int argc, char **argv)
{
    struct kd_error err = { 0 };
    struct kd_store *store = NULL;
    char path[4096];
    char json[BLOB];
    unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100000;
    (void)snprintf(path, sizeof(path), "%s", argc > 1 ? argv[1] : ":memory:");
    struct kd_store_settings settings = {
        .path = path, .batch_size = BATCH_SIZE, .flush_interval_ns = FLUSH_NS, .feed_keep = 1000000
    };
    for (size_t i = 0; i < sizeof(json); i++) {
        json[i] = (char)('a' + i * i % 23);
    }
    struct kd_record_parts parts = { .key = { KD_STR("team"), KD_STR("pod") },
                                     .uid = KD_STR("u"),
                                     .version = KD_STR("1"),
                                     .json = { json, sizeof(json) } };
    must(kd_record_new(&parts, NULL, &record));
    if (n == 0 || kd_store_open(&settings, &kd_system_clock, NULL, &store, &err) < 0) {
        (void)fprintf(stderr, "bench: %s\n", err.text);
        return 1;
    }
    put_all(store, "new", n, 0);
    put_all(store, "unchanged", n, 0);
    put_all(store, "updated", n, 1);
    read_all(store, "get", n, false);
    read_all(store, "one hop", n, true);
    kd_store_close(store);
    kd_record_unref(record);
    return 0;
}
