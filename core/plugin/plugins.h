/*
 * The plugin host: finds, checks and loads plugins, and keeps one instance per config entry. The
 * order of checks is that of the design; a refusal is one line that names file, plugin, expected,
 * found and rule, and leaves nothing behind. Loaded code stays resident.
 * Thread: loading, init, fini and kd_plugins_free on the main thread; what is here is immutable
 * afterwards.
 */
#ifndef KD_PLUGIN_PLUGINS_H
#define KD_PLUGIN_PLUGINS_H

#include "base/error.h"
#include "config/settings.h"
#include "json/plan.h"

#include <kindred/plugin.h>

struct kd_plugins;
struct kd_instance;

/* One kind of one instance. */
struct kd_instance_kind {
    struct kd_kind def; /* a whole, zero-filled copy; its arrays have the host's strides */
    struct kd_instance *instance;
    struct kd_json_plan *fields; /* the fixed metadata paths first, then def.fields */
};

struct kd_instance {
    const char *name;                  /* of the config entry */
    const struct kd_kind_entry *entry; /* a copy of its own: it outlives the configuration */
    const struct kd_plugin *plugin;    /* whole, zero-filled copy */
    void *self;
    struct kd_instance_kind *kinds;
    size_t n_kinds;
    bool started; /* init has returned 0 */
};

enum kd_plugin_state { KD_PLUGIN_LOADED, KD_PLUGIN_REFUSED };

/* For /api/v1/plugins and `kindred check`. Strings are never NULL. */
struct kd_plugin_report {
    const char *name; /* of the entry */
    const char *file;
    const char *version;
    char abi[16];
    enum kd_plugin_state state;
    struct kd_error error;
    char expected[96];
    char found[96];
};

/*
 * Loads the plugins of all enabled entries and makes their instances, without calling init. A
 * refused one is reported and left out. Never fails as a whole: the caller looks at the reports.
 */
struct kd_plugins *kd_plugins_load(const struct kd_config *config);
/*
 * The same for a reload: entries that ask for what they asked for in `from` (may be NULL) keep
 * their instance, which both share then; what was refused is tried again. Files are looked for by
 * `settings`. `from` stays as it is.
 */
struct kd_plugins *kd_plugins_reload(const struct kd_plugins *from,
                                     const struct kd_plugins_settings *settings,
                                     const struct kd_config *config);
/* Calls init for each instance that has not been started; one that fails becomes refused, and is
 * told in the log. */
void kd_plugins_init(struct kd_plugins *plugins);
/* In reverse order calls fini of what nobody else shares, and frees all but the code. */
void kd_plugins_free(struct kd_plugins *plugins);
/* The first report of a refusal that `from` has not shown for the same entry, or NULL. */
const struct kd_plugin_report *kd_plugins_newly_refused(const struct kd_plugins *plugins,
                                                        const struct kd_plugins *from);

size_t kd_plugins_report(const struct kd_plugins *plugins, const struct kd_plugin_report **ret);
/* The instances that are not refused. */
size_t kd_plugins_instances(const struct kd_plugins *plugins, struct kd_instance *const **ret);

#endif
