/*
 * One or more kubeconfig files taken as one: for clusters, users and contexts the first file that
 * has the name counts, whole; current-context is the first that is not empty; relative paths belong
 * to the folder of the file that has them.
 */
#ifndef KD_CONFIG_KUBECONFIG_H
#define KD_CONFIG_KUBECONFIG_H

#include "config/cluster.h"
#include "config/yaml.h"

struct kd_kubefile {
    char *path;
    struct kd_yaml yaml;
};

struct kd_kubeconfig {
    struct kd_kubefile *files;
    size_t n;
};

/* An entry of `clusters`, `users` or `contexts`: its inner mapping (may be NULL) and its file. */
struct kd_kubeentry {
    struct kd_kubefile *file;
    yaml_node_t *entry;
    yaml_node_t *node;
};

void kd_kubeconfig_init(struct kd_kubeconfig *config);
void kd_kubeconfig_release(struct kd_kubeconfig *config);
/* Adds a file unless it is there already. KD_ENOENT when it does not exist, else KD_ECONFIG. */
int kd_kubeconfig_add(struct kd_kubeconfig *config, const char *path,
                      struct kd_error *reterr) KD_MUST_USE;
/* True when no file holds a cluster, a context or a current-context. */
bool kd_kubeconfig_is_empty(struct kd_kubeconfig *config);
/* Entry `name` of list `list` ("clusters"), with inner mapping `inner` ("cluster"). KD_ENOENT. */
int kd_kubeconfig_find(struct kd_kubeconfig *config, const char *list, const char *inner,
                       const char *name, struct kd_kubeentry *ret,
                       struct kd_error *reterr) KD_MUST_USE;
/* The cluster of the context (NULL: the current one). */
int kd_kubeconfig_cluster(struct kd_kubeconfig *config, const char *context,
                          struct kd_cluster **ret, struct kd_error *reterr) KD_MUST_USE;

/* Fills the server's part and the user's part of a cluster from their entries. */
int kd_kubeconfig_server(const struct kd_kubeentry *entry, const char *name,
                         struct kd_cluster *cluster, struct kd_error *reterr) KD_MUST_USE;
int kd_kubeconfig_user(const struct kd_kubeentry *entry, const struct kd_kubeentry *server,
                       const char *name, struct kd_cluster *cluster,
                       struct kd_error *reterr) KD_MUST_USE;

#endif
