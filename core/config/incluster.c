#include "config/incluster.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "config/pem.h"

#include <unistd.h>

const char *kd_environ_get(char *const *variables, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; variables && variables[i]; i++) {
        if (strncmp(variables[i], name, len) == 0 && variables[i][len] == '=') {
            return variables[i] + len + 1;
        }
    }
    return NULL;
}

/* The host's brackets are added when an IPv6 address has none. */
static int make_server(const char *host, const char *port, char **ret, struct kd_error *reterr)
{
    uint64_t number = 0;
    if (!kd_str_to_u64(kd_str_from(port), &number) || number == 0 || number > UINT16_MAX) {
        return kd_fail(reterr, KD_ECONFIG, "KUBERNETES_SERVICE_PORT: is no port number");
    }
    if (host[strcspn(host, "/@?# \t\r\n")] != '\0') {
        return kd_fail(reterr, KD_ECONFIG, "KUBERNETES_SERVICE_HOST: is no host name or address");
    }
    bool bare = strchr(host, ':') && host[0] != '[';
    *ret = kd_asprintf("https://%s%s%s:%s", bare ? "[" : "", host, bare ? "]" : "", port);
    return 0;
}

/* The client reads the token itself, again and again; here it must be there and be readable. */
static int check_token(const char *path, struct kd_error *reterr)
{
    struct kd_buf buf;
    kd_buf_init(&buf, KD_MAX_TOKEN);
    int rc = kd_file_read(path, &buf, reterr);
    if (rc == 0 && kd_str_trim(kd_buf_str(&buf)).len == 0) {
        rc = kd_fail(reterr, KD_ECONFIG, "in-cluster: %s is empty", path);
    } else if (rc < 0) {
        rc = kd_fail_prefix(reterr, KD_ECONFIG,
                            "in-cluster (mount the service account's token, or name a kubeconfig)");
    }
    buf.ptr = kd_free_secret(buf.ptr, buf.cap);
    kd_buf_release(&buf);
    return rc;
}

static int fill(struct kd_cluster *cluster, const char *folder, const char *host, const char *port,
                struct kd_error *reterr)
{
    KD_AUTO_FREE char *ca = kd_path_join(folder, "ca.crt");
    cluster->context = kd_strdup("");
    cluster->source = kd_strdup("in-cluster");
    cluster->token_file = kd_path_join(folder, "token");
    KD_TRY(make_server(host, port, &cluster->server, reterr));
    KD_TRY(check_token(cluster->token_file, reterr));
    if (access(ca, F_OK) == 0) { /* without it the system's certificates count */
        KD_TRY(kd_pem_read(ca, "in-cluster", &cluster->ca_pem, reterr));
        cluster->ca_file = kd_steal(ca);
    }
    return 0;
}

int kd_cluster_inside(const char *folder, char *const *variables, struct kd_cluster **ret,
                      struct kd_error *reterr)
{
    const char *host = kd_environ_get(variables, "KUBERNETES_SERVICE_HOST");
    const char *port = kd_environ_get(variables, "KUBERNETES_SERVICE_PORT");
    KD_ENSURE(host && host[0] && port && port[0], KD_ENOENT);
    struct kd_cluster *cluster = kd_zalloc(sizeof(*cluster));
    int rc = fill(cluster, folder, host, port, reterr);
    if (rc < 0) {
        kd_cluster_free(cluster);
        return rc;
    }
    *ret = cluster;
    return 0;
}
