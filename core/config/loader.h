/* What the steps of kd_config_load share: the config in the making, its faults, one parsed file. */
#ifndef KD_CONFIG_LOADER_H
#define KD_CONFIG_LOADER_H

#include "config/keys.h"
#include "config/source.h"

#include <libconfig.h>

/* A parsed file; its settings live until kd_conf_file_close. */
struct kd_conf_file {
    const char *path;
    struct kd_conf_source source;
    config_t tree;
    struct kd_faults *faults;
};

struct kd_conf_loader {
    struct kd_config *config;
    struct kd_faults *faults;
    char **places;     /* per key of the table: "FILE:LINE" or the variable that set it, or NULL */
    size_t main_kinds; /* the first entries of config->kinds, which are the main file's */
};

struct kd_config *kd_conf_new(const char *path) KD_MUST_USE;
/* An entry with the defaults of its own keys and the config's `defaults`. */
void kd_conf_entry_init(struct kd_kind_entry *entry, const struct kd_config *config);
void kd_conf_entry_release(struct kd_kind_entry *entry);

/* Reads and parses; faults are added. Close it in any case. */
int kd_conf_file_open(struct kd_conf_file *file, const char *path,
                      struct kd_faults *faults) KD_MUST_USE;
void kd_conf_file_close(struct kd_conf_file *file);
/* File and line of a setting; the file is borrowed. */
const char *kd_conf_file_place(const struct kd_conf_file *file, const config_setting_t *setting,
                               int *ret_line);
/* Adds "FILE:LINE: " and the text. */
void kd_conf_fault(const struct kd_conf_file *file, const config_setting_t *setting,
                   const char *fmt, ...) KD_PRINTF(3, 4);
/* "a number", "a group", ... Static. */
const char *kd_conf_setting_text(const config_setting_t *setting);

/* Reads one value into the field of its key; `section` is what messages name. False: a fault. */
bool kd_conf_read(const struct kd_conf_file *file, const config_setting_t *setting,
                  const struct kd_conf_key *key, const char *section, void *field);
/* Adds the fault of an unknown key, with the nearest known one. */
void kd_conf_unknown(const struct kd_conf_file *file, const config_setting_t *setting,
                     const char *section);

/* Paths of plugins.d, *.conf beside the file, in the order of their names. 0 or errno. */
int kd_conf_additions(const char *config_path, struct kd_strlist *ret);

void kd_conf_load_kinds(struct kd_conf_loader *loader, const struct kd_conf_file *file,
                        const config_setting_t *kinds);
void kd_conf_load_environ(struct kd_conf_loader *loader, char *const *environ);
/* Checks that look at more than one key. */
void kd_conf_check_all(struct kd_conf_loader *loader);

#endif
