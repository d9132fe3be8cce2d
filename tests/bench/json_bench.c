/*
 * Speed of core/json on a list of generated pods of about 8 KB each, in MB/s of text. The best of
 * several rounds counts; the figures are for people, no test depends on them.
 *
 *     cmake -DKINDRED_BENCH=ON ... --target bench_json && build/bench_json [pods]
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/rand.h"
#include "json/plan.h"
#include "json/splitter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 15
#define CHUNK (64 * KD_KIB)

static const char *const paths[] = { "/metadata/name", "/metadata/namespace", "/metadata/labels",
                                     "/spec/nodeName", "/status/phase",       "/status/podIP" };

static void must(int rc)
{
    if (rc < 0) {
        (void)fprintf(stderr, "bench: %s\n", kd_errno_text(rc));
        exit(1);
    }
}

static void put_meta(struct kd_buf *out, struct kd_rand *rand, unsigned i)
{
    must(kd_buf_printf(
        out,
        "{\"metadata\":{\"name\":\"web-%08x-%05u\",\"namespace\":\"team-%u\",\"uid\":"
        "\"%016llx-%016llx\",\"resourceVersion\":\"%u\",\"creationTimestamp\":"
        "\"2024-05-01T10:00:00Z\",\"labels\":{\"app\":\"web\",\"pod-template-hash\":"
        "\"%08x\",\"app.kubernetes.io/part-of\":\"shop\"},\"annotations\":{"
        "\"example.org/last-applied\":\"{\\\"apiVersion\\\":\\\"v1\\\",\\\"spec\\\":"
        "{\\\"replicas\\\":%u,\\\"paused\\\":false}}\"},\"managedFields\":[",
        (unsigned)kd_rand_next(rand), i, i % 40, (unsigned long long)kd_rand_next(rand),
        (unsigned long long)kd_rand_next(rand), 100000 + i, (unsigned)kd_rand_next(rand), i % 7));
    for (unsigned k = 0; k < 12; k++) {
        must(kd_buf_printf(out,
                           "%s{\"manager\":\"kubelet\",\"operation\":\"Update\",\"fieldsV1\":{"
                           "\"f:status\":{\"f:conditions\":{\"k:{\\\"type\\\":\\\"Ready%u\\\"}\":{"
                           "\".\":{},\"f:lastProbeTime\":{},\"f:status\":{},\"f:type\":{}}},"
                           "\"f:phase\":{},\"f:podIP\":{}}}}",
                           k ? "," : "", k));
    }
    must(kd_buf_puts(out, "]},"));
}

static void put_containers(struct kd_buf *out, struct kd_rand *rand)
{
    for (unsigned c = 0; c < 3; c++) {
        must(kd_buf_printf(out,
                           "%s{\"name\":\"c%u\",\"image\":\"images.example.org/shop/web:%u\","
                           "\"ports\":[{\"containerPort\":8080,\"protocol\":\"TCP\"}],\"env\":[",
                           c ? "," : "", c, (unsigned)kd_rand_below(rand, 100)));
        for (unsigned e = 0; e < 19; e++) {
            must(kd_buf_printf(out, "%s{\"name\":\"SETTING_%u\",\"value\":\"value of it %llx\"}",
                               e ? "," : "", e, (unsigned long long)kd_rand_next(rand)));
        }
        must(kd_buf_puts(out, "],\"resources\":{\"limits\":{\"cpu\":\"500m\",\"memory\":\"512Mi\"},"
                              "\"requests\":{\"cpu\":\"100m\",\"memory\":\"128Mi\"}},"
                              "\"terminationMessagePath\":\"/dev/termination-log\"}"));
    }
}

static void put_pod(struct kd_buf *out, struct kd_rand *rand, unsigned i)
{
    put_meta(out, rand, i);
    must(kd_buf_puts(out, "\"spec\":{\"containers\":["));
    put_containers(out, rand);
    must(kd_buf_printf(out, "],\"nodeName\":\"node-%u\",\"restartPolicy\":\"Always\"},\"status\":{",
                       i % 100));
    must(kd_buf_puts(out, "\"phase\":\"Running\",\"conditions\":["));
    for (unsigned k = 0; k < 8; k++) {
        must(kd_buf_printf(out,
                           "%s{\"type\":\"Ready%u\",\"status\":\"True\",\"lastProbeTime\":null,"
                           "\"lastTransitionTime\":\"2024-05-01T10:00:%02uZ\",\"observed\":%u}",
                           k ? "," : "", k, k, k));
    }
    must(kd_buf_printf(out, "],\"podIP\":\"10.0.%u.%u\"}}", i / 250 % 250, i % 250));
}

struct run {
    struct kd_str list;
    const struct kd_str *pods;
    size_t n_pods;
    const struct kd_json_plan *plan;
    const struct kd_json_plan *managed;
    struct kd_buf out;
    size_t check; /* keeps the work from being left out */
};

static void run_parse(struct run *run)
{
    struct kd_value value;
    for (size_t i = 0; i < run->n_pods; i++) {
        must(kd_json_parse(run->pods[i], &value, NULL));
        run->check += value.len;
    }
}

static struct kd_value trusted(struct kd_str text)
{
    return (struct kd_value){ .ptr = text.ptr, .len = text.len, .type = KD_JSON_OBJECT };
}

static void run_plan(struct run *run)
{
    struct kd_value slots[KD_ARRAY_LEN(paths)];
    for (size_t i = 0; i < run->n_pods; i++) {
        kd_json_plan_run(run->plan, trusted(run->pods[i]), slots);
        run->check += slots[3].len;
    }
}

static void run_strip(struct run *run)
{
    for (size_t i = 0; i < run->n_pods; i++) {
        kd_buf_clear(&run->out, KD_MIB);
        must(kd_json_plan_strip(run->managed, trusted(run->pods[i]), &run->out));
        run->check += run->out.len;
    }
}

static int on_object(void *arg, struct kd_str text)
{
    struct run *run = arg;
    run->check += text.len;
    return 0;
}

static void on_skipped(void *arg, struct kd_str head, uint64_t size)
{
    (void)arg;
    (void)head;
    (void)size;
}

static void split(struct run *run, enum kd_split_mode mode, size_t chunk)
{
    struct kd_split_sink sink = { run, on_object, on_skipped };
    struct kd_splitter *splitter = kd_splitter_new(mode, &sink, KD_MIB);
    for (size_t at = 0; at < run->list.len; at += chunk) {
        size_t left = run->list.len - at;
        must(kd_splitter_feed(splitter, run->list.ptr + at, left < chunk ? left : chunk, NULL));
    }
    must(kd_splitter_finish(splitter, NULL));
    kd_splitter_free(splitter);
}

static void run_split(struct run *run)
{
    split(run, KD_SPLIT_LIST, CHUNK);
}

static void run_split_whole(struct run *run)
{
    split(run, KD_SPLIT_LIST, run->list.len);
}

static void measure(const char *name, void (*fn)(struct run *), struct run *run)
{
    int64_t best_ns = INT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t start_ns = kd_now_ns(&kd_system_clock);
        fn(run);
        int64_t took_ns = kd_now_ns(&kd_system_clock) - start_ns;
        best_ns = took_ns < best_ns ? took_ns : best_ns;
    }
    (void)printf("%-28s %8.0f MB/s\n", name,
                 (double)run->list.len * 1e3 / (double)(best_ns ? best_ns : 1));
}

int main(int argc, char **argv)
{
    static const char *const managed[] = { "/metadata/managedFields" };
    unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000;
    struct kd_rand rand;
    struct kd_buf text;
    struct run run = { .n_pods = n ? n : 1 };
    struct kd_json_plan *plan = NULL;
    struct kd_json_plan *strip = NULL;
    struct kd_str *pods = calloc(run.n_pods, sizeof(*pods));
    kd_rand_init(&rand, 1);
    kd_buf_init(&text, 4 * KD_GIB);
    kd_buf_init(&run.out, KD_MIB);
    must(pods ? 0 : KD_ENOMEM);
    must(kd_json_plan_new(paths, KD_ARRAY_LEN(paths), false, &plan, NULL));
    must(kd_json_plan_new(managed, 1, false, &strip, NULL));
    must(kd_buf_puts(&text, "{\"kind\":\"PodList\",\"items\":["));
    for (size_t i = 0; i < run.n_pods; i++) {
        size_t start = text.len;
        must(kd_buf_puts(&text, i ? "," : ""));
        put_pod(&text, &rand, (unsigned)i);
        pods[i].len = text.len - start - (i > 0);
    }
    must(kd_buf_puts(&text, "]}"));
    const char *pos = strchr(text.ptr, '[') + 1; /* the buffer does not move any more */
    for (size_t i = 0; i < run.n_pods; i++) {
        pods[i].ptr = pos;
        pos += pods[i].len + 1;
    }
    run.list = kd_buf_str(&text);
    run.pods = pods;
    run.plan = plan;
    run.managed = strip;
    (void)printf("%zu pods of %zu bytes\n", run.n_pods, text.len / run.n_pods);
    measure("parse", run_parse, &run);
    measure("plan_run, 6 paths", run_plan, &run);
    measure("plan_strip managedFields", run_strip, &run);
    measure("split list, 64 KiB chunks", run_split, &run);
    measure("split list, one chunk", run_split_whole, &run);
    kd_json_plan_free(plan);
    kd_json_plan_free(strip);
    kd_buf_release(&run.out);
    kd_buf_release(&text);
    free(pods);
    return run.check == 0;
}
