#include "plugin/plugins.h"

#include "base/alloc.h"
#include "base/crash.h"
#include "base/log.h"
#include "plugin/kinds.h"
#include "plugin/settings.h"
#include "plugin/slow_init.h"

#include <stdio.h>
#include <string.h>

#define INSTANCE_ARENA (UINT64_C(4) << 20)

/* One config entry: its report, and while it is not refused its instance. */
struct slot {
    size_t users; /* sets of plugins that hold it: two while one follows the other */
    struct kd_kind_entry *entry;
    struct kd_instance instance;
    struct kd_host host;
    struct kd_arena arena;
    void *settings;
    char *file; /* these two are the report's; a refused file's own strings go with it */
    char *version;
};

struct kd_plugins {
    struct slot **slots; /* one per enabled entry, parallel to reports and live */
    struct kd_plugin_report *reports;
    bool *live; /* it is not refused */
    size_t n;
    struct kd_instance **instances; /* those that are not refused */
    size_t n_instances;
};

static void host_log(const struct kd_host *host, uint32_t level, const char *text)
{
    const struct kd_instance *instance = host->opaque;
    KD_LOG(level, text, KD_F("plugin", instance->name));
}

static void set_refused(struct kd_plugin_report *report, const struct kd_refusal *refusal)
{
    report->state = KD_PLUGIN_REFUSED;
    report->error = refusal->error;
    (void)snprintf(report->expected, sizeof(report->expected), "%s", refusal->expected);
    (void)snprintf(report->found, sizeof(report->found), "%s", refusal->found);
}

static int check_owner(const struct kd_plugins *plugins, const struct kd_instance *instance,
                       struct kd_refusal *refusal)
{
    for (size_t i = 0; i < plugins->n_instances; i++) {
        const struct kd_instance *other = plugins->instances[i];
        for (size_t j = 0; j < other->n_kinds * instance->n_kinds; j++) {
            const struct kd_kind *a = &other->kinds[j / instance->n_kinds].def;
            const struct kd_kind *b = &instance->kinds[j % instance->n_kinds].def;
            bool both_own = !((a->flags | b->flags) & KD_KIND_OBSERVER);
            if (both_own && strcmp(a->group, b->group) == 0 && strcmp(a->kind, b->kind) == 0) {
                return kd_refuse(refusal, KD_EEXIST,
                                 "one instance owns a kind: disable one of the two entries",
                                 other->name, "kind %s is taken by it", b->kind);
            }
        }
    }
    return 0;
}

static int check_instance(const struct kd_plugins *plugins, const struct kd_loaded *loaded,
                          struct slot *slot, struct kd_refusal *refusal)
{
    struct kd_instance *instance = &slot->instance;
    KD_TRY(
        kd_plugin_settings_fill(loaded, instance->entry, &slot->arena, &slot->settings, refusal));
    KD_TRY(kd_kinds_take(instance, loaded, slot->settings, &slot->arena, refusal));
    return check_owner(plugins, instance, refusal);
}

static int make_instance(const struct kd_plugins *plugins,
                         const struct kd_plugins_settings *settings, struct slot *slot,
                         struct kd_plugin_report *report, struct kd_refusal *refusal)
{
    struct kd_instance *instance = &slot->instance;
    struct kd_loaded *loaded = NULL;
    int rc = kd_loader_load(settings, instance->entry->plugin, &loaded, &slot->file, refusal);
    report->file = slot->file;
    KD_TRY(rc);
    slot->version = kd_strdup(loaded->plugin.version);
    report->version = slot->version;
    (void)snprintf(report->abi, sizeof(report->abi), "%u.%u", (unsigned)loaded->plugin.abi_major,
                   (unsigned)loaded->plugin.abi_minor);
    rc = check_instance(plugins, loaded, slot, refusal);
    rc = rc < 0 ? rc : kd_loader_keep(loaded, refusal);
    if (rc < 0) {
        kd_kinds_release(instance);
        kd_loader_drop(loaded);
        return rc;
    }
    instance->plugin = &loaded->plugin;
    return 0;
}

static struct slot *slot_new(const struct kd_kind_entry *entry, struct kd_plugin_report *report)
{
    struct slot *slot = kd_zalloc(sizeof(*slot));
    kd_arena_init(&slot->arena, INSTANCE_ARENA);
    slot->entry = kd_kind_entry_copy(entry);
    slot->instance.name = slot->entry->name;
    slot->instance.entry = slot->entry;
    *report = (struct kd_plugin_report){
        .name = slot->entry->name, .file = "", .version = "", .state = KD_PLUGIN_LOADED
    };
    return slot;
}

/* The place of an entry that asks for the same, or from->n. */
static size_t find_same(const struct kd_plugins *from, const struct kd_kind_entry *entry)
{
    size_t i = 0;
    while (i < from->n && !kd_kind_entry_same(from->slots[i]->entry, entry)) {
        i++;
    }
    return i;
}

static int take_entry(struct kd_plugins *plugins, const struct kd_plugins *from,
                      const struct kd_plugins_settings *settings, const struct kd_kind_entry *entry,
                      struct kd_refusal *refusal)
{
    size_t same = from ? find_same(from, entry) : 0;
    struct kd_plugin_report *report = &plugins->reports[plugins->n];
    struct slot **slot = &plugins->slots[plugins->n++];
    if (from && same < from->n && from->live[same]) {
        *slot = from->slots[same];
        *report = from->reports[same];
        (*slot)->users++;
        return check_owner(plugins, &(*slot)->instance, refusal);
    }
    *slot = slot_new(entry, report);
    (*slot)->users = 1;
    return make_instance(plugins, settings, *slot, report, refusal);
}

struct kd_plugins *kd_plugins_reload(const struct kd_plugins *from,
                                     const struct kd_plugins_settings *settings,
                                     const struct kd_config *config)
{
    struct kd_plugins *plugins = kd_zalloc(sizeof(*plugins));
    plugins->slots = kd_zalloc_array(config->n_kinds, sizeof(*plugins->slots));
    plugins->reports = kd_zalloc_array(config->n_kinds, sizeof(*plugins->reports));
    plugins->live = kd_zalloc_array(config->n_kinds, sizeof(*plugins->live));
    plugins->instances = kd_zalloc_array(config->n_kinds, sizeof(*plugins->instances));
    for (size_t i = 0; i < config->n_kinds; i++) {
        struct kd_refusal refusal = { 0 };
        if (!config->kinds[i].enabled) {
            continue;
        }
        size_t at = plugins->n;
        if (take_entry(plugins, from, settings, &config->kinds[i], &refusal) < 0) {
            set_refused(&plugins->reports[at], &refusal);
        } else {
            plugins->live[at] = true;
            plugins->instances[plugins->n_instances++] = &plugins->slots[at]->instance;
        }
    }
    return plugins;
}

struct kd_plugins *kd_plugins_load(const struct kd_config *config)
{
    return kd_plugins_reload(NULL, &config->plugins, config);
}

static int start_instance(struct slot *slot, struct kd_refusal *refusal)
{
    struct kd_instance *instance = &slot->instance;
    slot->host = (struct kd_host){
        .struct_size = sizeof(struct kd_host),
        .abi_major = KD_ABI_MAJOR,
        .abi_minor = KD_ABI_MINOR,
        .caps = KD_CAPS_ALL,
        .version = KINDRED_VERSION,
        .log = host_log,
        .opaque = instance,
    };
    struct kd_error error = { 0 };
    const struct kd_crash_place place = { .plugin = instance->name };
    kd_crash_enter(&place);
    int rc = instance->plugin->init
                 ? instance->plugin->init(&slot->host, slot->settings, &instance->self, &error)
                 : 0;
    kd_crash_leave();
    error.text[sizeof(error.text) - 1] = '\0'; /* the plugin wrote it */
    if (rc < 0) {
        return kd_refuse(refusal, KD_EPLUGIN,
                         error.text[0] ? error.text : "the plugin's init failed without a text",
                         "init returns 0", "%s", kd_errno_text(rc));
    }
    instance->started = true;
    return 0;
}

void kd_plugins_init(struct kd_plugins *plugins)
{
    struct kd_init_watch watch;
    plugins->n_instances = 0;
    kd_init_watch_start(&watch);
    for (size_t i = 0; i < plugins->n; i++) {
        struct slot *slot = plugins->slots[i];
        struct kd_refusal refusal = { 0 };
        if (!plugins->live[i]) {
            continue;
        }
        int rc = 0;
        if (!slot->instance.started) {
            kd_init_watch_begin(&watch, slot->instance.name);
            rc = start_instance(slot, &refusal);
            kd_init_watch_end(&watch);
        }
        if (rc < 0) {
            set_refused(&plugins->reports[i], &refusal);
            plugins->live[i] = false;
            KD_ERROR("plugin refused", KD_F("plugin", slot->instance.name),
                     KD_F("file", plugins->reports[i].file), KD_F("rule", refusal.error.text),
                     KD_F("expected", refusal.expected), KD_F("found", refusal.found));
        } else {
            plugins->instances[plugins->n_instances++] = &slot->instance;
        }
    }
    kd_init_watch_stop(&watch);
}

static void slot_drop(struct slot *slot)
{
    struct kd_instance *instance = &slot->instance;
    if (--slot->users > 0) {
        return;
    }
    if (instance->started && instance->plugin->fini) {
        instance->plugin->fini(instance->self);
    }
    kd_kinds_release(instance);
    kd_arena_release(&slot->arena);
    kd_kind_entry_free(slot->entry);
    kd_free(slot->file);
    kd_free(slot->version);
    kd_free(slot);
}

void kd_plugins_free(struct kd_plugins *plugins)
{
    if (!plugins) {
        return;
    }
    for (size_t i = plugins->n; i-- > 0;) {
        slot_drop(plugins->slots[i]);
    }
    kd_free(plugins->slots);
    kd_free(plugins->reports);
    kd_free(plugins->live);
    kd_free(plugins->instances);
    kd_free(plugins);
}

const struct kd_plugin_report *kd_plugins_newly_refused(const struct kd_plugins *plugins,
                                                        const struct kd_plugins *from)
{
    for (size_t i = 0; i < plugins->n; i++) {
        size_t same = find_same(from, plugins->slots[i]->entry);
        bool known = same < from->n && !from->live[same];
        if (!plugins->live[i] && !known) {
            return &plugins->reports[i];
        }
    }
    return NULL;
}

size_t kd_plugins_report(const struct kd_plugins *plugins, const struct kd_plugin_report **ret)
{
    *ret = plugins->reports;
    return plugins->n;
}

size_t kd_plugins_instances(const struct kd_plugins *plugins, struct kd_instance *const **ret)
{
    *ret = plugins->instances;
    return plugins->n_instances;
}
