/* kd_config_load: the main file, the environment, the kinds, plugins.d, then what spans keys. */
#include "config/loader.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

#include <string.h>

static void note_place(struct kd_conf_loader *loader, const struct kd_conf_file *file,
                       const config_setting_t *setting, const struct kd_conf_key *key)
{
    int line = 0;
    const char *name = kd_conf_file_place(file, setting, &line);
    char **place = &loader->places[key - kd_conf_keys];
    kd_free(*place);
    *place = kd_asprintf("%s:%d", name, line);
}

static void load_key(struct kd_conf_loader *loader, const struct kd_conf_file *file,
                     const config_setting_t *setting, const char *section)
{
    const struct kd_conf_key *key =
        kd_conf_find(section, kd_str_from(config_setting_name(setting)));
    if (!key) {
        kd_conf_unknown(file, setting, section);
    } else if (kd_conf_read(file, setting, key, section,
                            kd_conf_field(key, loader->config, NULL))) {
        note_place(loader, file, setting, key);
    }
}

static void load_section(struct kd_conf_loader *loader, const struct kd_conf_file *file,
                         const config_setting_t *group)
{
    const char *name = config_setting_name(group);
    if (config_setting_type(group) != CONFIG_TYPE_GROUP) {
        kd_conf_fault(file, group, "%s is %s; it is a group: %s = { ... };", name,
                      kd_conf_setting_text(group), name);
        return;
    }
    for (int i = 0; i < config_setting_length(group); i++) {
        load_key(loader, file, config_setting_get_elem(group, (unsigned)i), name);
    }
}

/* All but `kinds`, whose entries need the final `defaults`. */
static void load_main(struct kd_conf_loader *loader, const struct kd_conf_file *file)
{
    const config_setting_t *root = config_root_setting(&file->tree);
    for (int i = 0; i < config_setting_length(root); i++) {
        const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);
        const char *name = config_setting_name(setting);
        if (strcmp(name, "kinds") == 0) {
            continue;
        }
        if (kd_conf_is_section(kd_str_from(name))) {
            load_section(loader, file, setting);
        } else {
            load_key(loader, file, setting, "");
        }
    }
}

static void load_addition(struct kd_conf_loader *loader, const char *path)
{
    struct kd_conf_file file;
    if (kd_conf_file_open(&file, path, loader->faults) == 0) {
        const config_setting_t *root = config_root_setting(&file.tree);
        for (int i = 0; i < config_setting_length(root); i++) {
            const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);
            const char *name = config_setting_name(setting);
            if (strcmp(name, "kinds") == 0) {
                kd_conf_load_kinds(loader, &file, setting);
            } else {
                kd_conf_fault(&file, setting,
                              "\"%s\" in a file of plugins.d, which may hold kinds only; move it "
                              "to %s",
                              name, loader->config->path);
            }
        }
    }
    kd_conf_file_close(&file);
}

static void load_additions(struct kd_conf_loader *loader)
{
    struct kd_strlist files;
    int code = kd_conf_additions(loader->config->path, &files);
    if (code != 0) {
        KD_AUTO_FREE char *folder = kd_path_beside(loader->config->path, "plugins.d");
        kd_faults_add(loader->faults, "%s: %s; make the folder readable", folder, strerror(code));
    }
    for (size_t i = 0; i < files.n; i++) {
        load_addition(loader, files.items[i]);
    }
    kd_strlist_release(&files);
}

static void load_all(struct kd_conf_loader *loader, char *const *environ)
{
    struct kd_conf_file file;
    int rc = kd_conf_file_open(&file, loader->config->path, loader->faults);
    if (rc == 0) {
        load_main(loader, &file);
    }
    kd_conf_load_environ(loader, environ);
    if (rc == 0) {
        const config_setting_t *kinds =
            config_setting_get_member(config_root_setting(&file.tree), "kinds");
        if (kinds) {
            kd_conf_load_kinds(loader, &file, kinds);
        }
    }
    kd_conf_file_close(&file);
    loader->main_kinds = loader->config->n_kinds;
    load_additions(loader);
    kd_conf_check_all(loader);
}

int kd_config_load(const char *path, char *const *environ, struct kd_config **ret,
                   struct kd_faults *faults)
{
    size_t before = faults->n;
    struct kd_conf_loader loader = { .config = kd_conf_new(path), .faults = faults };
    loader.places = kd_zalloc_array(kd_conf_n_keys, sizeof(*loader.places));
    load_all(&loader, environ);
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        kd_free(loader.places[i]);
    }
    kd_free(loader.places);
    if (faults->n > before) {
        kd_config_free(loader.config);
        return KD_ECONFIG;
    }
    *ret = loader.config;
    return 0;
}
