#include "manager/fingerprint.h"

#include "base/hash.h"

#include <string.h>
#include <sys/stat.h>

#define SEED UINT64_C(0x6b696e6472656431) /* the same in every process */

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return kd_hash(text, strlen(text), hash);
}

static uint64_t mix_list(uint64_t hash, const struct kd_strlist *list)
{
    hash = kd_hash_mix(hash, list->n);
    for (size_t i = 0; i < list->n; i++) {
        hash = mix_text(hash, list->items[i]);
    }
    return hash;
}

static uint64_t mix_settings(uint64_t hash, const struct kd_kind_entry *entry)
{
    for (size_t i = 0; i < entry->n_settings; i++) {
        const struct kd_setting *setting = &entry->settings[i];
        hash = mix_text(hash, setting->key);
        hash = mix_text(hash, setting->text ? setting->text : "");
        hash = kd_hash_mix(hash, (uint64_t)setting->number);
        hash = mix_list(hash, &setting->list);
    }
    return hash;
}

/* A plugin that was built anew may do other things under the same version. */
static uint64_t mix_file(uint64_t hash, const struct kd_plugins *plugins, const char *instance)
{
    const struct kd_plugin_report *reports = NULL;
    size_t n = plugins ? kd_plugins_report(plugins, &reports) : 0;
    for (size_t i = 0; i < n; i++) {
        struct stat info;
        if (strcmp(reports[i].name, instance) == 0 && stat(reports[i].file, &info) == 0) {
            hash = kd_hash_mix(hash, (uint64_t)info.st_size);
            hash = kd_hash_mix(hash, (uint64_t)info.st_mtim.tv_sec);
            hash = kd_hash_mix(hash, (uint64_t)info.st_mtim.tv_nsec);
        }
    }
    return hash;
}

static uint64_t mix_scopes(uint64_t hash, const struct kd_plugins *plugins)
{
    struct kd_instance *const *instances = NULL;
    size_t n = plugins ? kd_plugins_instances(plugins, &instances) : 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < instances[i]->n_kinds; j++) {
            const struct kd_kind *def = &instances[i]->kinds[j].def;
            hash = mix_text(mix_text(hash, def->group), def->kind);
            hash = kd_hash_mix(hash, def->scope);
        }
    }
    return hash;
}

int64_t kd_fingerprint(const struct kd_plugins *plugins, const struct kd_instance_kind *kind)
{
    const struct kd_instance *instance = kind->instance;
    uint64_t hash = mix_text(SEED, KINDRED_VERSION);
    hash = mix_text(mix_text(hash, instance->plugin->name), instance->plugin->version);
    hash = mix_text(mix_text(hash, instance->entry->tuning.mode), kind->def.version);
    hash = kd_hash_mix(hash, kind->def.flags);
    hash = mix_settings(hash, instance->entry);
    hash = mix_file(hash, plugins, instance->name);
    hash = mix_scopes(hash, plugins);
    return hash ? (int64_t)hash : 1;
}
