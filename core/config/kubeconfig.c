#include "config/kubeconfig.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

void kd_kubeconfig_init(struct kd_kubeconfig *config)
{
    *config = (struct kd_kubeconfig){ NULL, 0 };
}

void kd_kubeconfig_release(struct kd_kubeconfig *config)
{
    for (size_t i = 0; i < config->n; i++) {
        kd_yaml_release(&config->files[i].yaml);
        kd_free(config->files[i].path);
    }
    config->files = kd_free(config->files);
    config->n = 0;
}

int kd_kubeconfig_add(struct kd_kubeconfig *config, const char *path, struct kd_error *reterr)
{
    struct kd_kubefile file = { .path = NULL };
    for (size_t i = 0; i < config->n; i++) {
        if (strcmp(config->files[i].path, path) == 0) {
            return 0;
        }
    }
    KD_TRY(kd_yaml_read(&file.yaml, path, reterr));
    const yaml_node_t *root = kd_yaml_root(&file.yaml);
    if (root && root->type != YAML_MAPPING_NODE) {
        int rc =
            kd_fail(reterr, KD_ECONFIG, "%s:%d: is no kubeconfig; it begins with apiVersion: v1",
                    path, kd_yaml_line(root));
        kd_yaml_release(&file.yaml);
        return rc;
    }
    file.path = kd_strdup(path);
    config->files = kd_realloc_array(config->files, config->n + 1, sizeof(*config->files));
    config->files[config->n++] = file;
    return 0;
}

static yaml_node_t *list_of(struct kd_kubefile *file, const char *list)
{
    return kd_yaml_member(&file->yaml, kd_yaml_root(&file->yaml), list);
}

static const char *current_context(struct kd_kubeconfig *config)
{
    const char *context = NULL;
    for (size_t i = 0; i < config->n && !context; i++) {
        context = kd_yaml_text(list_of(&config->files[i], "current-context"));
    }
    return context;
}

bool kd_kubeconfig_is_empty(struct kd_kubeconfig *config)
{
    for (size_t i = 0; i < config->n; i++) {
        if (kd_yaml_count(list_of(&config->files[i], "clusters")) ||
            kd_yaml_count(list_of(&config->files[i], "contexts"))) {
            return false;
        }
    }
    return current_context(config) == NULL;
}

static int find_in_file(struct kd_kubefile *file, const char *list, const char *name,
                        yaml_node_t **ret, struct kd_error *reterr)
{
    yaml_node_t *found = NULL;
    const yaml_node_t *entries = list_of(file, list);
    if (entries && entries->type != YAML_SEQUENCE_NODE) {
        return kd_fail(reterr, KD_ECONFIG, "%s:%d: %s is no list", file->path,
                       kd_yaml_line(entries), list);
    }
    for (size_t i = 0; i < kd_yaml_count(entries); i++) {
        yaml_node_t *entry = kd_yaml_item(&file->yaml, entries, i);
        const char *text = kd_yaml_text(kd_yaml_member(&file->yaml, entry, "name"));
        if (!text || strcmp(text, name) != 0) {
            continue;
        }
        if (found) {
            return kd_fail(reterr, KD_ECONFIG, "%s:%d: %s holds the name \"%s\" twice; keep one",
                           file->path, kd_yaml_line(entry), list, name);
        }
        found = entry;
    }
    KD_ENSURE(found, KD_ENOENT);
    *ret = found;
    return 0;
}

int kd_kubeconfig_find(struct kd_kubeconfig *config, const char *list, const char *inner,
                       const char *name, struct kd_kubeentry *ret, struct kd_error *reterr)
{
    for (size_t i = 0; i < config->n; i++) {
        struct kd_kubefile *file = &config->files[i];
        yaml_node_t *entry = NULL;
        int rc = find_in_file(file, list, name, &entry, reterr);
        if (rc == 0) {
            *ret = (struct kd_kubeentry){ file, entry, kd_yaml_member(&file->yaml, entry, inner) };
            return 0;
        }
        KD_ENSURE(rc == KD_ENOENT, rc);
    }
    return KD_ENOENT;
}

/* "a, b" for an error; cut where the error would be. */
static char *names_of(struct kd_kubeconfig *config, const char *list)
{
    struct kd_buf names;
    kd_buf_init(&names, KD_ERROR_TEXT);
    for (size_t i = 0; i < config->n; i++) {
        struct kd_kubefile *file = &config->files[i];
        const yaml_node_t *entries = list_of(file, list);
        for (size_t j = 0; j < kd_yaml_count(entries); j++) {
            const yaml_node_t *entry = kd_yaml_item(&file->yaml, entries, j);
            const char *name = kd_yaml_text(kd_yaml_member(&file->yaml, entry, "name"));
            if (name) { /* past the bound the rest is left out */
                (void)kd_buf_printf(&names, "%s%s", names.len ? ", " : "", name);
            }
        }
    }
    return kd_buf_steal(&names);
}

static int fail_context(struct kd_kubeconfig *config, const char *context, struct kd_error *reterr)
{
    KD_AUTO_FREE char *names = names_of(config, "contexts");
    const char *path = config->files[0].path;
    if (!context) {
        return kd_fail(reterr, KD_ECONFIG,
                       "%s: no current-context; set cluster.context to one of: %s", path,
                       names[0] ? names : "(there is none)");
    }
    return kd_fail(reterr, KD_ECONFIG, "%s: no context \"%s\"; those there are: %s", path, context,
                   names[0] ? names : "(none)");
}

static int fail_link(const struct kd_kubeentry *context, const char *name, const char *field,
                     const char *target, struct kd_error *reterr)
{
    const char *path = context->file->path;
    int line = kd_yaml_line(context->entry);
    if (!target) {
        return kd_fail(reterr, KD_ECONFIG, "%s:%d: context \"%s\" names no %s; add it", path, line,
                       name, field);
    }
    return kd_fail(reterr, KD_ECONFIG,
                   "%s:%d: context \"%s\" names %s \"%s\", which is not there; correct the name",
                   path, line, name, field, target);
}

static int fill_server(struct kd_kubeconfig *config, const struct kd_kubeentry *context,
                       const char *name, struct kd_kubeentry *ret, struct kd_cluster *cluster,
                       struct kd_error *reterr)
{
    const char *target =
        kd_yaml_text(kd_yaml_member(&context->file->yaml, context->node, "cluster"));
    KD_ENSURE(target, fail_link(context, name, "cluster", NULL, reterr));
    int rc = kd_kubeconfig_find(config, "clusters", "cluster", target, ret, reterr);
    KD_ENSURE(rc != KD_ENOENT, fail_link(context, name, "cluster", target, reterr));
    KD_TRY(rc);
    return kd_kubeconfig_server(ret, target, cluster, reterr);
}

/* A context without user is anonymous. */
static int fill_user(struct kd_kubeconfig *config, const struct kd_kubeentry *context,
                     const char *name, const struct kd_kubeentry *server,
                     struct kd_cluster *cluster, struct kd_error *reterr)
{
    struct kd_kubeentry found;
    const char *target = kd_yaml_text(kd_yaml_member(&context->file->yaml, context->node, "user"));
    if (!target) {
        return 0;
    }
    int rc = kd_kubeconfig_find(config, "users", "user", target, &found, reterr);
    KD_ENSURE(rc != KD_ENOENT, fail_link(context, name, "user", target, reterr));
    KD_TRY(rc);
    return kd_kubeconfig_user(&found, server, target, cluster, reterr);
}

int kd_kubeconfig_cluster(struct kd_kubeconfig *config, const char *context,
                          struct kd_cluster **ret, struct kd_error *reterr)
{
    struct kd_kubeentry found;
    struct kd_kubeentry server;
    const char *name = context ? context : current_context(config);
    KD_ENSURE(name, fail_context(config, NULL, reterr));
    int rc = kd_kubeconfig_find(config, "contexts", "context", name, &found, reterr);
    KD_ENSURE(rc != KD_ENOENT, fail_context(config, name, reterr));
    KD_TRY(rc);
    struct kd_cluster *cluster = kd_zalloc(sizeof(*cluster));
    cluster->context = kd_strdup(name);
    rc = fill_server(config, &found, name, &server, cluster, reterr);
    rc = rc ? rc : fill_user(config, &found, name, &server, cluster, reterr);
    if (rc < 0) {
        kd_cluster_free(cluster);
        return rc;
    }
    *ret = cluster;
    return 0;
}
