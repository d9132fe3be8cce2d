/* The fields of a kubeconfig's cluster. */
#include "config/kubefields.h"

#include "base/alloc.h"
#include "base/str.h"
#include "config/proxy.h"

/* "scheme://host[:port][/prefix]" without user, query or blanks; the value may hold a password. */
static const char *server_fault(struct kd_str url)
{
    bool http = kd_str_starts(url, KD_STR("http://"));
    if (!http && !kd_str_starts(url, KD_STR("https://"))) {
        return "has no scheme; write https://HOST:PORT";
    }
    size_t scheme = http ? strlen("http://") : strlen("https://");
    struct kd_str rest = { url.ptr + scheme, url.len - scheme };
    if (rest.len == 0 || rest.ptr[0] == '/' || rest.ptr[0] == ':') {
        return "names no host; write https://HOST:PORT";
    }
    for (size_t i = 0; i < rest.len; i++) {
        if (strchr(" @?#\\\"<>", rest.ptr[i])) {
            return "holds a user name, a query or a blank; write https://HOST:PORT";
        }
    }
    return NULL;
}

static void take_server(struct kd_kubefields *in, struct kd_cluster *cluster)
{
    const yaml_node_t *node = kd_field_node(in, "server");
    cluster->server = kd_field_text(in, "server");
    if (in->rc == 0 && !cluster->server) {
        kd_field_fail(in, in->node, "server", "is missing; write https://HOST:PORT");
    }
    if (in->rc < 0) {
        return;
    }
    size_t len = strlen(cluster->server);
    while (len > 0 && cluster->server[len - 1] == '/') {
        cluster->server[--len] = '\0';
    }
    const char *fault = server_fault(kd_str_from(cluster->server));
    if (fault) {
        kd_field_fail(in, node, "server", fault);
    }
}

static void take_proxy(struct kd_kubefields *in, struct kd_cluster *cluster)
{
    cluster->proxy = kd_field_text(in, "proxy-url");
    if (cluster->proxy) {
        const char *fault = kd_proxy_fault(cluster->proxy);
        cluster->proxy_from = kd_strdup("proxy-url");
        if (fault) {
            kd_field_fail(in, kd_field_node(in, "proxy-url"), "proxy-url", fault);
        }
    }
}

int kd_kubeconfig_server(const struct kd_kubeentry *entry, const char *name,
                         struct kd_cluster *cluster, struct kd_error *reterr)
{
    struct kd_kubefields in = {
        &entry->file->yaml, entry->file->path, entry->node, "cluster", name, reterr, 0
    };
    if (!in.node) {
        in.node = entry->entry;
    }
    take_server(&in, cluster);
    take_proxy(&in, cluster);
    cluster->disable_compression = kd_field_bool(&in, "disable-compression");
    cluster->insecure = kd_field_bool(&in, "insecure-skip-tls-verify");
    cluster->tls_server_name = kd_field_text(&in, "tls-server-name");
    cluster->ca_pem = kd_field_pem(&in, "certificate-authority", &cluster->ca_file);
    if (in.rc == 0 && cluster->insecure && cluster->ca_pem) {
        kd_field_fail(&in, kd_field_node(&in, "insecure-skip-tls-verify"),
                      "insecure-skip-tls-verify",
                      "stands beside a certificate-authority; keep one of them");
    }
    cluster->source = kd_strdup(entry->file->path);
    return in.rc;
}
