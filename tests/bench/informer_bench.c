/*
 * What one cached pod costs: an informer is fed a list of varied pods in chunks of 16 KiB, as the
 * client would, without sockets. Prints CPU per pod and memory per cached pod.
 *
 *     informer_bench [pods] [pods per owner] [namespaces]
 *
 * Pods are about 8 KB without managedFields and 13 KB with them; 200 templates, random digests,
 * addresses, uids and times, environments of varying size. Making them is not counted.
 */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/parts.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TEMPLATES 200
#define CHUNK (16 * KD_KIB)

struct call {
    const struct kd_response_sink *sink;
    void *arg;
};

static struct call call;
static struct kd_rand rand_state;
static double cpu_s;

static void *call_start(void *arg, const struct kd_request *request)
{
    (void)arg;
    call = (struct call){ request->sink, request->arg };
    return &call;
}

static void call_cancel(void *arg, void *which)
{
    (void)arg;
    (void)which;
}

static double thread_cpu(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double process_cpu(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double memory_kb(const char *key)
{
    char line[256];
    double kb = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, key, strlen(key)) == 0) {
            kb = strtod(line + strlen(key) + 1, NULL);
        }
    }
    if (file) {
        (void)fclose(file);
    }
    return kb;
}

static void put_random(struct kd_buf *buf, struct kd_rand *rand, size_t n, const char *alphabet)
{
    size_t letters = strlen(alphabet);
    for (size_t i = 0; i < n; i++) {
        (void)kd_buf_putc(buf, alphabet[kd_rand_below(rand, letters)]);
    }
}

#define HEX "0123456789abcdef"
#define WORD "bcdfghjklmnpqrstvwxz2456789"
#define ANY "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:"

static void put_uuid(struct kd_buf *buf, struct kd_rand *rand)
{
    static const size_t parts[] = { 8, 4, 4, 4, 12 };
    for (size_t i = 0; i < 5; i++) {
        (void)kd_buf_puts(buf, i ? "-" : "");
        put_random(buf, rand, parts[i], HEX);
    }
}

static void put_time(struct kd_buf *buf, struct kd_rand *rand)
{
    (void)kd_buf_printf(buf, "2026-%02d-%02dT%02d:%02d:%02dZ", (int)kd_rand_below(rand, 12) + 1,
                        (int)kd_rand_below(rand, 28) + 1, (int)kd_rand_below(rand, 24),
                        (int)kd_rand_below(rand, 60), (int)kd_rand_below(rand, 60));
}

/* A word of the cluster's vocabulary, the same for the same number. */
static void put_word(struct kd_buf *buf, struct kd_rand *own)
{
    struct kd_rand word;
    kd_rand_init(&word, 1000000 + kd_rand_below(own, 600));
    put_random(buf, &word, 3 + kd_rand_below(&word, 8), "aaabcdeeefghiiklmnooprstuvwy");
}

/* A third of the values is random text, the others are addresses, words and numbers. */
static void put_value(struct kd_buf *buf, struct kd_rand *own)
{
    uint64_t form = kd_rand_below(own, 6);
    if (form < 2) {
        put_random(buf, own, 8 + kd_rand_below(own, 40), ANY);
    } else if (form < 4) {
        (void)kd_buf_puts(buf, "https://");
        put_word(buf, own);
        (void)kd_buf_puts(buf, ".");
        put_word(buf, own);
        (void)kd_buf_printf(buf, ".svc.cluster.local:%d/", 8000 + (int)kd_rand_below(own, 500));
        put_word(buf, own);
    } else if (form == 4) {
        (void)kd_buf_printf(buf, "%d", (int)kd_rand_below(own, 100000));
    } else {
        put_word(buf, own);
    }
}

/* The part that all pods of one owner share comes from the owner's own generator. */
static void put_env(struct kd_buf *buf, struct kd_rand *own, struct kd_rand *each)
{
    size_t n = 10 + kd_rand_below(own, 25);
    (void)kd_buf_puts(buf, "\"env\":[");
    for (size_t i = 0; i < n; i++) {
        (void)kd_buf_printf(buf, "%s{\"name\":\"SETTING_", i ? "," : "");
        put_word(buf, own);
        (void)kd_buf_puts(buf, "_");
        put_word(buf, own);
        (void)kd_buf_puts(buf, "\",\"value\":\"");
        put_value(buf, own);
        (void)kd_buf_puts(buf, "\"}");
    }
    (void)kd_buf_puts(buf, ",{\"name\":\"INSTANCE\",\"value\":\"");
    put_random(buf, each, 16 + kd_rand_below(each, 60), ANY);
    (void)kd_buf_puts(buf, "\"}],");
}

static void put_container(struct kd_buf *buf, size_t template, size_t k, struct kd_rand *own,
                          struct kd_rand *each)
{
    (void)kd_buf_printf(buf,
                        "%s{\"name\":\"c%zu-app%zu\",\"image\":\"registry.example.org/team%zu/"
                        "app%zu:v1.%d.%d\",\"args\":[\"--listen=:8080\",\"--shard=%d\"],"
                        "\"ports\":[{\"name\":\"http\",\"containerPort\":8080,\"protocol\":"
                        "\"TCP\"}],",
                        k ? "," : "", k, template, template % 17, template,
                        (int)kd_rand_below(own, 30), (int)kd_rand_below(own, 30),
                        (int)kd_rand_below(own, 8));
    put_env(buf, own, each);
    (void)kd_buf_printf(buf,
                        "\"resources\":{\"limits\":{\"cpu\":\"%dm\",\"memory\":\"%dMi\"},"
                        "\"requests\":{\"cpu\":\"100m\",\"memory\":\"128Mi\"}},"
                        "\"volumeMounts\":[{\"name\":\"kube-api-access-",
                        (int)kd_rand_below(own, 20) * 100, (int)kd_rand_below(own, 32) * 64);
    put_random(buf, each, 5, WORD);
    (void)kd_buf_puts(buf,
                      "\",\"readOnly\":true,\"mountPath\":\"/var/run/secrets/kubernetes.io/"
                      "serviceaccount\"}],\"livenessProbe\":{\"httpGet\":{\"path\":\"/healthz\","
                      "\"port\":8080,\"scheme\":\"HTTP\"},\"timeoutSeconds\":1,\"periodSeconds\""
                      ":10,\"successThreshold\":1,\"failureThreshold\":3},"
                      "\"terminationMessagePath\":\"/dev/termination-log\","
                      "\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":"
                      "\"IfNotPresent\"}");
}

static void put_managed(struct kd_buf *buf)
{
    (void)kd_buf_puts(buf, "\"managedFields\":[");
    for (int i = 0; i < 3; i++) {
        (void)kd_buf_printf(buf,
                            "%s{\"manager\":\"m%d\",\"operation\":\"Update\",\"apiVersion\":"
                            "\"v1\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{",
                            i ? "," : "", i);
        for (int k = 0; k < 50; k++) {
            (void)kd_buf_printf(buf,
                                "%s\"f:field%d\":{\".\":{},\"k:{\\\"name\\\":\\\"x%d\\\"}\":{}}",
                                k ? "," : "", k, k);
        }
        (void)kd_buf_puts(buf, "}}");
    }
    (void)kd_buf_puts(buf, "]");
}

static void put_status(struct kd_buf *buf, size_t template, size_t n_containers,
                       struct kd_rand *each)
{
    static const char *const types[] = { "PodReadyToStartContainers", "Initialized", "Ready",
                                         "ContainersReady", "PodScheduled" };
    (void)kd_buf_puts(buf, "\"status\":{\"phase\":\"Running\",\"conditions\":[");
    for (size_t i = 0; i < KD_ARRAY_LEN(types); i++) {
        (void)kd_buf_printf(buf,
                            "%s{\"type\":\"%s\",\"status\":\"True\",\"lastProbeTime\":null,"
                            "\"lastTransitionTime\":\"",
                            i ? "," : "", types[i]);
        put_time(buf, each);
        (void)kd_buf_puts(buf, "\"}");
    }
    (void)kd_buf_printf(
        buf, "],\"hostIP\":\"10.0.%d.%d\",\"podIP\":\"10.%d.%d.%d\",\"startTime\":\"",
        (int)kd_rand_below(each, 4), (int)kd_rand_below(each, 250), (int)kd_rand_below(each, 250),
        (int)kd_rand_below(each, 250), (int)kd_rand_below(each, 250));
    put_time(buf, each);
    (void)kd_buf_puts(buf, "\",\"containerStatuses\":[");
    for (size_t k = 0; k < n_containers; k++) {
        (void)kd_buf_printf(buf,
                            "%s{\"name\":\"c%zu-app%zu\",\"state\":{\"running\":{\"startedAt\":\"",
                            k ? "," : "", k, template);
        put_time(buf, each);
        (void)kd_buf_printf(buf,
                            "\"}},\"lastState\":{},\"ready\":true,\"restartCount\":%d,\"image\":"
                            "\"registry.example.org/team%zu/app%zu\",\"imageID\":"
                            "\"registry.example.org/app%zu@sha256:",
                            (int)kd_rand_below(each, 4), template % 17, template, template);
        put_random(buf, each, 64, HEX);
        (void)kd_buf_puts(buf, "\",\"containerID\":\"containerd://");
        put_random(buf, each, 64, HEX);
        (void)kd_buf_puts(buf, "\",\"started\":true}");
    }
    (void)kd_buf_puts(buf, "],\"qosClass\":\"Burstable\"}");
}

static void put_pod(struct kd_buf *buf, size_t i, size_t per_owner, size_t n_namespaces)
{
    size_t owner = i / per_owner;
    size_t template = owner % TEMPLATES;
    struct kd_rand own;
    struct kd_rand *each = &rand_state;
    kd_rand_init(&own, owner + 1);
    size_t n_containers = 1 + kd_rand_below(&own, 3);
    (void)kd_buf_printf(buf, "{\"metadata\":{\"name\":\"app%zu-", template);
    put_random(buf, &own, 9, WORD);
    (void)kd_buf_puts(buf, "-");
    put_random(buf, each, 5, WORD);
    (void)kd_buf_printf(buf, "\",\"namespace\":\"team-%zu\",\"uid\":\"", owner % n_namespaces);
    put_uuid(buf, each);
    (void)kd_buf_printf(buf, "\",\"resourceVersion\":\"%zu\",\"creationTimestamp\":\"", 100000 + i);
    put_time(buf, each);
    (void)kd_buf_printf(buf,
                        "\",\"labels\":{\"app\":\"app%zu\",\"tier\":\"t%d\",\"n\":\"%zu\","
                        "\"pod-template-hash\":\"",
                        template, (int)kd_rand_below(&own, 5), i);
    put_random(buf, &own, 9, WORD);
    (void)kd_buf_puts(buf, "\"},\"annotations\":{\"checksum/config\":\"");
    put_random(buf, &own, 64, HEX);
    (void)kd_buf_printf(buf,
                        "\"},\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":"
                        "\"ReplicaSet\",\"name\":\"app%zu\",\"uid\":\"",
                        template);
    put_uuid(buf, &own);
    (void)kd_buf_puts(buf, "\",\"controller\":true,\"blockOwnerDeletion\":true}],");
    put_managed(buf);
    (void)kd_buf_printf(buf, "},\"spec\":{\"nodeName\":\"node-%zu\",\"containers\":[",
                        (size_t)kd_rand_below(each, 1000));
    for (size_t k = 0; k < n_containers; k++) {
        put_container(buf, template, k, &own, each);
    }
    (void)kd_buf_puts(buf, "],\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,"
                           "\"dnsPolicy\":\"ClusterFirst\",\"serviceAccountName\":\"default\","
                           "\"schedulerName\":\"default-scheduler\",\"tolerations\":[{\"key\":"
                           "\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":"
                           "\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0},");
    put_status(buf, template, n_containers, each);
    (void)kd_buf_puts(buf, "}");
}

static void feed(const char *ptr, size_t len)
{
    double before = thread_cpu();
    while (len) {
        size_t n = len < CHUNK ? len : CHUNK;
        if (call.sink->data(call.arg, ptr, n) < 0) {
            abort();
        }
        ptr += n;
        len -= n;
    }
    cpu_s += thread_cpu() - before;
}

static size_t argument(int argc, char **argv, int i, size_t fallback)
{
    uint64_t value = fallback;
    if (argc > i && (!kd_str_to_u64(kd_str_from(argv[i]), &value) || value == 0)) {
        abort();
    }
    return value;
}

int main(int argc, char **argv)
{
    size_t n = argument(argc, argv, 1, 30000);
    size_t per_owner = argument(argc, argv, 2, 10);
    size_t n_namespaces = argument(argc, argv, 3, 40);
    const struct kd_index index = { "spec.nodeName", "/spec/nodeName" };
    const struct kd_informer_spec spec = {
        .group = "",
        .version = "v1",
        .kind = "Pod",
        .resource = "pods",
        .namespaced = true,
        .label_selector = "",
        .field_selector = "",
        .mode = "full",
        .indexes = &index,
        .n_indexes = 1,
        .watch_timeout_ns = 300 * KD_SEC_NS,
        .max_object_bytes = 16 << 20,
    };
    struct kd_loop *loop = kd_loop_new();
    struct kd_informer_env env;
    struct kd_informer *informer = NULL;
    struct kd_buf buf;
    struct kd_informer_status status;
    kd_buf_init(&buf, KD_GIB);
    kd_rand_init(&rand_state, 1);
    kd_informer_env_real(loop, NULL, &env);
    env.call_start = call_start;
    env.call_cancel = call_cancel;
    if (kd_informer_new_in(&env, NULL, &spec, &informer, NULL) < 0) {
        return 1;
    }
    kd_informer_start(informer);
    call.sink->started(call.arg, 200);
    double resident = memory_kb("VmRSS");
    double process = process_cpu();
    double made = -thread_cpu();
    static const char head[] = "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},"
                               "\"items\":[";
    feed(head, sizeof(head) - 1);
    for (size_t i = 0; i < n; i++) {
        kd_buf_clear(&buf, KD_MIB);
        (void)kd_buf_puts(&buf, i ? "," : "");
        put_pod(&buf, i, per_owner, n_namespaces);
        feed(buf.ptr, buf.len);
        if (i % 64 == 0) {
            double before = thread_cpu();
            kd_loop_run_once(loop, 0);
            cpu_s += thread_cpu() - before;
        }
    }
    feed("]}", 2);
    made += thread_cpu() - cpu_s;
    const struct kd_response response = { .http_code = 200 };
    double before = thread_cpu();
    call.sink->done(call.arg, &response);
    while (informer->training || informer->table.n_early) {
        kd_loop_run_once(loop, 10 * KD_MS_NS);
    }
    cpu_s += thread_cpu() - before;
    process = process_cpu() - process - made;
    double peak = memory_kb("VmHWM");
    (void)malloc_trim(0);
    kd_informer_get_status(informer, &status);
    double count = (double)status.objects;
    (void)printf("pods %.0f, JSON without managedFields %.0f B each, as sent %.0f B\n", count,
                 (double)status.raw_bytes / count, (double)buf.len);
    (void)printf("I/O thread CPU %.1f us a pod, process %.1f us, total %.2f s\n",
                 cpu_s * 1e6 / count, process * 1e6 / count, process);
    (void)printf("records %.0f B a pod, slots and indexes %.1f B\n", (double)status.bytes / count,
                 (double)kd_table_overhead(&informer->table) / count);
    (void)printf(
        "resident %.0f B a pod (%.1f %% of its JSON), peak %.0f MiB of which at rest %.0f\n",
        (memory_kb("VmRSS") - resident) * 1024 / count,
        (memory_kb("VmRSS") - resident) * 102400 / (double)status.raw_bytes, peak / 1024,
        memory_kb("VmRSS") / 1024);
    kd_informer_free(informer);
    kd_loop_free(loop);
    kd_buf_release(&buf);
    return 0;
}
