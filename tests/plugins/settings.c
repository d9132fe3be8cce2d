/*
 * A plugin with a setting of each type. Its kind comes from a setting, so that two instances of one
 * file can serve two kinds; an empty name gives none, "bad" makes describe fail.
 */
#include "settings.h"

#include <stddef.h>

static const struct kd_option options[] = {
    { "text", KD_OPTION_STRING, offsetof(struct settings, text), "Thing", 0, 0, "The kind." },
    { "empty", KD_OPTION_STRING, offsetof(struct settings, empty), 0, 0, 0, "Text." },
    { "number", KD_OPTION_INT, offsetof(struct settings, number), "-3", -5, 10, "A number." },
    { "any_number", KD_OPTION_INT, offsetof(struct settings, any_number), 0, 0, 0, "A number." },
    { "wait", KD_OPTION_DURATION, offsetof(struct settings, wait_ns), "5s", 1000000000, 60000000000,
      "A time." },
    { "on", KD_OPTION_BOOL, offsetof(struct settings, on), "true", 0, 0, "A truth." },
    { "off", KD_OPTION_BOOL, offsetof(struct settings, off), "false", 0, 0, "Another." },
    { "list", KD_OPTION_STRINGS, offsetof(struct settings, list), "[]", 0, 0, "Texts." },
    { SETTINGS_LONG_KEY, KD_OPTION_STRING, offsetof(struct settings, long_key), 0, 0, 0, "Text." },
};

static int32_t describe(const void *memory, struct kd_kind_sink *sink)
{
    const struct settings *settings = memory;
    char resource[] = "things"; /* gone after the call: the host copies */
    const struct kd_kind kind = {
        .struct_size = sizeof(kind),
        .group = "example.org",
        .version = "v1",
        .kind = settings->text.ptr,
        .resource = resource,
    };
    if (settings->text.len == 0) {
        return 0;
    }
    if (settings->text.len == 3 && __builtin_memcmp(settings->text.ptr, "bad", 3) == 0) {
        return KD_EINVAL;
    }
    return sink->add(sink, &kind);
}

static struct settings_self selves[8];
static int64_t n_selves;
static int64_t n_live;

static int32_t init(const struct kd_host *host, const void *settings, void **self,
                    struct kd_error *err)
{
    (void)err;
    struct settings_self *mine = &selves[n_selves++ % 8];
    n_live++;
    *mine = (struct settings_self){ settings, host, n_live };
    *self = mine;
    return 0;
}

static void fini(void *self)
{
    struct settings_self *mine = self;
    n_live--;
    mine->host->log(mine->host, KD_LOG_DEBUG, "ended");
}

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD(PLUGIN_NAME, "1.0.0"),
    KD_ARRAY(options, n_options, options),
    .option_size = sizeof(struct kd_option),
    .settings_size = sizeof(struct settings),
    .describe = describe,
    .init = init,
    .fini = fini,
};
