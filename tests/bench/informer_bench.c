/*
 * What one cached pod costs: an informer is fed a list of varied pods in chunks of 16 KiB, as the
 * client would, without sockets. Prints CPU per pod, memory per cached pod, and the time to encode
 * and to read one, both in the order of the list and at random.
 *
 *     informer_bench [pods] [pods per owner] [namespaces]
 * Making them is not counted.
 */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/codec.h"
#include "informer/parts.h"

#include "pods.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

struct timing {
    struct kd_record **records;
    size_t n;
    struct kd_arena arena;
};

static void collect(void *arg, struct kd_record *record)
{
    struct timing *timing = arg;
    timing->records[timing->n++] = kd_record_ref(record);
}

static int by_name(const void *a, const void *b)
{
    struct kd_str left = kd_record_key(*(struct kd_record *const *)a).name;
    struct kd_str right = kd_record_key(*(struct kd_record *const *)b).name;
    int order = memcmp(left.ptr, right.ptr, left.len < right.len ? left.len : right.len);
    return order ? order : (left.len > right.len) - (left.len < right.len);
}

/* Microseconds to read a record and to encode its text as its family does. */
static void time_records(struct timing *timing, const char *order)
{
    struct kd_str text;
    struct kd_encoded encoded;
    double read = 0;
    double write = 0;
    for (size_t i = 0; i < timing->n; i++) {
        struct kd_base *base = kd_record_base(timing->records[i]);
        kd_arena_reset(&timing->arena, KD_MIB);
        double before = thread_cpu();
        int rc = kd_record_decode(timing->records[i], &timing->arena, &text);
        double between = thread_cpu();
        rc = rc     ? rc
             : base ? kd_codec_encode_with(text, base, &encoded)
                    : kd_codec_encode(text, kd_record_dict(timing->records[i]), &encoded);
        if (rc < 0) {
            abort();
        }
        read += between - before;
        write += thread_cpu() - between;
    }
    (void)printf("%s: %.1f us to read, %.1f us to encode\n", order, read * 1e6 / (double)timing->n,
                 write * 1e6 / (double)timing->n);
}

static void time_all(const struct kd_informer *informer)
{
    struct timing timing = { .records = kd_zalloc_array(informer->table.n + 1, sizeof(void *)) };
    kd_arena_init(&timing.arena, KD_MAX_SCRATCH);
    kd_informer_each(informer, collect, &timing);
    time_records(&timing, "at random");
    qsort(timing.records, timing.n, sizeof(void *), by_name);
    time_records(&timing, "in order");
    for (size_t i = 0; i < timing.n; i++) {
        kd_record_unref(timing.records[i]);
    }
    kd_arena_release(&timing.arena);
    kd_free(timing.records);
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
        put_pod(&buf, &rand_state, i, per_owner, n_namespaces);
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
    time_all(informer);
    kd_informer_free(informer);
    kd_loop_free(loop);
    kd_buf_release(&buf);
    return 0;
}
