/* The order of sources: settings, KUBECONFIG, in-cluster, ~/.kube/config. */
#include "config/cluster.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "config/incluster.h"
#include "config/kubeexec.h"
#include "config/kubeconfig.h"
#include "config/proxy.h"

/* Takes what was added; KD_ENOENT when the files say nothing. */
static int take(struct kd_kubeconfig *files, const struct kd_cluster_settings *settings,
                struct kd_cluster **ret, struct kd_error *reterr)
{
    KD_ENSURE(!kd_kubeconfig_is_empty(files), KD_ENOENT);
    const char *context = settings->context[0] ? settings->context : NULL;
    return kd_kubeconfig_cluster(files, context, ret, reterr);
}

static int from_file(const char *path, const struct kd_cluster_settings *settings,
                     struct kd_cluster **ret, struct kd_error *reterr)
{
    struct kd_kubeconfig files;
    kd_kubeconfig_init(&files);
    int rc = kd_kubeconfig_add(&files, path, reterr);
    rc = rc ? rc : take(&files, settings, ret, reterr);
    kd_kubeconfig_release(&files);
    return rc;
}

/* Missing files of the list are passed over. */
static int from_list(const char *list, const struct kd_cluster_settings *settings,
                     struct kd_cluster **ret, struct kd_error *reterr)
{
    struct kd_kubeconfig files;
    kd_kubeconfig_init(&files);
    struct kd_str rest = kd_str_from(list);
    int rc = 0;
    while (rest.ptr && rc == 0) {
        struct kd_str item = kd_str_cut(&rest, ':');
        KD_AUTO_FREE char *path = kd_str_dup(item);
        rc = item.len ? kd_kubeconfig_add(&files, path, reterr) : 0;
        rc = rc == KD_ENOENT ? 0 : rc;
    }
    rc = rc ? rc : take(&files, settings, ret, reterr);
    kd_kubeconfig_release(&files);
    return rc;
}

static int from_inside(const char *folder, const struct kd_cluster_settings *settings,
                       char *const *environ, struct kd_cluster **ret, struct kd_error *reterr)
{
    struct kd_cluster *cluster = NULL;
    KD_TRY(kd_cluster_inside(folder, environ, &cluster, reterr));
    if (settings->context[0]) {
        kd_cluster_free(cluster);
        return kd_fail(reterr, KD_ECONFIG,
                       "cluster.context is \"%s\", but in-cluster there are no contexts; name a "
                       "kubeconfig or leave it empty",
                       settings->context);
    }
    *ret = cluster;
    return 0;
}

/* The named file must be there; an empty one leaves in-cluster only, never another file. */
static int from_settings(const char *folder, const struct kd_cluster_settings *settings,
                         char *const *environ, struct kd_cluster **ret, struct kd_error *reterr)
{
    struct kd_error error = { 0 };
    int rc = from_file(settings->kubeconfig, settings, ret, &error);
    if (rc == KD_ENOENT && error.code == 0) {
        rc = from_inside(folder, settings, environ, ret, &error);
        if (rc == KD_ENOENT) {
            return kd_fail(reterr, KD_ECONFIG, "cluster.kubeconfig: %s is empty; name another file",
                           settings->kubeconfig);
        }
    }
    if (rc < 0) {
        return kd_fail(reterr, KD_ECONFIG, "cluster.kubeconfig: %s", error.text);
    }
    return 0;
}

static int find(const char *folder, const struct kd_cluster_settings *settings,
                char *const *environ, struct kd_cluster **ret, struct kd_error *reterr)
{
    if (settings->kubeconfig[0]) {
        return from_settings(folder, settings, environ, ret, reterr);
    }
    const char *list = kd_environ_get(environ, "KUBECONFIG");
    const char *home = kd_environ_get(environ, "HOME");
    int rc = list ? from_list(list, settings, ret, reterr) : KD_ENOENT;
    KD_ENSURE(rc == KD_ENOENT, rc);
    rc = from_inside(folder, settings, environ, ret, reterr);
    KD_ENSURE(rc == KD_ENOENT, rc);
    bool is_set = list && list[0];
    if (!is_set && home && home[0]) { /* whoever names files does not mean another one */
        KD_AUTO_FREE char *path = kd_path_join(home, ".kube/config");
        rc = from_file(path, settings, ret, reterr);
        KD_ENSURE(rc == KD_ENOENT, rc);
    }
    return kd_fail(reterr, KD_ECONFIG,
                   "no cluster: no kubeconfig in cluster.kubeconfig, KUBECONFIG%s%.200s%s or "
                   "~/.kube/config, and not inside a cluster; name a kubeconfig",
                   is_set ? " (" : "", is_set ? list : "", is_set ? ")" : "");
}

/* What settings and environment say about a cluster that a file has given. */
static int finish(const struct kd_cluster_settings *settings, char *const *environ,
                  struct kd_cluster *cluster, struct kd_error *reterr)
{
    if (cluster->exec) {
        KD_TRY(kd_exec_check(cluster->exec, &settings->exec_allow, reterr));
    }
    return kd_proxy_choose(cluster, environ, reterr);
}

/* Sources that are passed over leave their errors behind; the caller's stays clean on success. */
int kd_cluster_find_in(const char *folder, const struct kd_cluster_settings *settings,
                       char *const *environ, struct kd_cluster **ret, struct kd_error *reterr)
{
    struct kd_error error = { 0 };
    struct kd_cluster *cluster = NULL;
    int rc = find(folder, settings, environ, &cluster, &error);
    rc = rc < 0 ? rc : finish(settings, environ, cluster, &error);
    if (rc < 0) {
        kd_cluster_free(cluster);
        return kd_fail(reterr, KD_ECONFIG, "%s", error.text);
    }
    *ret = cluster;
    return 0;
}

int kd_cluster_find(const struct kd_cluster_settings *settings, char *const *environ,
                    struct kd_cluster **ret, struct kd_error *reterr)
{
    return kd_cluster_find_in(KD_SERVICE_ACCOUNT, settings, environ, ret, reterr);
}
