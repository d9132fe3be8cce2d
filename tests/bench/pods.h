/*
 * Varied pods for measurements: about 8 KB without managedFields and 13 KB with them; 200
 * templates, random digests, addresses, uids and times, environments of varying size.
 */
#ifndef KD_BENCH_PODS_H
#define KD_BENCH_PODS_H

#include "base/buf.h"
#include "base/macros.h"
#include "base/rand.h"

#include <string.h>

#define TEMPLATES 200

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
                          struct kd_rand *each, const char *access)
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
                        "\"volumeMounts\":[{\"name\":\"kube-api-access-%s",
                        (int)kd_rand_below(own, 20) * 100, (int)kd_rand_below(own, 32) * 64,
                        access);
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

/* Pods of one owner run the same image: its digest is the owner's, the container's id the pod's. */
static void put_status(struct kd_buf *buf, size_t template, size_t n_containers,
                       struct kd_rand *own, struct kd_rand *each)
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
        put_random(buf, own, 64, HEX);
        (void)kd_buf_puts(buf, "\",\"containerID\":\"containerd://");
        put_random(buf, each, 64, HEX);
        (void)kd_buf_puts(buf, "\",\"started\":true}");
    }
    (void)kd_buf_puts(buf, "],\"qosClass\":\"Burstable\"}");
}

/* What the API server adds to every pod; the suffix is that of the containers' mounts. */
static void put_volumes(struct kd_buf *buf, const char *access)
{
    (void)kd_buf_printf(buf,
                        "],\"volumes\":[{\"name\":\"kube-api-access-%s\",\"projected\":{"
                        "\"sources\":[{\"serviceAccountToken\":{\"expirationSeconds\":3607,"
                        "\"path\":\"token\"}},{\"configMap\":{\"name\":\"kube-root-ca.crt\","
                        "\"items\":[{\"key\":\"ca.crt\",\"path\":\"ca.crt\"}]}},{"
                        "\"downwardAPI\":{\"items\":[{\"path\":\"namespace\",\"fieldRef\":{"
                        "\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.namespace\"}}]}}],"
                        "\"defaultMode\":420}}]",
                        access);
}

static void put_pod(struct kd_buf *buf, struct kd_rand *each, size_t i, size_t per_owner,
                    size_t n_namespaces)
{
    size_t owner = i / per_owner;
    size_t template = owner % TEMPLATES;
    struct kd_rand own;
    kd_rand_init(&own, owner + 1);
    size_t n_containers = 1 + kd_rand_below(&own, 3);
    char access[6] = { 0 };
    for (size_t k = 0; k < 5; k++) {
        access[k] = WORD[kd_rand_below(each, sizeof(WORD) - 1)];
    }
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
        put_container(buf, template, k, &own, each, access);
    }
    put_volumes(buf, access);
    (void)kd_buf_puts(buf, ",\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,"
                           "\"dnsPolicy\":\"ClusterFirst\",\"serviceAccountName\":\"default\","
                           "\"schedulerName\":\"default-scheduler\",\"tolerations\":[{\"key\":"
                           "\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":"
                           "\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0},");
    put_status(buf, template, n_containers, &own, each);
    (void)kd_buf_puts(buf, "}");
}

#endif
