/*
 * The one table of keys: what the config file may hold, with types, defaults, bounds and help. The
 * parser, the defaults, the check for unknown keys, the overrides by environment, the freeing and
 * the reference in docs/configuration.md all walk this table.
 */
#ifndef KD_CONFIG_KEYS_H
#define KD_CONFIG_KEYS_H

#include "base/str.h"
#include "config/settings.h"

enum kd_conf_type {
    KD_CONF_STRING,   /* char * */
    KD_CONF_INT,      /* int64_t */
    KD_CONF_FLOAT,    /* double */
    KD_CONF_BOOL,     /* bool */
    KD_CONF_DURATION, /* int64_t nanoseconds; a string with a unit */
    KD_CONF_STRINGS,  /* struct kd_strlist */
    KD_CONF_GROUP     /* `settings` of a kind: free form, read by its own function */
};

#define KD_CONF_WHY 256

struct kd_conf_key {
    const char *section; /* "" for the top level, "kinds" for the keys of an entry */
    const char *name;
    enum kd_conf_type type;
    bool reload;       /* takes effect on reload */
    size_t offset;     /* in struct kd_config; for section "kinds" in struct kd_kind_entry */
    const char *value; /* the default as text, without quotes */
    int64_t min;       /* numbers and durations; for all types when min < max */
    int64_t max;
    const char *words; /* strings: "full|fields|metadata", or NULL */
    /* Optional, strings and each element of a list: false and a reason when it cannot be. */
    bool (*check)(struct kd_str value, char why[KD_CONF_WHY]);
    const char *help;
};

extern const struct kd_conf_key kd_conf_keys[];
extern const size_t kd_conf_n_keys;

/* The key of a section by name, NULL when there is none. */
const struct kd_conf_key *kd_conf_find(const char *section, struct kd_str name);
/* True when `name` is a section. */
bool kd_conf_is_section(struct kd_str name);
/* Where the key's value lives: in config, or in entry (keys of `kinds` and `defaults`). */
void *kd_conf_field(const struct kd_conf_key *key, struct kd_config *config,
                    struct kd_kind_entry *entry);
/* Sets the field to its default. */
void kd_conf_set_default(const struct kd_conf_key *key, void *field);
/* Frees what the field owns and zeroes it. */
void kd_conf_clear_field(const struct kd_conf_key *key, void *field);
/*
 * Sets a scalar field from its text (a string's own text, "10", "true", "5s"). False and a reason
 * with a remedy when the text does not fit; the field is untouched then.
 */
bool kd_conf_set_text(const struct kd_conf_key *key, struct kd_str text, void *field,
                      char why[KD_CONF_WHY]);
bool kd_conf_set_int(const struct kd_conf_key *key, int64_t value, void *field,
                     char why[KD_CONF_WHY]);
bool kd_conf_set_float(const struct kd_conf_key *key, double value, void *field,
                       char why[KD_CONF_WHY]);
/* Appends to a list field, under the key's check. */
bool kd_conf_add_string(const struct kd_conf_key *key, struct kd_str text, void *field,
                        char why[KD_CONF_WHY]);
/* "cluster.qps", "shutdown_grace"; at most 63 bytes. Returns out. */
char *kd_conf_key_text(const struct kd_conf_key *key, char out[64]);
/* What a key takes, with an example: "a string with a unit, such as \"30s\"". Static. */
const char *kd_conf_type_text(enum kd_conf_type type);

/* Checks of single values, for the table. */
bool kd_conf_check_bind(struct kd_str value, char why[KD_CONF_WHY]);
bool kd_conf_check_path(struct kd_str value, char why[KD_CONF_WHY]);
bool kd_conf_check_selector(struct kd_str value, char why[KD_CONF_WHY]);
bool kd_conf_check_namespace(struct kd_str value, char why[KD_CONF_WHY]);
bool kd_conf_check_plugin(struct kd_str value, char why[KD_CONF_WHY]);
bool kd_conf_check_name(struct kd_str value, char why[KD_CONF_WHY]);

#endif
