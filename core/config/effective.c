/* A configuration as text, in the form of the file, without what may be a secret. */
#include "base/buf.h"
#include "base/clock.h"
#include "config/keys.h"

#define HIDDEN "\"(hidden)\""

/* Appends are looked at when all is written, here and below. */
static void put_list(struct kd_buf *out, const struct kd_strlist *list)
{
    (void)kd_buf_putc(out, '[');
    for (size_t i = 0; i < list->n; i++) {
        (void)kd_buf_puts(out, i ? ", " : " ");
        (void)kd_buf_put_json(out, kd_str_from(list->items[i]));
    }
    (void)kd_buf_puts(out, list->n ? " ]" : "]");
}

/* The values of a plugin's settings are its own affair, and may be anything. */
static void put_settings(struct kd_buf *out, const struct kd_kind_entry *entry)
{
    (void)kd_buf_puts(out, "{ ");
    for (size_t i = 0; i < entry->n_settings; i++) {
        (void)kd_buf_printf(out, "%s = " HIDDEN "; ", entry->settings[i].key);
    }
    (void)kd_buf_putc(out, '}');
}

/* Of a store's address, which may hold a password, only whether there is one is told. */
static void put_string(struct kd_buf *out, const struct kd_conf_key *key, const char *text)
{
    bool secret = strcmp(key->name, "url") == 0 && text[0];
    if (secret) {
        (void)kd_buf_puts(out, HIDDEN);
    } else {
        (void)kd_buf_put_json(out, kd_str_from(text));
    }
}

static void put_value(struct kd_buf *out, const struct kd_conf_key *key, const void *field,
                      const struct kd_kind_entry *entry)
{
    char duration[KD_RFC3339_MAX];
    switch (key->type) {
    case KD_CONF_STRING:
        put_string(out, key, *(char *const *)field);
        break;
    case KD_CONF_INT:
        (void)kd_buf_printf(out, "%lld", (long long)*(const int64_t *)field);
        break;
    case KD_CONF_FLOAT:
        (void)kd_buf_printf(out, "%g", *(const double *)field);
        break;
    case KD_CONF_BOOL:
        (void)kd_buf_puts(out, *(const bool *)field ? "true" : "false");
        break;
    case KD_CONF_DURATION:
        (void)kd_buf_printf(out, "\"%s\"", kd_duration_text(*(const int64_t *)field, duration));
        break;
    case KD_CONF_STRINGS:
        put_list(out, field);
        break;
    case KD_CONF_GROUP:
        put_settings(out, entry);
        break;
    }
}

static void put_key(struct kd_buf *out, const struct kd_conf_key *key, struct kd_config *config,
                    struct kd_kind_entry *entry, const char *indent)
{
    (void)kd_buf_printf(out, "%s%s = ", indent, key->name);
    put_value(out, key, kd_conf_field(key, config, entry), entry);
    (void)kd_buf_puts(out, ";\n");
}

static void put_sections(struct kd_buf *out, struct kd_config *config)
{
    const char *section = "";
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        if (strcmp(key->section, "kinds") == 0) {
            continue;
        }
        if (strcmp(key->section, section) != 0) {
            (void)kd_buf_puts(out, section[0] ? "};\n" : "");
            section = key->section;
            (void)kd_buf_printf(out, section[0] ? "%s = {\n" : "%s", section);
        }
        put_key(out, key, config, NULL, section[0] ? "    " : "");
    }
    (void)kd_buf_puts(out, section[0] ? "};\n" : "");
}

static void put_entry(struct kd_buf *out, struct kd_config *config, struct kd_kind_entry *entry)
{
    (void)kd_buf_puts(out, "    {\n");
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        if (strcmp(key->section, "kinds") == 0 || strcmp(key->section, "defaults") == 0) {
            put_key(out, key, config, entry, "        ");
        }
    }
    (void)kd_buf_puts(out, "    }");
}

int kd_config_write(const struct kd_config *config, struct kd_buf *out)
{
    struct kd_config *readable = (struct kd_config *)(uintptr_t)config; /* nothing is changed */
    put_sections(out, readable);
    (void)kd_buf_puts(out, "kinds = (\n");
    for (size_t i = 0; i < config->n_kinds; i++) {
        (void)kd_buf_puts(out, i ? ",\n" : "");
        put_entry(out, readable, &readable->kinds[i]);
    }
    (void)kd_buf_puts(out, "\n);\n");
    return kd_buf_failed(out) ? KD_ETOOBIG : 0;
}
