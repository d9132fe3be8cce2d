/* A plugin that calls what nobody has. */
#include <kindred/plugin.h>

int nobody_has_this(void);

static int32_t init(const struct kd_host *host, const void *settings, void **self,
                    struct kd_error *err)
{
    (void)host;
    (void)settings;
    (void)self;
    (void)err;
    return nobody_has_this();
}

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD(PLUGIN_NAME, "1.0.0"),
    .init = init,
};
