#include "manager/reload.h"

#include "base/alloc.h"
#include "base/log.h"
#include "manager/gate.h"
#include "manager/setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KEYS_MAX 1024

static struct kd_series *gauge(struct kd_metrics *metrics, const char *name, const char *help)
{
    const struct kd_family_spec spec = { .type = KD_GAUGE, .name = name, .help = help };
    return kd_family_series(kd_metrics_family(metrics, &spec), NULL);
}

static void make_metrics(struct kd_reload *reload, struct kd_metrics *metrics)
{
    static const char *const labels[] = { "result" };
    const struct kd_family_spec reloads = { .type = KD_COUNTER,
                                            .name = "kindred_config_reloads_total",
                                            .help = "Configurations tried while running.",
                                            .labels = labels,
                                            .n_labels = 1 };
    reload->successful = gauge(metrics, "kindred_config_last_reload_successful",
                               "Whether the last configuration tried is the one that runs.");
    reload->success_time = gauge(metrics, "kindred_config_last_reload_success_timestamp_seconds",
                                 "When the configuration that runs was taken.");
    reload->hash = gauge(metrics, "kindred_config_hash",
                         "Hash of the content of the configuration that runs.");
    reload->reloads = kd_metrics_family(metrics, &reloads);
    (void)kd_family_series(reload->reloads, (const char *const[]){ "success" });
    (void)kd_family_series(reload->reloads, (const char *const[]){ "refused" });
}

static void note_success(struct kd_reload *reload)
{
    kd_gauge_set(reload->successful, 1);
    kd_gauge_set(reload->success_time, (double)kd_wall_ns(&kd_system_clock) / 1e9);
    kd_gauge_set(reload->hash, (double)reload->content);
    pthread_mutex_lock(&reload->lock);
    reload->text[0] = '\0';
    pthread_mutex_unlock(&reload->lock);
}

void kd_reload_init(struct kd_reload *reload, const struct kd_reload_deps *deps, uint64_t content)
{
    *reload = (struct kd_reload){ .deps = *deps, .content = content };
    pthread_mutex_init(&reload->lock, NULL);
    reload->level = kd_strdup(deps->running->log.level);
    reload->format = kd_strdup(deps->running->log.format);
    make_metrics(reload, deps->metrics);
    note_success(reload);
}

void kd_reload_cancel(struct kd_reload *reload)
{
    kd_plan_drop(reload->deps.kinds, kd_steal(reload->plan));
    reload->next = kd_config_free(reload->next);
}

void kd_reload_release(struct kd_reload *reload)
{
    if (reload->level) {
        kd_free(reload->level);
        kd_free(reload->format);
        pthread_mutex_destroy(&reload->lock);
    }
    *reload = (struct kd_reload){ 0 };
}

void kd_reload_describe(struct kd_reload *reload, char ret[KD_ERROR_TEXT])
{
    pthread_mutex_lock(&reload->lock);
    memcpy(ret, reload->text, KD_ERROR_TEXT);
    pthread_mutex_unlock(&reload->lock);
}

/* -- refused */

static void refuse(struct kd_reload *reload, const struct kd_faults *faults)
{
    for (size_t i = 0; i < faults->n; i++) {
        KD_ERROR("new configuration refused", KD_F("fault", faults->items[i]));
    }
    KD_WARN("the running configuration stays as it is", KD_F("file", reload->deps.path),
            KD_FU("faults", faults->n));
    kd_gauge_set(reload->successful, 0);
    kd_counter_add(kd_family_series(reload->reloads, (const char *const[]){ "refused" }), 1);
    pthread_mutex_lock(&reload->lock);
    (void)snprintf(reload->text, sizeof(reload->text),
                   "the last reload was refused, the former configuration runs: %s",
                   faults->n > 0 ? faults->items[0] : "no reason given"); /* cut to fit */
    pthread_mutex_unlock(&reload->lock);
    kd_notify_ready(reload->deps.notify);
}

static void add_refusal(struct kd_faults *faults, const struct kd_config *config,
                        const struct kd_plugin_report *report)
{
    kd_faults_add(faults, "%s: plugin \"%s\" refused: %s (expected %s, found %s)",
                  report->file[0] ? report->file : config->path, report->name, report->error.text,
                  report->expected, report->found);
}

/* -- taken */

/* Instances that are new have been started, and nothing of what runs is touched. */
static struct kd_plugins *load_plugins(struct kd_reload *reload, const struct kd_config *next,
                                       struct kd_faults *faults)
{
    const struct kd_plugins *now = reload->deps.kinds->view->plugins;
    struct kd_plugins *plugins = kd_plugins_reload(now, &reload->deps.running->plugins, next);
    const struct kd_plugin_report *refused = kd_plugins_newly_refused(plugins, now);
    if (!refused) {
        kd_plugins_init(plugins);
        refused = kd_plugins_newly_refused(plugins, now);
    }
    if (refused) {
        add_refusal(faults, next, refused);
        kd_plugins_free(plugins);
        return NULL;
    }
    return plugins;
}

static void make_plan(struct kd_reload *reload, struct kd_faults *faults)
{
    struct kd_error error = { 0 };
    if (kd_config_load(reload->deps.path, reload->deps.env, &reload->next, faults) < 0) {
        return;
    }
    kd_gate_check(reload->next, faults);
    if (faults->n > 0) {
        return;
    }
    struct kd_plugins *plugins = load_plugins(reload, reload->next, faults);
    if (plugins && kd_plan_make(reload->deps.kinds, plugins, &reload->plan, &error) < 0) {
        kd_faults_add(faults, "%s: %s", reload->deps.path, error.text);
        kd_plugins_free(plugins);
    }
}

static void apply_log(struct kd_reload *reload, const struct kd_log_settings *log)
{
    if (strcmp(log->level, reload->level) == 0 && strcmp(log->format, reload->format) == 0) {
        return; /* a level that was set by other means since then stays */
    }
    kd_free(reload->level);
    kd_free(reload->format);
    reload->level = kd_strdup(log->level);
    reload->format = kd_strdup(log->format);
    kd_setup_log(log);
}

bool kd_reload_begin(struct kd_reload *reload, uint64_t content)
{
    struct kd_faults faults = { 0 };
    if (reload->plan) {
        return false;
    }
    kd_notify_reloading(reload->deps.notify);
    reload->content = content;
    make_plan(reload, &faults);
    if (reload->plan) {
        apply_log(reload, &reload->next->log);
        kd_plan_note_disabled(reload->deps.kinds, reload->plan, reload->next);
        kd_plan_begin(reload->deps.kinds, reload->plan);
        reload->deadline_ns =
            kd_time_add_ns(kd_now_ns(&kd_system_clock), reload->deps.running->shutdown_grace_ns);
    } else {
        refuse(reload, &faults);
        reload->next = kd_config_free(reload->next);
    }
    kd_faults_release(&faults);
    return true;
}

static void tell(const struct kd_reload *reload)
{
    KD_AUTO_BUF struct kd_buf keys;
    kd_buf_init(&keys, KEYS_MAX);
    kd_config_restart_keys(reload->deps.running, reload->next, &keys);
    if (keys.len > 0) {
        KD_WARN("a changed key needs a restart to take effect", KD_FS("keys", kd_buf_str(&keys)));
    }
    char hash[20];
    (void)snprintf(hash, sizeof(hash), "%012" PRIx64, reload->content);
    KD_INFO("configuration reloaded", KD_F("file", reload->deps.path), KD_F("hash", hash),
            KD_FU("kinds", reload->deps.kinds->view->n));
}

static void start_kinds(void *arg)
{
    kd_kinds_start(arg);
}

bool kd_reload_step(struct kd_reload *reload)
{
    struct kd_kinds *kinds = reload->deps.kinds;
    if (!reload->plan) {
        return false;
    }
    if (!kd_plan_is_quiet(reload->plan)) {
        if (kd_now_ns(&kd_system_clock) < reload->deadline_ns) {
            return false;
        }
        KD_WARN("a worker does not leave what a reload has stopped; going on without it",
                KD_F("remedy", "see which plugin overruns its deadline"));
    }
    kd_plan_commit(kinds, kd_steal(reload->plan));
    kd_loop_call(kinds->deps.loop, start_kinds, kinds);
    tell(reload);
    reload->next = kd_config_free(reload->next);
    note_success(reload);
    kd_counter_add(kd_family_series(reload->reloads, (const char *const[]){ "success" }), 1);
    kd_notify_ready(reload->deps.notify);
    return true;
}
