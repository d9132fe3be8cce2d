/* One file through libconfig, and one value of it into a field. */
#include "config/loader.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>

static void fault_syntax(const struct kd_conf_file *file)
{
    int line = 0;
    const char *name = kd_conf_source_place(&file->source, config_error_line(&file->tree), &line);
    const char *what = config_error_text(&file->tree);
    const char *remedy = "look here and on the line before for a missing quote, ';' or bracket";
    if (what && strcmp(what, "duplicate setting name") == 0) {
        what = "a key stands here for the second time";
        remedy = "keep one of them";
    } else if (what && strcmp(what, "mismatched element type in array") == 0) {
        what = "the values of this list are of different types";
        remedy = "write values of one type between [ and ]";
    }
    kd_faults_add(file->faults, "%s:%d: %s; %s", name, line, what ? what : "syntax error", remedy);
}

int kd_conf_file_open(struct kd_conf_file *file, const char *path, struct kd_faults *faults)
{
    *file = (struct kd_conf_file){ .path = path, .faults = faults };
    config_init(&file->tree);
    KD_TRY(kd_conf_source_read(&file->source, path, faults));
    if (!config_read_string(&file->tree, file->source.text.ptr)) {
        fault_syntax(file);
        return KD_ECONFIG;
    }
    return 0;
}

void kd_conf_file_close(struct kd_conf_file *file)
{
    config_destroy(&file->tree);
    kd_conf_source_release(&file->source);
}

const char *kd_conf_file_place(const struct kd_conf_file *file, const config_setting_t *setting,
                               int *ret_line)
{
    return kd_conf_source_place(&file->source, (int)config_setting_source_line(setting), ret_line);
}

void kd_conf_fault(const struct kd_conf_file *file, const config_setting_t *setting,
                   const char *fmt, ...)
{
    int line = 0;
    const char *name = kd_conf_file_place(file, setting, &line);
    va_list args;
    va_start(args, fmt);
    char *text = NULL;
    int len = vasprintf(&text, fmt, args);
    va_end(args);
    kd_faults_add(file->faults, "%s:%d: %s", name, line, len < 0 ? "out of memory" : text);
    if (len >= 0) {
        kd_free(text);
    }
}

const char *kd_conf_setting_text(const config_setting_t *setting)
{
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_GROUP:
        return "a group";
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        return "a whole number";
    case CONFIG_TYPE_FLOAT:
        return "a fraction";
    case CONFIG_TYPE_STRING:
        return "a string";
    case CONFIG_TYPE_BOOL:
        return "true or false";
    default:
        return "a list";
    }
}

static bool fits_type(const struct kd_conf_key *key, const config_setting_t *setting)
{
    int type = config_setting_type(setting);
    bool whole = type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
    switch (key->type) {
    case KD_CONF_STRING:
    case KD_CONF_DURATION:
        return type == CONFIG_TYPE_STRING;
    case KD_CONF_INT:
        return whole;
    case KD_CONF_FLOAT:
        return whole || type == CONFIG_TYPE_FLOAT;
    case KD_CONF_BOOL:
        return type == CONFIG_TYPE_BOOL;
    case KD_CONF_STRINGS:
        return type == CONFIG_TYPE_ARRAY || type == CONFIG_TYPE_LIST;
    case KD_CONF_GROUP:
        return type == CONFIG_TYPE_GROUP;
    }
    return false;
}

static void fault_type(const struct kd_conf_file *file, const config_setting_t *setting,
                       const struct kd_conf_key *key, const char *name)
{
    int type = config_setting_type(setting);
    if (key->type == KD_CONF_DURATION && (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64)) {
        long long number = config_setting_get_int64(setting);
        kd_conf_fault(file, setting, "%s is %lld, which has no unit; write \"%llds\" for seconds",
                      name, number, number);
        return;
    }
    kd_conf_fault(file, setting, "%s is %s; it takes %s", name, kd_conf_setting_text(setting),
                  kd_conf_type_text(key->type));
}

static bool read_strings(const config_setting_t *setting, const struct kd_conf_key *key,
                         void *field, char why[KD_CONF_WHY])
{
    for (int i = 0; i < config_setting_length(setting); i++) {
        const config_setting_t *item = config_setting_get_elem(setting, (unsigned)i);
        if (config_setting_type(item) != CONFIG_TYPE_STRING) {
            (void)snprintf(why, KD_CONF_WHY, "holds %s; it takes %s", kd_conf_setting_text(item),
                           kd_conf_type_text(key->type));
            return false;
        }
        struct kd_str text = kd_str_from(config_setting_get_string(item));
        if (!kd_conf_add_string(key, text, field, why)) {
            return false;
        }
    }
    return true;
}

static bool read_value(const config_setting_t *setting, const struct kd_conf_key *key, void *field,
                       char why[KD_CONF_WHY])
{
    switch (key->type) {
    case KD_CONF_STRING:
    case KD_CONF_DURATION:
        return kd_conf_set_text(key, kd_str_from(config_setting_get_string(setting)), field, why);
    case KD_CONF_INT:
        return kd_conf_set_int(key, config_setting_get_int64(setting), field, why);
    case KD_CONF_FLOAT:
        return kd_conf_set_float(key,
                                 config_setting_type(setting) == CONFIG_TYPE_FLOAT
                                     ? config_setting_get_float(setting)
                                     : (double)config_setting_get_int64(setting),
                                 field, why);
    case KD_CONF_BOOL:
        *(bool *)field = config_setting_get_bool(setting) != 0;
        return true;
    case KD_CONF_STRINGS:
        return read_strings(setting, key, field, why);
    case KD_CONF_GROUP:
        break;
    }
    return false;
}

bool kd_conf_read(const struct kd_conf_file *file, const config_setting_t *setting,
                  const struct kd_conf_key *key, const char *section, void *field)
{
    char why[KD_CONF_WHY] = "";
    KD_AUTO_FREE char *name = kd_asprintf("%s%s%s", section, section[0] ? "." : "", key->name);
    if (!fits_type(key, setting)) {
        fault_type(file, setting, key, name);
        return false;
    }
    if (!read_value(setting, key, field, why)) {
        kd_conf_fault(file, setting, "%s %s", name, why);
        return false;
    }
    return true;
}
