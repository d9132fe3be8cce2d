/* An unknown key, and the known one that was probably meant. */
#include "config/loader.h"

#include "base/alloc.h"

struct nearest {
    struct kd_str wanted;
    const char *section;
    const char *name;
    size_t distance;
};

static void consider(struct nearest *best, const char *section, const char *name)
{
    size_t distance = kd_str_distance(best->wanted, kd_str_from(name));
    if (distance < best->distance) {
        best->section = section;
        best->name = name;
        best->distance = distance;
    }
}

/* Keys that may stand in the section; an entry of `kinds` may hold those of `defaults`, too. */
static bool is_here(const struct kd_conf_key *key, const char *section)
{
    return strcmp(key->section, section) == 0 ||
           (strcmp(section, "kinds") == 0 && strcmp(key->section, "defaults") == 0);
}

static struct nearest find_nearest(struct kd_str wanted, const char *section)
{
    struct nearest best = { wanted, "", "", SIZE_MAX };
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        if (is_here(key, section)) {
            consider(&best, section, key->name);
        } else if (section[0] == '\0') {
            consider(&best, "", key->section);
        }
    }
    /* The very name in another section is a key in the wrong place. */
    for (size_t i = 0; i < kd_conf_n_keys && best.distance > 0; i++) {
        if (kd_str_is(wanted, kd_conf_keys[i].name)) {
            consider(&best, kd_conf_keys[i].section, kd_conf_keys[i].name);
        }
    }
    return best;
}

void kd_conf_unknown(const struct kd_conf_file *file, const config_setting_t *setting,
                     const char *section)
{
    struct nearest best = find_nearest(kd_str_from(config_setting_name(setting)), section);
    kd_conf_fault(file, setting, "unknown key \"%s%s%s\"; did you mean \"%s%s%s\"?", section,
                  section[0] ? "." : "", config_setting_name(setting), best.section,
                  best.section[0] ? "." : "", best.name);
}
