#include "plugin/settings.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "plugin/elf.h"

#include <stdio.h>
#include <string.h>

#define FIRST_OPTION_SIZE sizeof(struct kd_option)
#define MAX_OPTIONS 1024u
#define MAX_SETTINGS (1u << 20)

struct filling {
    const struct kd_loaded *loaded;
    const struct kd_kind_entry *entry;
    struct kd_arena *arena;
    char *memory;
    struct kd_refusal *refusal;
};

/* A value on its way into the struct, from the config file or from a default's text. */
struct value {
    enum kd_setting_type type;
    struct kd_str text;
    int64_t number;
    const struct kd_strlist *list;
};

static const size_t type_sizes[] = {
    [KD_OPTION_STRING] = sizeof(struct kd_str),   [KD_OPTION_INT] = sizeof(int64_t),
    [KD_OPTION_BOOL] = sizeof(uint32_t),          [KD_OPTION_DURATION] = sizeof(int64_t),
    [KD_OPTION_STRINGS] = sizeof(struct kd_strs),
};
static const char *const type_names[] = {
    [KD_OPTION_STRING] = "a string",
    [KD_OPTION_INT] = "a whole number",
    [KD_OPTION_BOOL] = "true or false",
    [KD_OPTION_DURATION] = "a duration such as \"5s\"",
    [KD_OPTION_STRINGS] = "an array of strings",
};

static bool has_range(const struct kd_option *option)
{
    return option->type == KD_OPTION_INT || option->type == KD_OPTION_DURATION;
}

struct kd_option kd_plugin_option_at(const struct kd_plugin *plugin, uint32_t index)
{
    struct kd_option option;
    memcpy(&option, (const char *)plugin->options + (size_t)index * plugin->option_size,
           sizeof(option));
    return option;
}

void kd_plugin_option_takes(const struct kd_option *option, char *out, size_t size)
{
    char min[KD_RFC3339_MAX];
    char max[KD_RFC3339_MAX];
    if (option->min >= option->max || !has_range(option)) {
        (void)snprintf(out, size, "%s", type_names[option->type]);
    } else if (option->type == KD_OPTION_INT) {
        (void)snprintf(out, size, "a whole number from %lld to %lld", (long long)option->min,
                       (long long)option->max);
    } else {
        (void)snprintf(out, size, "a duration from %s to %s", kd_duration_text(option->min, min),
                       kd_duration_text(option->max, max));
    }
}

static void write_found(const struct kd_setting *setting, char *out, size_t size)
{
    static const char *const names[] = {
        [KD_SETTING_STRING] = "a string",
        [KD_SETTING_INT] = "a whole number",
        [KD_SETTING_BOOL] = "true or false",
        [KD_SETTING_STRINGS] = "an array of strings",
    };
    if (setting->type == KD_SETTING_INT) {
        (void)snprintf(out, size, "%lld", (long long)setting->number);
    } else if (setting->type == KD_SETTING_STRING && setting->text) {
        (void)snprintf(out, size, "\"%s\"", setting->text);
    } else {
        (void)snprintf(out, size, "%s", names[setting->type]);
    }
}

static int bad_value(struct filling *filling, const struct kd_option *option,
                     const struct kd_setting *setting)
{
    char rule[KD_ERROR_TEXT];
    char expected[96];
    char found[96];
    kd_plugin_option_takes(option, expected, sizeof(expected));
    if (setting) {
        (void)snprintf(rule, sizeof(rule), "%s:%d: setting \"%s\" of plugin %s must be %s",
                       setting->place.file, setting->place.line, option->key,
                       filling->loaded->plugin.name, expected);
        write_found(setting, found, sizeof(found));
    } else {
        (void)snprintf(rule, sizeof(rule), "the plugin's own default of setting \"%s\" is no value",
                       option->key);
        (void)snprintf(found, sizeof(found), "\"%s\"", option->value); /* cut to fit */
    }
    return kd_refuse(filling->refusal, setting ? KD_ECONFIG : KD_EABI, rule, expected, "%s", found);
}

static bool in_range(const struct kd_option *option, int64_t number)
{
    return option->min >= option->max || (number >= option->min && number <= option->max);
}

static bool store_strings(struct filling *filling, char *to, const struct kd_strlist *list)
{
    struct kd_str *items = kd_arena_alloc(filling->arena, (list->n + 1) * sizeof(*items));
    for (size_t i = 0; items && i < list->n; i++) {
        items[i] = kd_arena_copy(filling->arena, kd_str_from(list->items[i]));
        if (!items[i].ptr) {
            items = NULL;
        }
    }
    struct kd_strs strs = { items, list->n };
    memcpy(to, &strs, sizeof(strs));
    return items != NULL;
}

/* Writes one value to its place; false when its type or range is wrong. */
static bool store_value(struct filling *filling, const struct kd_option *option,
                        const struct value *value)
{
    char *to = filling->memory + option->offset;
    int64_t number = value->number;
    switch (option->type) {
    case KD_OPTION_STRING: {
        struct kd_str copy = kd_arena_copy(filling->arena, value->text);
        memcpy(to, &copy, sizeof(copy));
        return value->type == KD_SETTING_STRING && copy.ptr;
    }
    case KD_OPTION_BOOL: {
        uint32_t truth = (uint32_t)number;
        memcpy(to, &truth, sizeof(truth));
        return value->type == KD_SETTING_BOOL;
    }
    case KD_OPTION_INT:
        memcpy(to, &number, sizeof(number));
        return value->type == KD_SETTING_INT && in_range(option, number);
    case KD_OPTION_DURATION:
        if (value->type != KD_SETTING_STRING || kd_duration_parse(value->text, &number) < 0) {
            return false;
        }
        memcpy(to, &number, sizeof(number));
        return in_range(option, number);
    default:
        return value->type == KD_SETTING_STRINGS && store_strings(filling, to, value->list);
    }
}

static bool read_default(const struct kd_option *option, struct value *ret)
{
    static const struct kd_strlist none = { NULL, 0 };
    struct kd_str text = kd_str_from(option->value);
    bool negative = text.len && text.ptr[0] == '-';
    struct kd_str digits = { text.ptr + negative, text.len - negative };
    uint64_t number = 0;
    *ret = (struct value){ .type = KD_SETTING_STRING, .text = text };
    if (option->type == KD_OPTION_BOOL) {
        *ret = (struct value){ .type = KD_SETTING_BOOL, .number = kd_str_is(text, "true") };
        return ret->number || kd_str_is(text, "false");
    }
    if (option->type == KD_OPTION_STRINGS) { /* an empty list is the only one that has a text */
        *ret = (struct value){ .type = KD_SETTING_STRINGS, .list = &none };
        return text.len == 0 || kd_str_is(text, "[]");
    }
    if (option->type == KD_OPTION_INT) {
        bool ok = kd_str_to_u64(digits, &number) && number <= INT64_MAX;
        int64_t value = negative ? -(int64_t)number : (int64_t)number;
        *ret = (struct value){ .type = KD_SETTING_INT, .number = value };
        return ok;
    }
    return true;
}

static const struct kd_setting *find_setting(const struct kd_kind_entry *entry, const char *key)
{
    for (size_t i = 0; i < entry->n_settings; i++) {
        if (strcmp(entry->settings[i].key, key) == 0) {
            return &entry->settings[i];
        }
    }
    return NULL;
}

static int fill_option(struct filling *filling, const struct kd_option *option)
{
    const struct kd_setting *setting = find_setting(filling->entry, option->key);
    struct value value;
    if (setting) {
        value = (struct value){ setting->type, kd_str_from(setting->text), setting->number,
                                &setting->list };
    } else if (!option->value) {
        return 0;
    } else if (!read_default(option, &value)) {
        return bad_value(filling, option, NULL);
    }
    return store_value(filling, option, &value) ? 0 : bad_value(filling, option, setting);
}

static bool option_ok(const struct kd_plugin *plugin, uint32_t index)
{
    struct kd_option option = kd_plugin_option_at(plugin, index);
    bool ok = option.key && option.key[0] && option.type >= KD_OPTION_STRING &&
              option.type <= KD_OPTION_STRINGS &&
              (size_t)option.offset + type_sizes[option.type] <= plugin->settings_size;
    for (uint32_t i = 0; ok && i < index; i++) {
        ok = strcmp(kd_plugin_option_at(plugin, i).key, option.key) != 0;
    }
    return ok;
}

static bool options_ok(const struct kd_loaded *loaded)
{
    const struct kd_plugin *plugin = &loaded->plugin;
    size_t bytes = 0;
    if (plugin->settings_size > MAX_SETTINGS) {
        return false;
    }
    bool ok = plugin->n_options == 0 ||
              (plugin->option_size >= FIRST_OPTION_SIZE && plugin->n_options <= MAX_OPTIONS &&
               kd_size_mul(plugin->n_options, plugin->option_size, &bytes) &&
               kd_elf_contains(loaded->handle, plugin->options, bytes));
    for (uint32_t i = 0; ok && i < plugin->n_options; i++) {
        ok = option_ok(plugin, i);
    }
    return ok;
}

static int check_options(struct filling *filling)
{
    const struct kd_plugin *plugin = &filling->loaded->plugin;
    if (!options_ok(filling->loaded)) {
        return kd_refuse(filling->refusal, KD_EABI, "the plugin's table of settings is not valid",
                         "distinct keys, known types, offsets inside settings_size",
                         "%u options of %u bytes, settings of %u bytes",
                         (unsigned)plugin->n_options, (unsigned)plugin->option_size,
                         (unsigned)plugin->settings_size);
    }
    return 0;
}

static int check_keys(struct filling *filling)
{
    const struct kd_plugin *plugin = &filling->loaded->plugin;
    for (size_t i = 0; i < filling->entry->n_settings; i++) {
        const struct kd_setting *setting = &filling->entry->settings[i];
        const char *nearest = NULL;
        size_t best = SIZE_MAX;
        for (uint32_t j = 0; best > 0 && j < plugin->n_options; j++) {
            struct kd_option option = kd_plugin_option_at(plugin, j);
            bool same = strcmp(setting->key, option.key) == 0;
            size_t far =
                same ? 0 : kd_str_distance(kd_str_from(setting->key), kd_str_from(option.key));
            if (far < best) {
                best = far;
                nearest = option.key;
            }
        }
        if (best > 0) {
            char rule[KD_ERROR_TEXT];
            (void)snprintf(rule, sizeof(rule), "%s:%d: plugin %s has no setting \"%s\"",
                           setting->place.file, setting->place.line, plugin->name, setting->key);
            return kd_refuse(filling->refusal, KD_ECONFIG, rule,
                             nearest ? nearest : "no settings at all", "%s", setting->key);
        }
    }
    return 0;
}

int kd_plugin_settings_fill(const struct kd_loaded *loaded, const struct kd_kind_entry *entry,
                            struct kd_arena *arena, void **ret, struct kd_refusal *refusal)
{
    struct filling filling = {
        .loaded = loaded, .entry = entry, .arena = arena, .refusal = refusal
    };
    const struct kd_plugin *plugin = &loaded->plugin;
    KD_TRY(check_options(&filling));
    KD_TRY(check_keys(&filling));
    if (plugin->settings_size == 0) {
        *ret = NULL;
        return 0;
    }
    filling.memory = kd_arena_alloc(arena, plugin->settings_size);
    if (!filling.memory) {
        return kd_refuse(refusal, KD_ENOMEM, "no memory for the plugin's settings", "memory",
                         "none");
    }
    memset(filling.memory, 0, plugin->settings_size);
    for (uint32_t i = 0; i < plugin->n_options; i++) {
        struct kd_option option = kd_plugin_option_at(plugin, i);
        KD_TRY(fill_option(&filling, &option));
    }
    *ret = filling.memory;
    return 0;
}
