/* KINDRED_<SECTION>_<KEY> in the environment sets one scalar key. */
#include "config/loader.h"

#include "base/alloc.h"
#include "base/log.h"

#include <ctype.h>

static const struct kd_str prefix = KD_STR_INIT("KINDRED_");

static bool same_upper(struct kd_str upper, const char *lower)
{
    for (size_t i = 0; i < upper.len; i++) {
        if (upper.ptr[i] != toupper((unsigned char)lower[i])) { /* a shorter one ends in NUL */
            return false;
        }
    }
    return lower[upper.len] == '\0';
}

/* The key of "STORE_PATH" or "SHUTDOWN_GRACE"; entries of `kinds` cannot be named. */
static const struct kd_conf_key *find_key(struct kd_str name)
{
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        size_t skip = strlen(key->section);
        if (strcmp(key->section, "kinds") == 0 || skip >= name.len) {
            continue;
        }
        struct kd_str section = { name.ptr, skip };
        struct kd_str rest = { name.ptr + skip, name.len - skip };
        if (skip > 0) {
            if (!same_upper(section, key->section) || rest.ptr[0] != '_') {
                continue;
            }
            rest = (struct kd_str){ rest.ptr + 1, rest.len - 1 };
        }
        if (same_upper(rest, key->name)) {
            return key;
        }
    }
    return NULL;
}

static bool contains(struct kd_str text, struct kd_str part)
{
    return memmem(text.ptr, text.len, part.ptr, part.len) != NULL;
}

/*
 * Kubernetes puts such variables into every pod beside a Service whose name begins with ours;
 * KINDRED_SERVER, KINDRED_CA and KINDRED_TOKEN are kindredctl's.
 */
static bool is_not_ours(struct kd_str name)
{
    return kd_str_is(name, "SERVER") || kd_str_is(name, "CA") || kd_str_is(name, "TOKEN") ||
           contains(name, KD_STR("_SERVICE_")) || contains(name, KD_STR("_PORT")) ||
           kd_str_starts(name, KD_STR("SERVICE_")) || kd_str_starts(name, KD_STR("PORT"));
}

static void load_variable(struct kd_conf_loader *loader, struct kd_str variable,
                          struct kd_str value)
{
    struct kd_str name = { variable.ptr + prefix.len, variable.len - prefix.len };
    const struct kd_conf_key *key = find_key(name);
    if (!key && is_not_ours(name)) {
        return;
    }
    if (!key || key->type == KD_CONF_STRINGS) {
        KD_WARN("environment variable ignored", KD_FS("variable", variable),
                KD_F("reason", key ? "the key is a list: set it in the config file"
                                   : "names no key; KINDRED_<SECTION>_<KEY> does"));
        return;
    }
    char why[KD_CONF_WHY] = "";
    char text[64];
    if (!kd_conf_set_text(key, value, kd_conf_field(key, loader->config, NULL), why)) {
        kd_faults_add(loader->faults, KD_STR_FMT ": %s %s", KD_STR_ARG(variable),
                      kd_conf_key_text(key, text), why);
        return;
    }
    char **place = &loader->places[key - kd_conf_keys];
    kd_free(*place);
    *place = kd_str_dup(variable);
}

void kd_conf_load_environ(struct kd_conf_loader *loader, char *const *environ)
{
    for (size_t i = 0; environ && environ[i]; i++) {
        struct kd_str value = kd_str_from(environ[i]);
        struct kd_str variable = kd_str_cut(&value, '=');
        if (value.ptr && variable.len > prefix.len && kd_str_starts(variable, prefix)) {
            load_variable(loader, variable, value);
        }
    }
}
