/* Settings of a test, from text to what the config stage gives for a config entry. */
#include "base/alloc.h"
#include "base/str.h"
#include "kit/kit.h"
#include "plugin/settings.h"

#include <stdint.h>
#include <string.h>

void kd_test_set(struct kd_test *test, const char *key, const char *value)
{
    struct kd_kit_setting **link = &test->given;
    struct kd_kit_setting *made = kd_zalloc(sizeof(*made));
    while (*link) {
        link = &(*link)->next;
    }
    made->key = kd_strdup(key);
    made->value = kd_strdup(value);
    *link = made;
}

/* The type of a setting; 0 when the plugin has none of that name. */
static uint32_t type_of(const struct kd_plugin *plugin, const char *key)
{
    for (uint32_t i = 0; i < plugin->n_options; i++) {
        struct kd_option option = kd_plugin_option_at(plugin, i);
        if (strcmp(option.key, key) == 0) {
            return option.type;
        }
    }
    return 0;
}

static struct kd_setting *find_or_add(struct kd_kind_entry *entry, char *key)
{
    for (size_t i = 0; i < entry->n_settings; i++) {
        if (strcmp(entry->settings[i].key, key) == 0) {
            return &entry->settings[i];
        }
    }
    entry->settings =
        kd_realloc_array(entry->settings, entry->n_settings + 1, sizeof(*entry->settings));
    struct kd_setting *setting = &entry->settings[entry->n_settings++];
    *setting = (struct kd_setting){
        .key = key, .place = { (char *)(uintptr_t) "kd_test_set", (int)entry->n_settings }
    };
    return setting;
}

static bool read_int(const char *text, int64_t *ret)
{
    bool negative = text[0] == '-';
    uint64_t number = 0;
    if (!kd_str_to_u64(kd_str_from(text + negative), &number) || number > INT64_MAX) {
        return false;
    }
    *ret = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

/* A text that is no value of the type stays a string, which the filling refuses with its words. */
static void convert(struct kd_setting *setting, uint32_t type, char *value)
{
    bool truth = strcmp(value, "true") == 0;
    setting->type = KD_SETTING_STRING;
    setting->text = value;
    if (type == KD_OPTION_INT && read_int(value, &setting->number)) {
        setting->type = KD_SETTING_INT;
    } else if (type == KD_OPTION_BOOL && (truth || strcmp(value, "false") == 0)) {
        setting->type = KD_SETTING_BOOL;
        setting->number = truth;
    } else if (type == KD_OPTION_STRINGS) {
        setting->type = KD_SETTING_STRINGS;
        setting->list.items =
            kd_realloc_array(setting->list.items, setting->list.n + 1, sizeof(char *));
        setting->list.items[setting->list.n++] = value;
    }
}

int kd_kit_fill_settings(struct kd_test *test, void **ret, struct kd_refusal *refusal)
{
    /* Without settings first: the plugin's table may be read only after it was checked. */
    KD_TRY(
        kd_plugin_settings_fill(&test->loaded, &test->entry, &test->settings_memory, ret, refusal));
    for (struct kd_kit_setting *given = test->given; given; given = given->next) {
        convert(find_or_add(&test->entry, given->key), type_of(&test->loaded.plugin, given->key),
                given->value);
    }
    return kd_plugin_settings_fill(&test->loaded, &test->entry, &test->settings_memory, ret,
                                   refusal);
}

void kd_kit_release_settings(struct kd_test *test)
{
    for (size_t i = 0; i < test->entry.n_settings; i++) {
        kd_free(test->entry.settings[i].list.items);
    }
    test->entry.settings = kd_free(test->entry.settings);
    while (test->given) {
        struct kd_kit_setting *next = test->given->next;
        kd_free(test->given->key);
        kd_free(test->given->value);
        kd_free(test->given);
        test->given = next;
    }
}
