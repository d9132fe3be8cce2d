/* The standard process_* families, read from /proc at each scrape, and kindred_build_info. */
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "metrics/metrics.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PROC_FILE_MAX (4 * KD_MIB) /* /proc/stat grows with the number of processors */

static struct kd_series *plain(struct kd_metrics *metrics, enum kd_metric_type type,
                               const char *name, const char *help)
{
    struct kd_family_spec spec = { .type = type, .name = name, .help = help };
    return kd_family_series(kd_metrics_family(metrics, &spec), NULL);
}

/* Field `n` of /proc/self/stat as proc(5) counts them, from 3 on; 0 when it is not there. */
static double stat_field(const char *stat, int n)
{
    const char *at = strrchr(stat, ')'); /* the name before it may hold anything */
    for (int field = 2; at && field < n; field++) {
        at = strchr(at + 1, ' ');
    }
    return at ? strtod(at + 1, NULL) : 0;
}

/* Seconds since 1970 at which the machine started; 0 when unknown. */
static double boot_time(void)
{
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&text, PROC_FILE_MAX);
    if (kd_file_read("/proc/stat", &text, NULL) < 0) {
        return 0;
    }
    const char *line = strstr(text.ptr, "\nbtime ");
    return line ? strtod(line + strlen("\nbtime "), NULL) : 0;
}

static void collect_stat(struct kd_metrics *metrics)
{
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&text, PROC_FILE_MAX);
    if (kd_file_read("/proc/self/stat", &text, NULL) < 0) {
        return; /* no /proc: the families stay away, as with every process collector */
    }
    double ticks = (double)sysconf(_SC_CLK_TCK);
    struct kd_series *cpu = plain(metrics, KD_COUNTER, "process_cpu_seconds_total",
                                  "Total user and system CPU time spent in seconds.");
    double seconds = (stat_field(text.ptr, 14) + stat_field(text.ptr, 15)) / ticks;
    kd_counter_add(cpu, seconds - kd_series_value(cpu));
    kd_gauge_set(
        plain(metrics, KD_GAUGE, "process_virtual_memory_bytes", "Virtual memory size in bytes."),
        stat_field(text.ptr, 23));
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    kd_gauge_set(plain(metrics, KD_GAUGE, "process_virtual_memory_max_bytes",
                       "Maximum amount of virtual memory available in bytes."),
                 limited ? (double)limit.rlim_cur : HUGE_VAL);
    kd_gauge_set(
        plain(metrics, KD_GAUGE, "process_resident_memory_bytes", "Resident memory size in bytes."),
        stat_field(text.ptr, 24) * (double)sysconf(_SC_PAGESIZE));
    double boot = boot_time();
    if (boot > 0) {
        kd_gauge_set(plain(metrics, KD_GAUGE, "process_start_time_seconds",
                           "Start time of the process since unix epoch in seconds."),
                     boot + stat_field(text.ptr, 22) / ticks);
    }
}

static void collect_fds(struct kd_metrics *metrics)
{
    DIR *folder = opendir("/proc/self/fd");
    if (folder) {
        int n = -1; /* the folder's own descriptor */
        struct dirent *entry;
        while ((entry = readdir(folder)) != NULL) {
            n += entry->d_name[0] != '.';
        }
        (void)closedir(folder); /* read only: nothing to lose */
        kd_gauge_set(
            plain(metrics, KD_GAUGE, "process_open_fds", "Number of open file descriptors."), n);
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        kd_gauge_set(
            plain(metrics, KD_GAUGE, "process_max_fds", "Maximum number of open file descriptors."),
            (double)limit.rlim_cur);
    }
}

static void collect(void *arg)
{
    collect_stat(arg);
    collect_fds(arg);
}

void kd_metrics_add_process(struct kd_metrics *metrics, const char *version)
{
    static const char *const labels[] = { "version" };
    struct kd_family_spec spec = { .type = KD_GAUGE,
                                   .name = "kindred_build_info",
                                   .help = "The version that runs; always 1.",
                                   .labels = labels,
                                   .n_labels = 1 };
    kd_gauge_set(kd_family_series(kd_metrics_family(metrics, &spec), &version), 1);
    kd_metrics_on_collect(metrics, collect, metrics);
}
