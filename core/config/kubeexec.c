#include "config/kubeexec.h"

#include "base/alloc.h"
#include "base/file.h"
#include "config/pem.h"
#include "config/yamljson.h"

#define EXTENSION "client.authentication.k8s.io/exec"
#define V1 "client.authentication.k8s.io/v1"
#define V1BETA1 "client.authentication.k8s.io/v1beta1"

struct kd_exec *kd_exec_free(struct kd_exec *exec)
{
    if (!exec) {
        return NULL;
    }
    for (size_t i = 0; i < exec->n_env; i++) {
        kd_free(exec->env[i].name);
        kd_secret_free(exec->env[i].value);
    }
    kd_strlist_wipe(&exec->args);
    kd_free(exec->env);
    kd_free(exec->command);
    kd_free(exec->api_version);
    kd_free(exec->install_hint);
    kd_free(exec->cluster_config);
    return kd_free(exec);
}

/* B50: with a slash it belongs to the folder of the kubeconfig, a bare name to PATH. */
static void take_command(struct kd_kubefields *in, struct kd_exec *exec)
{
    KD_AUTO_FREE char *command = kd_field_text(in, "command");
    if (in->rc == 0 && !command) {
        kd_field_fail(in, in->node, "exec", "has no command; name the program");
    }
    if (in->rc == 0) {
        exec->command =
            strchr(command, '/') ? kd_path_beside(in->path, command) : kd_strdup(command);
    }
}

static void take_version(struct kd_kubefields *in, struct kd_exec *exec)
{
    exec->api_version = kd_field_text(in, "apiVersion");
    const char *version = exec->api_version;
    if (in->rc == 0 && (!version || (strcmp(version, V1) != 0 && strcmp(version, V1BETA1) != 0))) {
        kd_field_fail(in, in->node, "exec", "needs apiVersion " V1 " or " V1BETA1);
    }
}

/* No terminal is ever given to the program, so one that must have it cannot be used. */
static void check_interactive(struct kd_kubefields *in, const struct kd_exec *exec)
{
    KD_AUTO_FREE char *mode = kd_field_text(in, "interactiveMode");
    if (in->rc < 0) {
        return;
    }
    if (!mode) {
        if (strcmp(exec->api_version, V1) == 0) {
            kd_field_fail(in, in->node, "exec",
                          "has no interactiveMode; write Never or IfAvailable");
        }
    } else if (strcmp(mode, "Always") == 0) {
        kd_field_fail(in, in->node, "exec",
                      "has the interactiveMode Always, and there is no terminal; use a program "
                      "that works without");
    } else if (strcmp(mode, "Never") != 0 && strcmp(mode, "IfAvailable") != 0) {
        kd_field_fail(in, in->node, "exec",
                      "has an unknown interactiveMode; write Never or IfAvailable");
    }
}

static void take_variable(struct kd_kubefields *in, struct kd_exec *exec, const yaml_node_t *node)
{
    struct kd_kubefields item = *in;
    item.node = node;
    char *name = kd_field_exact(&item, "name");
    const char *value = kd_yaml_text(kd_field_node(&item, "value"));
    if (item.rc == 0 && (!name || strchr(name, '='))) {
        kd_field_fail(&item, node, "exec", "has an environment variable without a good name");
    }
    in->rc = item.rc;
    if (in->rc < 0) {
        kd_free(name);
        return;
    }
    exec->env = kd_realloc_array(exec->env, exec->n_env + 1, sizeof(*exec->env));
    exec->env[exec->n_env++] = (struct kd_name_value){ name, kd_strdup(value ? value : "") };
}

static void take_environment(struct kd_kubefields *in, struct kd_exec *exec)
{
    const yaml_node_t *list = kd_field_node(in, "env");
    for (size_t i = 0; in->rc == 0 && i < kd_yaml_count(list); i++) {
        take_variable(in, exec, kd_yaml_item(in->yaml, list, i));
    }
}

/* The extension of the cluster that is meant for credential programs, as JSON. */
static char *cluster_config(const struct kd_kubeentry *server)
{
    struct kd_yaml *yaml = &server->file->yaml;
    const yaml_node_t *list = kd_yaml_member(yaml, server->node, "extensions");
    for (size_t i = 0; i < kd_yaml_count(list); i++) {
        const yaml_node_t *item = kd_yaml_item(yaml, list, i);
        const char *name = kd_yaml_text(kd_yaml_member(yaml, item, "name"));
        if (name && strcmp(name, EXTENSION) == 0) {
            return kd_yaml_json(yaml, kd_yaml_member(yaml, item, "extension"));
        }
    }
    return NULL;
}

void kd_kubeconfig_exec(struct kd_kubefields *in, const struct kd_kubeentry *server,
                        struct kd_cluster *cluster)
{
    struct kd_kubefields inner = kd_field_inner(in, "exec");
    if (!inner.node) {
        return;
    }
    struct kd_exec *exec = kd_zalloc(sizeof(*exec));
    cluster->exec = exec;
    take_command(&inner, exec);
    take_version(&inner, exec);
    kd_field_strings(&inner, "args", &exec->args);
    take_environment(&inner, exec);
    exec->install_hint = kd_yaml_text(kd_field_node(&inner, "installHint"))
                             ? kd_strdup(kd_yaml_text(kd_field_node(&inner, "installHint")))
                             : NULL;
    exec->provide_cluster_info = kd_field_bool(&inner, "provideClusterInfo");
    check_interactive(&inner, exec);
    exec->cluster_config = cluster_config(server);
    in->rc = inner.rc;
}

int kd_exec_check(const struct kd_exec *exec, const struct kd_strlist *allow,
                  struct kd_error *reterr)
{
    for (size_t i = 0; i < allow->n; i++) {
        if (strcmp(allow->items[i], exec->command) == 0) {
            return 0;
        }
    }
    if (allow->n == 0) {
        return 0;
    }
    return kd_fail(reterr, KD_ECONFIG,
                   "the kubeconfig wants to run %s for credentials, which cluster.exec_allow does "
                   "not name; add it there or use another user",
                   exec->command);
}
