#include "manager/rules.h"

#include "base/alloc.h"
#include "base/str.h"
#include "manager/scope.h"

#include <stdlib.h>
#include <string.h>

#define READ "[\"get\", \"list\", \"watch\"]"
#define CREATE "[\"create\"]"

static void add(struct kd_rules *rules, struct kd_rule rule)
{
    rules->items = kd_realloc_array(rules->items, rules->n + 1, sizeof(*rules->items));
    rules->items[rules->n++] = rule;
}

/* -- what plugins ask for */

static void add_kind(struct kd_rules *rules, const struct kd_instance_kind *kind)
{
    struct kd_rule rule = { NULL, kind->def.group, kind->def.resource, NULL, READ };
    struct kd_scope scope;
    kd_scope_make(kind, &scope);
    for (size_t i = 0; i < scope.namespaces.n; i++) {
        rule.ns = scope.namespaces.items[i];
        add(rules, rule);
    }
    if (scope.namespaces.n == 0) {
        add(rules, rule);
    }
    kd_scope_release(&scope);
}

static void add_kinds(struct kd_rules *rules, const struct kd_plugins *plugins)
{
    struct kd_instance *const *instances;
    size_t n = kd_plugins_instances(plugins, &instances);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < instances[i]->n_kinds; j++) {
            add_kind(rules, &instances[i]->kinds[j]);
        }
    }
}

/* -- what the host asks for */

/* No name restricts a create: the server does not know it yet. */
static void add_election(struct kd_rules *rules, const struct kd_leader_settings *leader)
{
    const char *ns = leader->ns;
    const char *group = "coordination.k8s.io";
    if (leader->enabled) {
        add(rules, (struct kd_rule){ ns, group, "leases", NULL, CREATE });
        add(rules, (struct kd_rule){ ns, group, "leases", leader->name,
                                     "[\"get\", \"update\", \"watch\"]" });
        add(rules, (struct kd_rule){ ns, "events.k8s.io", "events", NULL,
                                     "[\"create\", \"patch\"]" });
    }
}

static bool asks_who(const struct kd_http_settings *http)
{
    return http->authenticate && http->bind[0] && strcmp(http->bind, "0") != 0 &&
           strncmp(http->bind, "unix:", 5) != 0;
}

static void add_host(struct kd_rules *rules, const struct kd_config *config)
{
    add_election(rules, &config->leader);
    add(rules, (struct kd_rule){ NULL, "", "namespaces", "kube-system", "[\"get\"]" });
    if (asks_who(&config->metrics) || asks_who(&config->api)) {
        add(rules,
            (struct kd_rule){ NULL, "authentication.k8s.io", "tokenreviews", NULL, CREATE });
        add(rules, (struct kd_rule){ NULL, "authorization.k8s.io", "subjectaccessreviews", NULL,
                                     CREATE });
    }
}

/* -- each once */

static int compare(const char *a, const char *b)
{
    return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int by_place(const void *left, const void *right)
{
    const struct kd_rule *a = left;
    const struct kd_rule *b = right;
    const char *const keys[][2] = { { a->ns, b->ns },
                                    { a->group, b->group },
                                    { a->verbs, b->verbs },
                                    { a->name, b->name },
                                    { a->resource, b->resource } };
    int order = 0;
    for (size_t i = 0; i < KD_ARRAY_LEN(keys) && order == 0; i++) {
        order = compare(keys[i][0], keys[i][1]);
    }
    return order;
}

/* What is read of all objects covers one of them, and those of one namespace. */
static bool covers(const struct kd_rule *wide, const struct kd_rule *rule)
{
    return wide != rule && !wide->ns && !wide->name && strcmp(wide->verbs, READ) == 0 &&
           (rule->ns || rule->name) && strcmp(wide->group, rule->group) == 0 &&
           strcmp(wide->resource, rule->resource) == 0 &&
           (strcmp(rule->verbs, READ) == 0 || strcmp(rule->verbs, "[\"get\"]") == 0);
}

static bool is_needed(const struct kd_rules *rules, size_t at)
{
    const struct kd_rule *rule = &rules->items[at];
    bool needed = at == 0 || by_place(rule - 1, rule) != 0;
    for (size_t i = 0; i < rules->n && needed; i++) {
        needed = !covers(&rules->items[i], rule);
    }
    return needed;
}

void kd_rules_make(const struct kd_config *config, const struct kd_plugins *plugins,
                   struct kd_rules *ret)
{
    struct kd_rules all = { 0 };
    *ret = (struct kd_rules){ 0 };
    add_kinds(&all, plugins);
    add_host(&all, config);
    qsort(all.items, all.n, sizeof(*all.items), by_place);
    for (size_t i = 0; i < all.n; i++) {
        if (is_needed(&all, i)) {
            add(ret, all.items[i]);
        }
    }
    kd_rules_release(&all);
}

void kd_rules_release(struct kd_rules *rules)
{
    kd_free(rules->items);
    *rules = (struct kd_rules){ 0 };
}
