/*
 * A plugin of a later minor of this major: every struct has grown at its end, so every stride
 * differs from the host's. It is content with this host.
 */
#include <kindred/plugin.h>

struct grown_index {
    struct kd_index today;
    const char *later;
};

struct grown_kind {
    struct kd_kind today;
    uint64_t later[3];
};

struct grown_option {
    struct kd_option today;
    uint64_t later;
};

struct grown_plugin {
    struct kd_plugin today;
    void (*later)(void);
};

static const char *const fields[] = { "/spec/a", "/spec/b/c" };
static const char *const noise[] = { "/status/*/seen" };
static const char *const short_names[] = { "go", "gro" };
static const struct grown_index indexes[] = {
    { { "a", "/spec/a" }, "later" },
    { { "c", "/spec/b/c" }, "later" },
};

static const struct grown_kind kinds[] = {
    {
        .today = {
            .struct_size = sizeof(struct grown_kind),
            .group = "example.org",
            .version = "v2",
            .kind = "First",
            .resource = "firsts",
            .scope = KD_SCOPE_CLUSTER,
            KD_ARRAY(fields, n_fields, fields),
            KD_ARRAY(noise, n_noise, noise),
            .indexes = &indexes[0].today,
            .n_indexes = 2,
            .index_size = sizeof(struct grown_index),
            KD_ARRAY(short_names, n_short_names, short_names),
        },
        .later = { 1, 2, 3 },
    },
    {
        .today = {
            .struct_size = sizeof(struct grown_kind),
            .group = "",
            .version = "v2",
            .kind = "Second",
            .resource = "seconds",
        },
        .later = { 4, 5, 6 },
    },
};

static const struct grown_option options[] = {
    { { "one", KD_OPTION_INT, 0, "1", 0, 0, "One." }, 1 },
    { { "two", KD_OPTION_INT, 8, "2", 0, 0, "Two." }, 2 },
};

static int64_t copy[2];

static int32_t init(const struct kd_host *host, const void *settings, void **self,
                    struct kd_error *err)
{
    (void)host;
    (void)err;
    __builtin_memcpy(copy, settings, sizeof(copy));
    *self = copy;
    return 0;
}

/* The header declares the symbol with today's type; this is the same symbol with a larger one. */
extern const struct grown_plugin grown_plugin __asm__("kindred_plugin") KD_PLUGIN_EXPORT;

const struct grown_plugin grown_plugin = {
    .today = {
        .magic = KD_PLUGIN_MAGIC,
        .struct_size = sizeof(struct grown_plugin),
        .abi_major = KD_ABI_MAJOR,
        .abi_minor = KD_ABI_MINOR + 1,
        .min_host_minor = 0,
        .name = PLUGIN_NAME,
        .version = "2.0.0",
        .kinds = &kinds[0].today,
        .n_kinds = 2,
        .kind_size = sizeof(struct grown_kind),
        .options = &options[0].today,
        .n_options = 2,
        .option_size = sizeof(struct grown_option),
        .settings_size = 16,
        .init = init,
    },
};
