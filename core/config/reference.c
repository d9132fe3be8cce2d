/* The tables of docs/configuration.md, from the table of keys. */
#include "base/buf.h"
#include "base/clock.h"
#include "config/keys.h"

static bool is_quoted(enum kd_conf_type type)
{
    return type == KD_CONF_STRING || type == KD_CONF_DURATION;
}

static void put_default(struct kd_buf *out, const struct kd_conf_key *key)
{
    if (is_quoted(key->type)) {
        (void)kd_buf_printf(out, "`\"%s\"`", key->value);
    } else if (key->type == KD_CONF_STRINGS) {
        (void)kd_buf_puts(out, "`[]`");
    } else if (key->type == KD_CONF_GROUP) {
        (void)kd_buf_puts(out, "`{ }`");
    } else {
        (void)kd_buf_printf(out, "`%s`", key->value);
    }
}

static void put_words(struct kd_buf *out, const char *words)
{
    struct kd_str rest = kd_str_from(words);
    const char *before = "";
    while (rest.ptr) {
        struct kd_str word = kd_str_cut(&rest, '|');
        (void)kd_buf_printf(out, "%s`\"" KD_STR_FMT "\"`", before, KD_STR_ARG(word));
        before = ", ";
    }
}

static void put_type(struct kd_buf *out, const struct kd_conf_key *key)
{
    static const char *const names[] = {
        [KD_CONF_STRING] = "string",     [KD_CONF_INT] = "whole number",
        [KD_CONF_FLOAT] = "number",      [KD_CONF_BOOL] = "`true`, `false`",
        [KD_CONF_DURATION] = "duration", [KD_CONF_STRINGS] = "list of strings",
        [KD_CONF_GROUP] = "group",
    };
    char low[KD_RFC3339_MAX];
    char high[KD_RFC3339_MAX];
    if (key->words) {
        put_words(out, key->words);
        return;
    }
    (void)kd_buf_puts(out, names[key->type]);
    if (key->type == KD_CONF_DURATION) {
        (void)kd_buf_printf(out, ", %s to %s", kd_duration_text(key->min, low),
                            kd_duration_text(key->max, high));
    } else if (key->min < key->max) {
        (void)kd_buf_printf(out, ", %lld to %lld", (long long)key->min, (long long)key->max);
    }
}

static void put_head(struct kd_buf *out, const char *section)
{
    if (section[0] == '\0') {
        (void)kd_buf_puts(out, "### At the top level\n");
    } else if (strcmp(section, "kinds") == 0) {
        (void)kd_buf_puts(out, "### An entry of `kinds`\n\nEvery key of `defaults` may stand in an "
                               "entry as well and counts for that entry.\n");
    } else {
        (void)kd_buf_printf(out, "### `%s`\n", section);
    }
    (void)kd_buf_puts(out, "\n| Key | Default | Takes | Reload | Meaning |\n"
                           "| --- | --- | --- | --- | --- |\n");
}

int kd_config_write_reference(struct kd_buf *out)
{
    const char *section = NULL;
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        if (!section || strcmp(section, key->section) != 0) {
            (void)kd_buf_puts(out, section ? "\n" : "");
            section = key->section;
            put_head(out, section);
        }
        (void)kd_buf_printf(out, "| `%s` | ", key->name);
        put_default(out, key);
        (void)kd_buf_puts(out, " | ");
        put_type(out, key);
        (void)kd_buf_printf(out, " | %s | %s |\n", key->reload ? "yes" : "", key->help);
    }
    return kd_buf_failed(out) ? KD_ETOOBIG : 0;
}
