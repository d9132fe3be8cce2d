/* The list `kinds`: entries with their own keys, their tuning, and the plugin's settings. */
#include "config/loader.h"

#include "base/alloc.h"

static struct kd_place place_of(const struct kd_conf_file *file, const config_setting_t *setting)
{
    struct kd_place place;
    place.file = kd_strdup(kd_conf_file_place(file, setting, &place.line));
    return place;
}

static void fault_setting(const struct kd_conf_file *file, const config_setting_t *value,
                          const char *name)
{
    kd_conf_fault(file, value,
                  "kinds.settings.%s holds %s; a plugin's option is a string, a whole number, true "
                  "or false, or a list of strings",
                  name, kd_conf_setting_text(value));
}

static void read_list(const struct kd_conf_file *file, const config_setting_t *value,
                      struct kd_setting *setting)
{
    int n = config_setting_length(value);
    setting->type = KD_SETTING_STRINGS;
    setting->list.items = kd_zalloc_array((size_t)n, sizeof(*setting->list.items));
    for (int i = 0; i < n; i++) {
        const config_setting_t *item = config_setting_get_elem(value, (unsigned)i);
        if (config_setting_type(item) != CONFIG_TYPE_STRING) {
            fault_setting(file, item, setting->key);
            return;
        }
        setting->list.items[setting->list.n++] = kd_strdup(config_setting_get_string(item));
    }
}

/* The plugin's options are not known yet: only the form is checked here. */
static void read_setting(const struct kd_conf_file *file, const config_setting_t *value,
                         struct kd_setting *setting)
{
    switch (config_setting_type(value)) {
    case CONFIG_TYPE_STRING:
        setting->type = KD_SETTING_STRING;
        setting->text = kd_strdup(config_setting_get_string(value));
        break;
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        setting->type = KD_SETTING_INT;
        setting->number = config_setting_get_int64(value);
        break;
    case CONFIG_TYPE_BOOL:
        setting->type = KD_SETTING_BOOL;
        setting->number = config_setting_get_bool(value);
        break;
    case CONFIG_TYPE_ARRAY:
    case CONFIG_TYPE_LIST:
        read_list(file, value, setting);
        break;
    default:
        fault_setting(file, value, setting->key);
        break;
    }
}

static void load_settings(const struct kd_conf_file *file, const config_setting_t *group,
                          struct kd_kind_entry *entry)
{
    int n = config_setting_length(group);
    entry->settings = kd_zalloc_array((size_t)n, sizeof(*entry->settings));
    for (int i = 0; i < n; i++) {
        const config_setting_t *value = config_setting_get_elem(group, (unsigned)i);
        struct kd_setting *setting = &entry->settings[entry->n_settings++];
        setting->key = kd_strdup(config_setting_name(value));
        setting->place = place_of(file, value);
        read_setting(file, value, setting);
    }
}

/* "pod" for "pod" and for "/opt/pod.so". */
static char *name_of_plugin(const char *plugin)
{
    const char *slash = strrchr(plugin, '/');
    struct kd_str name = kd_str_from(slash ? slash + 1 : plugin);
    const struct kd_str suffix = KD_STR_INIT(".so");
    if (name.len > suffix.len &&
        memcmp(name.ptr + name.len - suffix.len, suffix.ptr, suffix.len) == 0) {
        name.len -= suffix.len;
    }
    return kd_str_dup(name);
}

static void read_member(const struct kd_conf_file *file, const config_setting_t *member,
                        struct kd_kind_entry *entry)
{
    struct kd_str name = kd_str_from(config_setting_name(member));
    const struct kd_conf_key *key = kd_conf_find("kinds", name);
    key = key ? key : kd_conf_find("defaults", name);
    if (!key) {
        kd_conf_unknown(file, member, "kinds");
    } else if (key->type == KD_CONF_GROUP && config_setting_type(member) == CONFIG_TYPE_GROUP) {
        load_settings(file, member, entry);
    } else { /* its fault is in the list */
        (void)kd_conf_read(file, member, key, "kinds", kd_conf_field(key, NULL, entry));
    }
}

static void read_entry(const struct kd_conf_file *file, const config_setting_t *group,
                       struct kd_kind_entry *entry)
{
    entry->place = place_of(file, group);
    for (int i = 0; i < config_setting_length(group); i++) {
        read_member(file, config_setting_get_elem(group, (unsigned)i), entry);
    }
    if (!config_setting_get_member(group, "plugin")) {
        kd_conf_fault(file, group, "an entry of kinds without plugin; write { plugin = \"pod\"; }");
    }
    if (entry->name[0] == '\0') {
        kd_free(entry->name);
        entry->name = name_of_plugin(entry->plugin);
    }
}

/* True when the entry is to be kept; the main file beats plugins.d without a word. */
static bool is_new(const struct kd_conf_loader *loader, const struct kd_conf_file *file,
                   const config_setting_t *group, const struct kd_kind_entry *entry)
{
    const struct kd_config *config = loader->config;
    for (size_t i = 0; i < config->n_kinds; i++) {
        if (entry->name[0] == '\0' || strcmp(config->kinds[i].name, entry->name) != 0) {
            continue;
        }
        if (i >= loader->main_kinds) {
            kd_conf_fault(file, group,
                          "an entry named \"%s\" stands at %s:%d already; give one of them another "
                          "name",
                          entry->name, config->kinds[i].place.file, config->kinds[i].place.line);
        }
        return false;
    }
    return true;
}

void kd_conf_load_kinds(struct kd_conf_loader *loader, const struct kd_conf_file *file,
                        const config_setting_t *kinds)
{
    struct kd_config *config = loader->config;
    int type = config_setting_type(kinds);
    int n = type == CONFIG_TYPE_GROUP ? 0 : config_setting_length(kinds);
    if (type != CONFIG_TYPE_LIST && (type != CONFIG_TYPE_ARRAY || n > 0)) {
        kd_conf_fault(file, kinds, "kinds is %s; write kinds = ( { plugin = \"pod\"; } );",
                      type == CONFIG_TYPE_ARRAY ? "a list in brackets"
                                                : kd_conf_setting_text(kinds));
        return;
    }
    for (int i = 0; i < n; i++) {
        const config_setting_t *group = config_setting_get_elem(kinds, (unsigned)i);
        if (config_setting_type(group) != CONFIG_TYPE_GROUP) {
            kd_conf_fault(file, group, "an entry of kinds is %s; write { plugin = \"pod\"; }",
                          kd_conf_setting_text(group));
            continue;
        }
        struct kd_kind_entry entry;
        kd_conf_entry_init(&entry, config);
        read_entry(file, group, &entry);
        if (!is_new(loader, file, group, &entry)) {
            kd_conf_entry_release(&entry);
            continue;
        }
        config->kinds = kd_realloc_array(config->kinds, config->n_kinds + 1, sizeof(entry));
        config->kinds[config->n_kinds++] = entry;
    }
}
