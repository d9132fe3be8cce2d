/* Reads the rules of an entry. */
#include "custom.h"

#include <stdio.h>
#include <string.h>

#define RULE_FORM "\"PATH -> KIND[.GROUP][:VERSION] PREDICATE [cluster|namespace=MEMBER]\""
#define LABEL_FORM "\"KEY = PATH\""

static int32_t refuse(char *reason, const char *what, struct kd_str rule, const char *why,
                      const char *form)
{
    (void)snprintf(reason, CUSTOM_REASON, "%s \"%.*s\": %s; one reads %s", what,
                   (int)(rule.len < 160 ? rule.len : 160), rule.ptr ? rule.ptr : "", why, form);
    return KD_ECONFIG;
}

/* The next word of a text, ended by a NUL; NULL when there is none. */
static char *take_word(char **text)
{
    char *word = *text + strspn(*text, " \t");
    if (!*word) {
        return NULL;
    }
    char *end = word + strcspn(word, " \t");
    *text = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* Copies a rule, so that it can be cut into words. */
static const char *copy_rule(char *to, struct kd_str rule)
{
    if (rule.len >= CUSTOM_TEXT) {
        return "it is longer than 255 characters";
    }
    if (memchr(rule.ptr, 0, rule.len)) {
        return "it holds a NUL";
    }
    memcpy(to, rule.ptr, rule.len);
    to[rule.len] = '\0';
    return NULL;
}

/* "a", "a-b.c/d": what Kubernetes takes as a label's key. */
static int is_key(const char *key)
{
    size_t n = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./");
    return n > 0 && key[n] == '\0';
}

static int is_word(const char *word)
{
    size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.");
    return n > 0 && word[n] == '\0';
}

/* Each "*" is a whole segment; "/" alone is the whole object, which names nothing. */
static const char *check_path(const char *path, int may_be_wild)
{
    if (path[0] != '/' || path[1] == '\0') {
        return "the path has to begin with \"/\" and to name a field";
    }
    for (const char *at = path; *at; at++) {
        if (*at == '/' && (at[1] == '/' || at[1] == '\0')) {
            return "a segment of the path is empty";
        }
        if (*at != '*') {
            continue;
        }
        if (!may_be_wild) {
            return "the path may not hold \"*\"";
        }
        if (at[-1] != '/' || (at[1] != '/' && at[1] != '\0') || at == path + 1) {
            return "\"*\" stands for all elements and is a segment of its own, never the first";
        }
    }
    return strchr(path, '~') && strstr(path, "*") ? "\"~\" and \"*\" do not go together" : NULL;
}

/* Cuts the path before its first "*". */
static void split_path(struct custom_rule *rule, char *path)
{
    char *star = strchr(path, '*');
    rule->path = path;
    if (star) {
        star[-1] = '\0';
        rule->rest = kd_cstr(star);
    }
}

static const char *read_reference(struct custom_rule *rule, char *word)
{
    rule->group = rule->version = "";
    if (strcmp(word, "*") == 0) {
        return NULL;
    }
    char *version = strchr(word, ':');
    if (version) {
        *version++ = '\0';
        rule->version = version;
    }
    char *group = strchr(word, '.');
    if (group) {
        *group++ = '\0';
        rule->group = group;
    }
    rule->kind = word;
    if (!is_word(word) || (group && !is_word(group)) || (version && !is_word(version))) {
        return "the kind is no name";
    }
    return NULL;
}

static const char *read_scope(struct custom_rule *rule, const char *word)
{
    static const char member[] = "namespace=";
    if (!word) {
        return NULL;
    }
    if (strcmp(word, "cluster") == 0) {
        rule->scope = CUSTOM_SCOPE_NONE;
        return NULL;
    }
    if (strncmp(word, member, sizeof(member) - 1) != 0 || !word[sizeof(member) - 1]) {
        return "the last word is neither \"cluster\" nor \"namespace=MEMBER\"";
    }
    rule->scope = CUSTOM_SCOPE_FIELD;
    rule->member = kd_cstr(word + sizeof(member) - 1);
    return NULL;
}

static const char *read_rule(struct custom_rule *rule, struct kd_str text)
{
    const char *why = copy_rule(rule->text, text);
    char *rest = rule->text;
    if (why) {
        return why;
    }
    char *path = take_word(&rest);
    const char *arrow = take_word(&rest);
    char *reference = take_word(&rest);
    rule->type = take_word(&rest);
    const char *scope = take_word(&rest);
    if (!rule->type || strcmp(arrow, "->") != 0 || take_word(&rest)) {
        return "a word is missing or too many";
    }
    why = check_path(path, 1);
    why = why ? why : read_reference(rule, reference);
    why = why ? why : read_scope(rule, scope);
    if (why) {
        return why;
    }
    split_path(rule, path);
    return is_word(rule->type) ? NULL : "the predicate is no name";
}

static const char *read_label(struct custom_label *label, struct kd_str text)
{
    const char *why = copy_rule(label->text, text);
    char *rest = label->text;
    if (why) {
        return why;
    }
    label->key = take_word(&rest);
    const char *equals = take_word(&rest);
    label->path = take_word(&rest);
    if (!label->path || strcmp(equals, "=") != 0 || take_word(&rest)) {
        return "a word is missing or too many";
    }
    return is_key(label->key) ? check_path(label->path, 0) : "the key is none of a label";
}

static int32_t read_relations(struct custom *custom, const struct kd_strs *texts, char *reason)
{
    for (uint64_t i = 0; i < texts->n; i++) {
        const char *why = i < CUSTOM_RULES ? read_rule(&custom->rules[i], texts->items[i])
                                           : "there are more than 64";
        if (why) {
            return refuse(reason, "relation", texts->items[i], why, RULE_FORM);
        }
        custom->paths[custom->n_rules] = custom->rules[i].path;
        custom->n_rules++;
    }
    return 0;
}

static int32_t read_labels(struct custom *custom, const struct kd_strs *texts, char *reason)
{
    for (uint64_t i = 0; i < texts->n; i++) {
        const char *why = i < CUSTOM_RULES ? read_label(&custom->labels[i], texts->items[i])
                                           : "there are more than 64";
        if (why) {
            return refuse(reason, "label", texts->items[i], why, LABEL_FORM);
        }
        custom->paths[custom->n_rules + custom->n_labels] = custom->labels[i].path;
        custom->n_labels++;
    }
    return 0;
}

int32_t custom_read(struct custom *custom, const struct custom_settings *settings,
                    char reason[CUSTOM_REASON])
{
    memset(custom, 0, sizeof(*custom));
    if (!settings->kind.len || !settings->resource.len || !settings->version.len) {
        (void)snprintf(reason, CUSTOM_REASON,
                       "the settings version, kind and resource have to be there, as in "
                       "{ group = \"example.org\"; version = \"v1\"; kind = \"Widget\"; "
                       "resource = \"widgets\"; }");
        return KD_ECONFIG;
    }
    int32_t rc = read_relations(custom, &settings->relations, reason);
    return rc ? rc : read_labels(custom, &settings->labels, reason);
}
