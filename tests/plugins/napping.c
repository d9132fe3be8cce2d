/*
 * Its reconcile sleeps and asks to come again (B69). What it uses is freed by fini: a call after
 * that is seen by a sanitizer, and ends the process without one. It says when it ends as a library.
 */
#include <kindred/plugin.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ALIVE 0x616c6976u
#define GONE 0x676f6e65u

struct settings {
    int64_t nap_ns;
    int64_t again_ns;
};

struct self {
    uint32_t state;
    struct settings settings;
    const struct kd_host *host;
};

static const struct kd_option options[] = {
    { "nap", KD_OPTION_DURATION, offsetof(struct settings, nap_ns), "2s", 0, 0, "Time to sleep." },
    { "again", KD_OPTION_DURATION, offsetof(struct settings, again_ns), "1s", 0, 0,
      "Time until it comes again." },
};

static void check(const struct self *self)
{
    if (self->state != ALIVE) {
        abort();
    }
}

static int32_t nap(void *arg, struct kd_ctx *ctx, const struct kd_key *key,
                   struct kd_result *result)
{
    struct self *self = arg;
    check(self);
    const struct timespec time = { self->settings.nap_ns / 1000000000,
                                   self->settings.nap_ns % 1000000000 };
    (void)key;
    kd_ctx_log(ctx, KD_LOG_INFO, "nap begins");
    (void)nanosleep(&time, NULL);
    check(self);
    kd_ctx_log(ctx, KD_LOG_INFO, "nap ends");
    result->requeue_after_ns = self->settings.again_ns;
    return 0;
}

static int32_t init(const struct kd_host *host, const void *settings, void **self,
                    struct kd_error *err)
{
    struct self *mine = malloc(sizeof(*mine));
    (void)err;
    if (!mine) {
        return KD_ENOMEM;
    }
    *mine = (struct self){ ALIVE, *(const struct settings *)settings, host };
    *self = mine;
    return 0;
}

static void fini(void *self)
{
    struct self *mine = self;
    check(mine);
    mine->state = GONE;
    mine->host->log(mine->host, KD_LOG_INFO, "fini of the napping one");
    free(mine);
}

/* B72: what a library does when it goes must not disturb the host. */
static void __attribute__((destructor)) leave(void)
{
    static const char text[] = "the napping library ends\n";
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
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
        .reconcile = nap,
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
