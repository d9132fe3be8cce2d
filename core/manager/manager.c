#include "manager/manager.h"

#include "base/alloc.h"
#include "base/crash.h"
#include "base/log.h"
#include "base/stacks.h"
#include "base/thread.h"
#include "client/client.h"
#include "config/cluster.h"
#include "manager/gauges.h"
#include "manager/life.h"
#include "manager/setup.h"
#include "manager/warm.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Sent by us alone, to the thread that waits for a second signal. */
#define STOP_WATCHING SIGUSR2

/* What the last changes get when the grace time is over. */
#define LAST_FLUSH_NS (2 * KD_SEC_NS)

struct manager {
    const char *config_path;
    char *const *env;
    uint64_t content;        /* of the configuration's files, as they were before they were read */
    struct kd_strlist files; /* these files */
    struct kd_notify notify;
    struct kd_setup setup;
    struct kd_cluster *cluster;
    struct kd_metrics *metrics;
    struct kd_store *store;
    struct kd_loop *loop;
    struct kd_client *client;
    struct kd_pool *pool;
    struct kd_kinds kinds;
    struct kd_marks marks;
    struct kd_lead lead;
    struct kd_reload reload;
    struct kd_source source;
    struct kd_gauges gauges;
    struct kd_reviewer reviewer;
    struct kd_life life;
    struct kd_server *server;
    pthread_t io_thread;
    bool io_runs;
};

static int print_faults(const struct kd_faults *faults)
{
    for (size_t i = 0; i < faults->n; i++) {
        (void)fprintf(stderr, "kindred: %s\n", faults->items[i]);
    }
    return KD_EXIT_CONFIG;
}

static int exit_code_of(int error)
{
    return error == KD_ECONFIG || error == KD_EBUSY || error == KD_EABI ? KD_EXIT_CONFIG
                                                                        : KD_EXIT_FAILED;
}

/* Everything that can be wrong with settings comes before anything that others could see. */
static int open_parts(struct manager *manager, struct kd_error *err)
{
    const struct kd_config *config = manager->setup.config;
    KD_TRY(kd_cluster_find(&config->cluster, manager->env, &manager->cluster, err));
    manager->metrics = kd_metrics_new();
    kd_metrics_add_process(manager->metrics, KINDRED_VERSION);
    KD_TRY(kd_store_open(&config->store, &kd_system_clock, manager->metrics, &manager->store, err));
    manager->loop = kd_loop_new();
    KD_TRY(kd_client_new(manager->loop, manager->cluster, &config->cluster, manager->metrics,
                         &manager->client, err));
    manager->pool = kd_pool_new(&kd_system_clock, manager->metrics);
    return 0;
}

static int check_instances(struct manager *manager, struct kd_error *err)
{
    const struct kd_plugin_report *reports;
    size_t n = kd_plugins_report(manager->setup.plugins, &reports);
    for (size_t i = 0; i < n; i++) {
        bool failed_init = reports[i].state == KD_PLUGIN_REFUSED;
        if (failed_init && manager->setup.config->plugins.required) {
            return kd_fail(err, KD_ECONFIG, "%s: plugin \"%s\" refused: %s", reports[i].file,
                           reports[i].name, reports[i].error.text);
        }
    }
    return 0;
}

static void init_kinds(struct manager *manager)
{
    const struct kd_kinds_deps deps = {
        .loop = manager->loop,
        .client = manager->client,
        .metrics = manager->metrics,
        .pool = manager->pool,
        .store = manager->store,
        .fence = &manager->lead.fence,
        .marks = &manager->marks,
        .max_object_bytes = manager->setup.config->cluster.max_object_bytes,
    };
    const struct kd_lead_deps lead = {
        .loop = manager->loop,
        .client = manager->client,
        .metrics = manager->metrics,
        .settings = &manager->setup.config->leader,
    };
    kd_lead_init(&manager->lead, &lead, &manager->kinds);
    kd_store_set_fence(manager->store, &manager->lead.fence);
    kd_kinds_init(&manager->kinds, &deps);
    kd_marks_init(&manager->marks, &manager->kinds, manager->store, manager->loop);
    const struct kd_reload_deps reload = {
        .path = manager->config_path,
        .env = manager->env,
        .running = manager->setup.config,
        .kinds = &manager->kinds,
        .metrics = manager->metrics,
        .notify = &manager->notify,
    };
    kd_reload_init(&manager->reload, &reload, manager->content);
}

/* The kinds are there, and nothing runs yet. */
static int make_kinds(struct manager *manager, struct kd_error *err)
{
    struct kd_plan *plan = NULL;
    kd_plugins_init(manager->setup.plugins);
    KD_TRY(check_instances(manager, err));
    KD_TRY(kd_plan_make(&manager->kinds, manager->setup.plugins, &plan, err));
    manager->setup.plugins = NULL;
    kd_plan_commit(&manager->kinds, plan);
    return 0;
}

static int start_server(struct manager *manager, struct kd_error *err)
{
    const struct kd_config *config = manager->setup.config;
    const struct kd_server_settings settings = { .health = &config->health,
                                                 .metrics = &config->metrics,
                                                 .api = &config->api };
    manager->source = (struct kd_source){
        .kinds = &manager->kinds,
        .reload = &manager->reload,
        .lead = &manager->lead,
        .store = manager->store,
        .loop = manager->loop,
        .pool = manager->pool,
        .reviewer = &manager->reviewer,
        .config_path = manager->config_path,
        .env = manager->env,
        .stall_ns = config->health.stall_ns,
    };
    kd_reviewer_init(&manager->reviewer, manager->loop, manager->client);
    kd_gauges_init(&manager->gauges, manager->metrics, &manager->source);
    const struct kd_server_source source = kd_source_vtable(&manager->source);
    return kd_server_start(&settings, &source, manager->metrics, manager->store, &manager->server,
                           err);
}

static void *io_main(void *arg)
{
    struct manager *manager = arg;
    kd_loop_run(manager->loop);
    return NULL;
}

static int start_io(struct manager *manager, struct kd_error *err)
{
    if (kd_thread_create(&manager->io_thread, "kd-io", io_main, manager) != 0) {
        return kd_fail(err, KD_ENOMEM, "the I/O thread could not be started");
    }
    manager->io_runs = true;
    return 0;
}

static void start_kinds(void *arg)
{
    struct manager *manager = arg;
    kd_lead_start(&manager->lead);
    kd_marks_start(&manager->marks);
}

static void stop_kinds(void *arg)
{
    struct manager *manager = arg;
    kd_lead_drain(&manager->lead);
    kd_marks_stop(&manager->marks); /* what is still queued stands in it as pending */
    kd_kinds_stop(&manager->kinds);
}

static int start(struct manager *manager, struct kd_error *err)
{
    KD_TRY(open_parts(manager, err));
    init_kinds(manager);
    KD_TRY(start_io(manager, err));
    KD_TRY(make_kinds(manager, err));
    KD_TRY(start_server(manager, err));
    kd_warm_start(&manager->marks); /* the graph of the last process is served meanwhile */
    kd_loop_post(manager->loop, start_kinds, manager);
    KD_INFO("kindred started", KD_F("version", KINDRED_VERSION),
            KD_F("server", manager->cluster->server), KD_F("source", manager->cluster->source),
            KD_FU("kinds", manager->kinds.view->n));
    return 0;
}

static void block_signals(sigset_t *set)
{
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGTERM);
    (void)sigaddset(set, SIGINT);
    (void)sigaddset(set, SIGHUP);
    (void)sigaddset(set, SIGUSR1);
    (void)sigaddset(set, STOP_WATCHING);
    (void)pthread_sigmask(SIG_BLOCK, set, NULL); /* threads made later inherit it */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file over its limit is as a full disk: the write fails */
}

/* A second signal while draining ends the process at once. */
static void *second_signal(void *arg)
{
    const sigset_t *set = arg;
    int signal_number = 0;
    do {
        if (sigwait(set, &signal_number) != 0 || signal_number == STOP_WATCHING) {
            return NULL;
        }
    } while (signal_number == SIGHUP || signal_number == SIGUSR1);
    _exit(KD_EXIT_FAILED);
}

/* Only when the work has stopped and its last changes are written; else it runs out by itself. */
static void give_up_lead(struct manager *manager, bool drained)
{
    if (drained && kd_store_flush_for(manager->store, LAST_FLUSH_NS) == 0) {
        kd_lead_stop(&manager->lead);
    }
}

static bool stop_work(struct manager *manager)
{
    int64_t now_ns = kd_now_ns(&kd_system_clock);
    int64_t grace_ns = manager->setup.config->shutdown_grace_ns;
    if (manager->io_runs) {
        kd_reload_cancel(&manager->reload);
        kd_loop_call(manager->loop, stop_kinds, manager);
    }
    bool drained = !manager->pool || kd_pool_stop(manager->pool, kd_time_add_ns(now_ns, grace_ns));
    if (manager->io_runs) {
        give_up_lead(manager, drained);
        kd_loop_stop(manager->loop);
        (void)pthread_join(manager->io_thread, NULL);
        manager->io_runs = false;
    }
    return drained;
}

/* Consumers first, then what they use. */
static void release(struct manager *manager)
{
    kd_server_stop(manager->server);
    kd_life_release(&manager->life);
    kd_kinds_free(&manager->kinds);
    kd_marks_release(&manager->marks);
    kd_reload_release(&manager->reload);
    kd_pool_free(manager->pool);
    kd_lead_release(&manager->lead);
    kd_reviewer_close(&manager->reviewer);
    kd_client_free(manager->client);
    kd_loop_free(manager->loop);
    kd_store_close(manager->store);
    kd_metrics_free(manager->metrics);
    kd_cluster_free(manager->cluster);
    kd_setup_release(&manager->setup);
    kd_strlist_release(&manager->files);
    kd_notify_close(&manager->notify);
}

static void live(struct manager *manager, const sigset_t *set)
{
    struct kd_life *life = &manager->life;
    *life = (struct kd_life){
        .kinds = &manager->kinds,
        .store = manager->store,
        .lead = &manager->lead,
        .server = manager->server,
        .loop = manager->loop,
        .source = &manager->source,
        .reload = &manager->reload,
        .notify = &manager->notify,
        .path = manager->config_path,
    };
    kd_life_init(life, set, &manager->files);
    kd_notify_ready(&manager->notify);
    kd_life_run(life);
    kd_notify_send(&manager->notify, "STOPPING=1\nSTATUS=stopping");
}

static int stop(struct manager *manager, sigset_t *set)
{
    pthread_t watcher;
    int code = kd_lead_is_over(&manager->lead) ? KD_EXIT_LOST : KD_EXIT_CLEAN;
    bool watched = kd_thread_create(&watcher, "kd-signal", second_signal, set) == 0;
    KD_INFO("stopping",
            KD_FU("graceSeconds", manager->setup.config->shutdown_grace_ns / KD_SEC_NS));
    if (!stop_work(manager)) {
        KD_WARN("grace time over with work left", KD_F("remedy", "raise shutdown_grace"));
        if (kd_store_flush_for(manager->store, LAST_FLUSH_NS) < 0) {
            KD_ERROR("the last changes could not be written", KD_F("stage", "store"));
        }
        _exit(KD_EXIT_FAILED); /* a worker that hangs still uses the parts */
    }
    release(manager); /* still watched: closing the store may take its time */
    if (watched) {
        (void)pthread_kill(watcher, STOP_WATCHING);
        (void)pthread_join(watcher, NULL);
    }
    KD_INFO("stopped", KD_FU("code", code));
    return code;
}

int kd_manager_run(const char *config_path, char *const *env)
{
    struct manager manager = { .config_path = config_path, .env = env };
    struct kd_error error = { 0 };
    sigset_t set;
    kd_crash_install();
    kd_stacks_install();
    block_signals(&set); /* first, so that a signal at any time is an orderly stop */
    kd_notify_open(&manager.notify, env);
    manager.content = kd_config_content(config_path, &manager.files);
    if (kd_setup_load(&manager.setup, config_path, env, false) < 0) {
        int code = print_faults(&manager.setup.faults);
        release(&manager);
        return code;
    }
    int rc = start(&manager, &error);
    if (rc < 0) {
        (void)fprintf(stderr, "kindred: %s\n", error.text);
        (void)stop_work(&manager);
        release(&manager);
        return exit_code_of(rc);
    }
    live(&manager, &set);
    return stop(&manager, &set);
}
