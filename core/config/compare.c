/* Copies and comparisons of settings, by the table of keys: what a reload has changed. */
#include "base/alloc.h"
#include "config/loader.h"

static char *copy_text(const char *text)
{
    return text ? kd_strdup(text) : NULL;
}

static struct kd_strlist copy_list(const struct kd_strlist *from)
{
    struct kd_strlist to = { kd_zalloc_array(from->n, sizeof(char *)), from->n };
    for (size_t i = 0; i < from->n; i++) {
        to.items[i] = kd_strdup(from->items[i]);
    }
    return to;
}

static bool same_list(const struct kd_strlist *a, const struct kd_strlist *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        same = strcmp(a->items[i], b->items[i]) == 0;
    }
    return same;
}

static bool same_field(const struct kd_conf_key *key, const void *a, const void *b)
{
    switch (key->type) {
    case KD_CONF_STRING:
        return strcmp(*(char *const *)a, *(char *const *)b) == 0;
    case KD_CONF_INT:
    case KD_CONF_DURATION:
        return *(const int64_t *)a == *(const int64_t *)b;
    case KD_CONF_FLOAT:
        return !(*(const double *)a < *(const double *)b ||
                 *(const double *)a > *(const double *)b);
    case KD_CONF_BOOL:
        return *(const bool *)a == *(const bool *)b;
    case KD_CONF_STRINGS:
        return same_list(a, b);
    case KD_CONF_GROUP:
        break; /* `settings`, compared for itself */
    }
    return true;
}

/* Replaces a field that holds the bits of `from` by a copy of its own. */
static void own_field(const struct kd_conf_key *key, void *field)
{
    if (key->type == KD_CONF_STRING) {
        *(char **)field = copy_text(*(char **)field);
    } else if (key->type == KD_CONF_STRINGS) {
        *(struct kd_strlist *)field = copy_list(field);
    }
}

static bool in_entry(const struct kd_conf_key *key)
{
    return strcmp(key->section, "kinds") == 0 || strcmp(key->section, "defaults") == 0;
}

static void *field_of(const struct kd_conf_key *key, const struct kd_config *config,
                      const struct kd_kind_entry *entry)
{
    return kd_conf_field(key, (struct kd_config *)(uintptr_t)config,
                         (struct kd_kind_entry *)(uintptr_t)entry); /* only read from */
}

static bool same_setting(const struct kd_setting *a, const struct kd_setting *b)
{
    if (strcmp(a->key, b->key) != 0 || a->type != b->type) {
        return false;
    }
    switch (a->type) {
    case KD_SETTING_STRING:
        return strcmp(a->text, b->text) == 0;
    case KD_SETTING_INT:
    case KD_SETTING_BOOL:
        return a->number == b->number;
    case KD_SETTING_STRINGS:
        return same_list(&a->list, &b->list);
    }
    return false;
}

bool kd_kind_entry_same(const struct kd_kind_entry *a, const struct kd_kind_entry *b)
{
    bool same = a->n_settings == b->n_settings;
    for (size_t i = 0; same && i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        if (in_entry(key)) {
            same = same_field(key, field_of(key, NULL, a), field_of(key, NULL, b));
        }
    }
    for (size_t i = 0; same && i < a->n_settings; i++) {
        same = same_setting(&a->settings[i], &b->settings[i]);
    }
    return same;
}

static struct kd_setting copy_setting(const struct kd_setting *from)
{
    struct kd_setting to = *from;
    to.key = kd_strdup(from->key);
    to.text = copy_text(from->text);
    to.list = copy_list(&from->list);
    to.place.file = copy_text(from->place.file);
    return to;
}

struct kd_kind_entry *kd_kind_entry_copy(const struct kd_kind_entry *from)
{
    struct kd_kind_entry *to = kd_alloc(sizeof(*to));
    *to = *from;
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        if (in_entry(&kd_conf_keys[i])) {
            own_field(&kd_conf_keys[i], field_of(&kd_conf_keys[i], NULL, to));
        }
    }
    to->settings = kd_zalloc_array(from->n_settings, sizeof(*to->settings));
    for (size_t i = 0; i < from->n_settings; i++) {
        to->settings[i] = copy_setting(&from->settings[i]);
    }
    to->place.file = copy_text(from->place.file);
    return to;
}

struct kd_kind_entry *kd_kind_entry_free(struct kd_kind_entry *entry)
{
    if (entry) {
        kd_conf_entry_release(entry);
    }
    return kd_free(entry);
}

void kd_config_restart_keys(const struct kd_config *running, const struct kd_config *wanted,
                            struct kd_buf *out)
{
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        char name[64];
        if (key->reload || strcmp(key->section, "kinds") == 0 ||
            same_field(key, field_of(key, running, NULL), field_of(key, wanted, NULL))) {
            continue;
        }
        /* Cut at the buffer's bound: it is a line of the log. */
        (void)kd_buf_printf(out, "%s%s", out->len ? ", " : "", kd_conf_key_text(key, name));
    }
}
