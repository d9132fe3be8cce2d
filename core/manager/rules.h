/*
 * What a configuration makes kindred ask of the API server, as RBAC rules: exactly these, for each
 * kind of the loaded plugins in its scope, and for what the host itself asks.
 */
#ifndef KD_MANAGER_RULES_H
#define KD_MANAGER_RULES_H

#include "base/buf.h"
#include "config/settings.h"
#include "plugin/plugins.h"

/* One resource. Texts are borrowed from the configuration and its plugins, or are constants. */
struct kd_rule {
    const char *ns; /* a Role of that namespace; NULL: the ClusterRole */
    const char *group;
    const char *resource;
    const char *name;  /* NULL: any */
    const char *verbs; /* a list as YAML has it: ["get", "list"] */
};

struct kd_rules {
    struct kd_rule *items; /* in the order of namespace, group, verbs, name and resource */
    size_t n;
};

void kd_rules_make(const struct kd_config *config, const struct kd_plugins *plugins,
                   struct kd_rules *ret);
void kd_rules_release(struct kd_rules *rules);

/* Whom the rules are granted to: a service account, whose name the roles have, too. */
struct kd_grantee {
    const char *name;
    const char *ns;
};

/* Puts roles and bindings as YAML documents that `kubectl apply` takes. A failed append is
 * remembered by the buffer. */
void kd_rules_write(const struct kd_rules *rules, const struct kd_grantee *to, struct kd_buf *out);

#endif
