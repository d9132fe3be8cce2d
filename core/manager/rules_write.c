/* Rules as YAML. Scalars are quoted as in JSON, which YAML reads as they are. */
#include "manager/rules.h"

#include "base/str.h"

#include <string.h>

#define API "rbac.authorization.k8s.io"

/* Appends are looked at when all is written, here and below. */
static void put_text(struct kd_buf *out, const char *before, const char *text)
{
    (void)kd_buf_puts(out, before);
    (void)kd_buf_put_json(out, kd_str_from(text));
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool share_role(const struct kd_rule *a, const struct kd_rule *b)
{
    return same(a->ns, b->ns);
}

static bool share_rule(const struct kd_rule *a, const struct kd_rule *b)
{
    return share_role(a, b) && same(a->group, b->group) && same(a->name, b->name) &&
           same(a->verbs, b->verbs);
}

/* Returns how many of the rules became one. */
static size_t put_rule(const struct kd_rule *rules, size_t n, struct kd_buf *out)
{
    size_t used = 1;
    put_text(out, "  - apiGroups: [", rules[0].group);
    put_text(out, "]\n    resources: [", rules[0].resource);
    for (; used < n && share_rule(rules, &rules[used]); used++) {
        put_text(out, ", ", rules[used].resource);
    }
    if (rules[0].name) {
        put_text(out, "]\n    resourceNames: [", rules[0].name);
    }
    (void)kd_buf_printf(out, "]\n    verbs: %s\n", rules[0].verbs);
    return used;
}

static void put_head(const char *kind, const char *name, const char *ns, struct kd_buf *out)
{
    (void)kd_buf_printf(out, "---\napiVersion: " API "/v1\nkind: %s\nmetadata:\n", kind);
    put_text(out, "  name: ", name);
    if (ns) {
        put_text(out, "\n  namespace: ", ns);
    }
    (void)kd_buf_putc(out, '\n');
}

static void put_binding(const char *ns, const struct kd_grantee *to, struct kd_buf *out)
{
    put_head(ns ? "RoleBinding" : "ClusterRoleBinding", to->name, ns, out);
    (void)kd_buf_printf(out, "roleRef:\n  apiGroup: " API "\n  kind: %s\n",
                        ns ? "Role" : "ClusterRole");
    put_text(out, "  name: ", to->name);
    put_text(out, "\nsubjects:\n  - kind: ServiceAccount\n    name: ", to->name);
    put_text(out, "\n    namespace: ", to->ns);
    (void)kd_buf_putc(out, '\n');
}

void kd_rules_write(const struct kd_rules *rules, const struct kd_grantee *to, struct kd_buf *out)
{
    size_t at = 0;
    while (at < rules->n) {
        const struct kd_rule *first = &rules->items[at];
        put_head(first->ns ? "Role" : "ClusterRole", to->name, first->ns, out);
        (void)kd_buf_puts(out, "rules:\n");
        while (at < rules->n && share_role(first, &rules->items[at])) {
            at += put_rule(&rules->items[at], rules->n - at, out);
        }
        put_binding(first->ns, to, out);
    }
}
