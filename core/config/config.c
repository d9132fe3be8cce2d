/* Life of a kd_config, by the table of keys, and the list of faults. */
#include "base/alloc.h"
#include "base/str.h"
#include "config/loader.h"

#include <stdarg.h>
#include <stdio.h>

void kd_faults_add(struct kd_faults *faults, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = NULL;
    if (vasprintf(&text, fmt, args) < 0) {
        text = kd_strdup("a fault whose text did not fit in memory");
    }
    va_end(args);
    kd_one_line_in_place(text);
    faults->items = kd_realloc_array(faults->items, faults->n + 1, sizeof(*faults->items));
    faults->items[faults->n++] = text;
}

void kd_faults_release(struct kd_faults *faults)
{
    for (size_t i = 0; i < faults->n; i++) {
        kd_free(faults->items[i]);
    }
    faults->items = kd_free(faults->items);
    faults->n = 0;
}

static bool in_entry(const struct kd_conf_key *key)
{
    return strcmp(key->section, "kinds") == 0 || strcmp(key->section, "defaults") == 0;
}

struct kd_config *kd_conf_new(const char *path)
{
    struct kd_config *config = kd_zalloc(sizeof(*config));
    config->path = kd_strdup(path);
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        if (strcmp(key->section, "kinds") != 0) {
            kd_conf_set_default(key, kd_conf_field(key, config, NULL));
        }
    }
    return config;
}

void kd_conf_entry_init(struct kd_kind_entry *entry, const struct kd_config *config)
{
    *entry = (struct kd_kind_entry){ .tuning = config->defaults };
    entry->tuning.mode = kd_strdup(config->defaults.mode);
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        if (strcmp(key->section, "kinds") == 0) {
            kd_conf_set_default(key, kd_conf_field(key, NULL, entry));
        }
    }
}

static void setting_release(struct kd_setting *setting)
{
    kd_free(setting->key);
    kd_free(setting->text);
    for (size_t i = 0; i < setting->list.n; i++) {
        kd_free(setting->list.items[i]);
    }
    kd_free(setting->list.items);
    kd_free(setting->place.file);
}

void kd_conf_entry_release(struct kd_kind_entry *entry)
{
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        if (in_entry(&kd_conf_keys[i])) {
            kd_conf_clear_field(&kd_conf_keys[i], kd_conf_field(&kd_conf_keys[i], NULL, entry));
        }
    }
    for (size_t i = 0; i < entry->n_settings; i++) {
        setting_release(&entry->settings[i]);
    }
    entry->settings = kd_free(entry->settings);
    entry->n_settings = 0;
    entry->place.file = kd_free(entry->place.file);
}

struct kd_config *kd_config_free(struct kd_config *config)
{
    if (!config) {
        return NULL;
    }
    for (size_t i = 0; i < config->n_kinds; i++) {
        kd_conf_entry_release(&config->kinds[i]);
    }
    kd_free(config->kinds);
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        if (strcmp(key->section, "kinds") != 0) {
            kd_conf_clear_field(key, kd_conf_field(key, config, NULL));
        }
    }
    kd_free(config->path);
    return kd_free(config);
}
