/*
 * Speed of core/store: resources with three relations each, written anew and unchanged, and reads.
 * The figures are for people, no test depends on them; CPU is that of all threads.
 *
 *     cmake -DKINDRED_BENCH=ON ... --target bench_store && build/bench_store [PATH [RESOURCES]]
 */
#include "graph.h"

#define READS 20000

static int64_t used_ns(void)
{
    struct timespec used;
    must(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) ? KD_EIO : 0);
    return used.tv_sec * KD_SEC_NS + used.tv_nsec;
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
    print_times(what, took, READS);
}

static int count_kept(void *arg, const struct kd_kept *kept)
{
    *(uint64_t *)arg += kept->encoded.bytes.len > 0;
    return 0;
}

static int count_key(void *arg, const struct kd_ref *ref, struct kd_str version_text)
{
    (void)ref;
    (void)version_text;
    ++*(uint64_t *)arg;
    return 0;
}

/* What a warm start reads: all records in one walk; or the keys, and each record when asked for. */
static void read_kept(struct kd_store *store, unsigned n)
{
    uint64_t seen = 0;
    int64_t started = used_ns();
    must(kd_store_each_kept(store, "", "Pod", count_kept, &seen));
    must(seen == n ? 0 : KD_ESTORE);
    int64_t bulk = used_ns();
    must(kd_store_each_key(store, "", "Pod", count_key, &seen));
    int64_t keys = used_ns();
    for (unsigned i = 0; i < n; i++) {
        read_one(store, i, false);
    }
    int64_t single = used_ns();
    printf("records    %.1f us each in bulk; keys alone %.1f us, then %.1f us when asked for\n",
           (double)(bulk - started) / n / 1e3, (double)(keys - bulk) / n / 1e3,
           (double)(single - keys) / n / 1e3);
}

int main(int argc, char **argv)
{
    char path[4096];
    unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100000;
    (void)snprintf(path, sizeof(path), "%s", argc > 1 ? argv[1] : ":memory:");
    make_record();
    struct kd_store *store = open_store(path);
    put_all(store, "new", n, 0);
    put_all(store, "unchanged", n, 0);
    put_all(store, "updated", n, 1);
    read_all(store, "get", n, false);
    read_all(store, "one hop", n, true);
    read_kept(store, n);
    kd_store_close(store);
    kd_record_unref(record);
    return 0;
}
