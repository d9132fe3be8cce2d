/* One value: its default, its text, its bounds, and what it owns. */
#include "base/alloc.h"
#include "base/clock.h"
#include "config/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER_MAX 40

/* Puts a reason; cut to fit by design. */
#define WHY(why, ...) ((void)snprintf((why), KD_CONF_WHY, __VA_ARGS__), false)

const char *kd_conf_type_text(enum kd_conf_type type)
{
    static const char *const texts[] = {
        [KD_CONF_STRING] = "a string in quotes",
        [KD_CONF_INT] = "a whole number",
        [KD_CONF_FLOAT] = "a number, such as 50.0",
        [KD_CONF_BOOL] = "true or false",
        [KD_CONF_DURATION] = "a string with a unit, such as \"30s\"",
        [KD_CONF_STRINGS] = "a list of strings, such as [ \"a\", \"b\" ]",
        [KD_CONF_GROUP] = "a group, such as { key = \"value\"; }",
    };
    return texts[type];
}

char *kd_conf_key_text(const struct kd_conf_key *key, char out[64])
{
    (void)snprintf(out, 64, "%s%s%s", key->section, key->section[0] ? "." : "", key->name);
    return out;
}

static bool is_word(const char *words, struct kd_str text)
{
    struct kd_str rest = kd_str_from(words);
    while (rest.ptr) {
        if (kd_str_eq(kd_str_cut(&rest, '|'), text)) {
            return true;
        }
    }
    return false;
}

static bool string_fits(const struct kd_conf_key *key, struct kd_str text, char why[KD_CONF_WHY])
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f) {
            return WHY(why, "holds a control character; remove it");
        }
    }
    if (key->words && !is_word(key->words, text)) {
        return WHY(why, "is \"%.*s\"; write one of %s", KD_STR_ARG(text), key->words);
    }
    return !key->check || key->check(text, why);
}

static bool set_string(const struct kd_conf_key *key, struct kd_str text, char **field,
                       char why[KD_CONF_WHY])
{
    if (!string_fits(key, text, why)) {
        return false;
    }
    kd_free(*field);
    *field = kd_str_dup(text);
    return true;
}

bool kd_conf_add_string(const struct kd_conf_key *key, struct kd_str text, void *field,
                        char why[KD_CONF_WHY])
{
    struct kd_strlist *list = field;
    if (!string_fits(key, text, why)) {
        return false;
    }
    list->items = kd_realloc_array(list->items, list->n + 1, sizeof(*list->items));
    list->items[list->n++] = kd_str_dup(text);
    return true;
}

static bool set_duration(const struct kd_conf_key *key, struct kd_str text, int64_t *field,
                         char why[KD_CONF_WHY])
{
    char low[KD_RFC3339_MAX];
    char high[KD_RFC3339_MAX];
    int64_t value = 0;
    uint64_t bare = 0;
    if (kd_str_to_u64(text, &bare)) {
        return WHY(why, "is \"%.*s\", which has no unit; write \"%.*ss\" for seconds",
                   KD_STR_ARG(text), KD_STR_ARG(text));
    }
    if (kd_duration_parse(text, &value) < 0) {
        return WHY(why,
                   "is \"%.*s\"; write numbers with the units ms, s, m or h, such as \"1m30s\"",
                   KD_STR_ARG(text));
    }
    if (value < key->min || value > key->max) {
        return WHY(why, "is \"%.*s\"; it goes from %s to %s", KD_STR_ARG(text),
                   kd_duration_text(key->min, low), kd_duration_text(key->max, high));
    }
    *field = value;
    return true;
}

bool kd_conf_set_int(const struct kd_conf_key *key, int64_t value, void *field,
                     char why[KD_CONF_WHY])
{
    if (value < key->min || value > key->max) {
        return WHY(why, "is %lld; it goes from %lld to %lld", (long long)value, (long long)key->min,
                   (long long)key->max);
    }
    *(int64_t *)field = value;
    return true;
}

bool kd_conf_set_float(const struct kd_conf_key *key, double value, void *field,
                       char why[KD_CONF_WHY])
{
    if (!(value >= (double)key->min && value <= (double)key->max)) { /* NaN is out, too */
        return WHY(why, "is %g; it goes from %lld to %lld", value, (long long)key->min,
                   (long long)key->max);
    }
    *(double *)field = value;
    return true;
}

static bool set_number_text(const struct kd_conf_key *key, struct kd_str text, void *field,
                            char why[KD_CONF_WHY])
{
    char copy[NUMBER_MAX];
    char *end = copy;
    int written = snprintf(copy, sizeof(copy), "%.*s", KD_STR_ARG(text));
    bool fits = written > 0 && (size_t)written < sizeof(copy) && copy[0] > ' ';
    if (key->type == KD_CONF_FLOAT) {
        double value = strtod(copy, &end);
        if (fits && *end == '\0' && isfinite(value)) {
            return kd_conf_set_float(key, value, field, why);
        }
    } else {
        long long value = strtoll(copy, &end, 10); /* saturates, which is out of every range */
        if (fits && *end == '\0' && end != copy) {
            return kd_conf_set_int(key, value, field, why);
        }
    }
    return WHY(why, "is \"%.*s\"; it takes %s", KD_STR_ARG(text), kd_conf_type_text(key->type));
}

static bool set_bool_text(struct kd_str text, bool *field, char why[KD_CONF_WHY])
{
    bool truth = kd_str_eq_nocase(text, KD_STR("true"));
    if (!truth && !kd_str_eq_nocase(text, KD_STR("false"))) {
        return WHY(why, "is \"%.*s\"; write true or false", KD_STR_ARG(text));
    }
    *field = truth;
    return true;
}

bool kd_conf_set_text(const struct kd_conf_key *key, struct kd_str text, void *field,
                      char why[KD_CONF_WHY])
{
    switch (key->type) {
    case KD_CONF_STRING:
        return set_string(key, text, field, why);
    case KD_CONF_DURATION:
        return set_duration(key, text, field, why);
    case KD_CONF_INT:
    case KD_CONF_FLOAT:
        return set_number_text(key, text, field, why);
    case KD_CONF_BOOL:
        return set_bool_text(text, field, why);
    case KD_CONF_STRINGS:
    case KD_CONF_GROUP:
        break;
    }
    return WHY(why, "takes %s", kd_conf_type_text(key->type));
}

void kd_conf_set_default(const struct kd_conf_key *key, void *field)
{
    char why[KD_CONF_WHY];
    if (key->type == KD_CONF_STRING) { /* may be empty where a given value may not */
        kd_free(*(char **)field);
        *(char **)field = kd_strdup(key->value);
    } else if (key->type != KD_CONF_STRINGS && key->type != KD_CONF_GROUP) {
        KD_ASSERT(kd_conf_set_text(key, kd_str_from(key->value), field, why));
    }
}

void kd_conf_clear_field(const struct kd_conf_key *key, void *field)
{
    if (key->type == KD_CONF_STRING) {
        *(char **)field = kd_free(*(char **)field);
    } else if (key->type == KD_CONF_STRINGS) {
        struct kd_strlist *list = field;
        for (size_t i = 0; i < list->n; i++) {
            kd_free(list->items[i]);
        }
        kd_free(list->items);
        *list = (struct kd_strlist){ NULL, 0 };
    }
}
