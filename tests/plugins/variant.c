/*
 * A good plugin of which CMakeLists.txt replaces a part, so that each file it makes has one thing
 * wrong. It owns a kind of its own that no cluster has.
 */
#include <kindred/plugin.h>

/* The head. */
#ifndef MAGIC
#define MAGIC KD_PLUGIN_MAGIC
#endif
#ifndef STRUCT_SIZE
#define STRUCT_SIZE sizeof(struct kd_plugin)
#endif
#ifndef ABI_MAJOR
#define ABI_MAJOR KD_ABI_MAJOR
#endif
#ifndef ABI_MINOR
#define ABI_MINOR KD_ABI_MINOR
#endif
#ifndef MIN_HOST_MINOR
#define MIN_HOST_MINOR 0
#endif
#ifndef CAPS
#define CAPS 0
#endif
#ifndef PLUGIN_VERSION
#define PLUGIN_VERSION "1.2.3"
#endif
#ifndef INIT
#define INIT 0
#endif

/* Its kinds: two rows, of which one is declared. */
#ifndef KINDS
#define KINDS kinds
#endif
#ifndef N_KINDS
#define N_KINDS 1
#endif
#ifndef KIND_SIZE
#define KIND_SIZE sizeof(struct kd_kind)
#endif
#ifndef KIND_STRUCT_SIZE
#define KIND_STRUCT_SIZE sizeof(struct kd_kind)
#endif
#ifndef GROUP
#define GROUP "example.org"
#endif
#ifndef KIND
#define KIND "Variant"
#endif
#ifndef RESOURCE
#define RESOURCE "variants"
#endif
#ifndef SCOPE
#define SCOPE KD_SCOPE_NAMESPACED
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef FIELD
#define FIELD "/spec/nodeName"
#endif
#ifndef NOISE
#define NOISE "/status/conditions/*/lastHeartbeatTime"
#endif
#ifndef INDEX
#define INDEX "/spec/nodeName"
#endif
#ifndef INDEX_SIZE
#define INDEX_SIZE sizeof(struct kd_index)
#endif
#ifndef N_WATCHES
#define N_WATCHES 0
#endif
#ifndef RELATE
#define RELATE relate_nothing
#endif

/* Its settings: one number from 1 to 10, when it is declared. */
#ifndef N_OPTIONS
#define N_OPTIONS 0
#endif
#ifndef OPTION_SIZE
#define OPTION_SIZE sizeof(struct kd_option)
#endif
#ifndef OPTION_KEY
#define OPTION_KEY "number"
#endif
#ifndef OPTION_TYPE
#define OPTION_TYPE KD_OPTION_INT
#endif
#ifndef OPTION_OFFSET
#define OPTION_OFFSET 0
#endif
#ifndef OPTION_VALUE
#define OPTION_VALUE "3"
#endif
#ifndef SETTINGS_SIZE
#define SETTINGS_SIZE 64
#endif

__attribute__((unused)) static int32_t relate_nothing(void *self, struct kd_ctx *ctx,
                                                      const struct kd_object *obj,
                                                      struct kd_relations *out)
{
    (void)self;
    (void)ctx;
    (void)obj;
    (void)out;
    return 0;
}

__attribute__((unused)) static int32_t fail_with_text(const struct kd_host *host,
                                                      const void *settings, void **self,
                                                      struct kd_error *err)
{
    const char text[] = "the sky is\nnot blue";
    (void)host;
    (void)settings;
    (void)self;
    err->code = KD_ENET;
    __builtin_memcpy(err->text, text, sizeof(text));
    return KD_ENET;
}

__attribute__((unused)) static int32_t fail_silently(const struct kd_host *host,
                                                     const void *settings, void **self,
                                                     struct kd_error *err)
{
    (void)host;
    (void)settings;
    (void)self;
    (void)err;
    return KD_ETIMEOUT;
}

static void map_nothing(void *self, const struct kd_map_event *event, struct kd_requests *out)
{
    (void)self;
    (void)event;
    (void)out;
}

static const char *const fields[] = { FIELD };
static const char *const noise[] = { NOISE };
static const char *const short_names[] = { "vr" };
static const struct kd_index indexes[] = { { "node", INDEX } };
static const struct kd_watch watches[] = {
    { .group = "", .version = "v1", .kind = "Pod", .resource = "pods", .map = map_nothing },
};

#define ROW                                                                                        \
    {                                                                                              \
        .struct_size = KIND_STRUCT_SIZE, .flags = FLAGS, .group = GROUP, .version = "v1",          \
        .kind = KIND, .resource = RESOURCE, .scope = SCOPE, .n_fields = 1, .fields = fields,       \
        .noise = noise, .n_noise = 1, .n_indexes = 1, .indexes = indexes,                          \
        .index_size = INDEX_SIZE, .watch_size = sizeof(struct kd_watch), .watches = watches,       \
        .n_watches = N_WATCHES, .n_short_names = 1, .short_names = short_names, .relate = RELATE,  \
    }

__attribute__((unused)) static const struct kd_kind kinds[] = { ROW, ROW };

static const struct kd_option options[] = {
    { OPTION_KEY, OPTION_TYPE, OPTION_OFFSET, OPTION_VALUE, 1, 10, "A number." },
    { OPTION_KEY, OPTION_TYPE, OPTION_OFFSET, OPTION_VALUE, 1, 10, "The same again." },
};

const struct kd_plugin kindred_plugin = {
    .magic = MAGIC,
    .struct_size = STRUCT_SIZE,
    .abi_major = ABI_MAJOR,
    .abi_minor = ABI_MINOR,
    .min_host_minor = MIN_HOST_MINOR,
    .required_caps = CAPS,
    .name = PLUGIN_NAME,
    .version = PLUGIN_VERSION,
    .kinds = KINDS,
    .n_kinds = N_KINDS,
    .kind_size = KIND_SIZE,
    .options = options,
    .n_options = N_OPTIONS,
    .option_size = OPTION_SIZE,
    .settings_size = SETTINGS_SIZE,
    .init = INIT,
};
