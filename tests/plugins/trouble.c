/*
 * A plugin that behaves badly while it runs, in the way that its setting `mode` names. It observes
 * Pods, so that their owner runs beside it.
 */
#include <kindred/plugin.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct settings {
    struct kd_str mode;
    int64_t time_ns;
    struct kd_str file;
};

struct self {
    const struct settings *settings;
    const struct kd_host *host;
};

static const struct kd_option options[] = {
    { "mode", KD_OPTION_STRING, offsetof(struct settings, mode), "", 0, 0, "How it misbehaves." },
    { "time", KD_OPTION_DURATION, offsetof(struct settings, time_ns), "1s", 0, 0, "How long." },
    { "file", KD_OPTION_STRING, offsetof(struct settings, file), "", 0, 0,
      "While it is there, modes fail-while and busy-while fail." },
};

static int is_mode(const struct settings *settings, const char *mode)
{
    return strcmp(settings->mode.ptr, mode) == 0;
}

static void sleep_ns(int64_t ns)
{
    struct timespec left = { ns / 1000000000, ns % 1000000000 };
    while (nanosleep(&left, &left) != 0) {
    }
}

static int32_t init(const struct kd_host *host, const void *settings, void **self,
                    struct kd_error *err)
{
    struct self *mine = malloc(sizeof(*mine));
    (void)err;
    if (!mine) {
        return KD_ENOMEM;
    }
    *mine = (struct self){ settings, host };
    *self = mine;
    if (is_mode(mine->settings, "crash-init")) {
        abort();
    }
    if (is_mode(mine->settings, "slow-init")) {
        sleep_ns(mine->settings->time_ns);
    }
    return 0;
}

static void fini(void *self)
{
    struct self *mine = self;
    mine->host->log(mine->host, KD_LOG_INFO, "fini of trouble");
    free(mine);
}

/* Runs when the process ends, long after fini: it has nothing but itself. */
__attribute__((destructor)) static void at_exit(void)
{
    static const char text[] = "destructor of trouble\n";
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
        abort();
    }
}

/* Asks for scratch memory as long as there is some. */
static int32_t be_greedy(struct kd_ctx *ctx)
{
    while (kd_ctx_alloc(ctx, 1 << 20)) {
    }
    return KD_ENOMEM;
}

/* Never returns: the condition is only there so that the compiler does not see that. */
static int overflow(volatile int *depth)
{
    volatile char room[4096];
    room[0] = (char)*depth;
    return *depth < 0 ? 0 : overflow(depth) + room[0];
}

static void crash(const struct settings *settings)
{
    volatile int *volatile nowhere = NULL;
    volatile int depth = 1;
    if (is_mode(settings, "crash")) {
        *nowhere = 1;
    } else if (is_mode(settings, "abort")) {
        abort();
    } else if (is_mode(settings, "overflow")) {
        overflow(&depth);
    }
}

static void leak(void)
{
    void *volatile lost = malloc(1000);
    lost = 0;
    (void)lost;
}

static int32_t reconcile(void *self, struct kd_ctx *ctx, const struct kd_key *key,
                         struct kd_result *result)
{
    const struct settings *settings = ((const struct self *)self)->settings;
    (void)key;
    crash(settings);
    if (is_mode(settings, "overrun")) {
        sleep_ns(settings->time_ns);
    } else if (is_mode(settings, "greedy")) {
        return be_greedy(ctx);
    } else if (is_mode(settings, "leak")) {
        leak();
    } else if (is_mode(settings, "fail-while") && access(settings->file.ptr, F_OK) == 0) {
        return KD_EPLUGIN;
    } else if (is_mode(settings, "busy-while") && access(settings->file.ptr, F_OK) == 0) {
        return KD_ETIMEOUT;
    } else if (is_mode(settings, "terminal")) {
        return KD_ETERMINAL;
    } else if (is_mode(settings, "requeue")) {
        result->requeue_after_ns = 1;
    }
    return 0;
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .flags = KD_KIND_OBSERVER,
        .group = "",
        .version = "v1",
        .kind = "Pod",
        .resource = "pods",
        .scope = KD_SCOPE_NAMESPACED,
        .reconcile = reconcile,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD(PLUGIN_NAME, "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
    KD_ARRAY(options, n_options, options),
    .option_size = sizeof(struct kd_option),
    .settings_size = sizeof(struct settings),
    .init = init,
    .fini = fini,
};
