/* The fields of a kubeconfig's cluster and user. Values never stand in an error: some are secret.
 */
#include "config/kubeconfig.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "config/pem.h"

#include <ctype.h>

#define WHAT_MAX 256

/* Reads fields of one entry; the first failure is kept and ends the rest. */
struct fields {
    struct kd_yaml *yaml;
    const char *path;
    const yaml_node_t *node;
    const char *list; /* "clusters" */
    const char *name;
    struct kd_error *reterr;
    int rc;
};

static void fail(struct fields *in, const yaml_node_t *node, const char *field, const char *what)
{
    in->rc = kd_fail(in->reterr, KD_ECONFIG, "%s:%d: %s \"%s\": %s %s", in->path,
                     node ? kd_yaml_line(node) : 1, in->list, in->name, field, what);
}

static yaml_node_t *member(struct fields *in, const char *field)
{
    return in->rc == 0 ? kd_yaml_member(in->yaml, in->node, field) : NULL;
}

/* A text field as it is; NULL where not given. Owned. */
static char *exact(struct fields *in, const char *field)
{
    const yaml_node_t *node = member(in, field);
    const char *value = kd_yaml_text(node);
    if (node && node->type != YAML_SCALAR_NODE) {
        fail(in, node, field, "is no text");
    }
    if (!value) {
        return NULL;
    }
    struct kd_str trimmed = kd_str_trim((struct kd_str){ value, node->data.scalar.length });
    for (size_t i = 0; i < trimmed.len; i++) {
        if (iscntrl((unsigned char)trimmed.ptr[i])) {
            fail(in, node, field, "holds a line break or another control character; remove it");
            return NULL;
        }
    }
    return kd_str_dup((struct kd_str){ value, node->data.scalar.length });
}

/* A text field without white space around it; NULL where not given. Owned. */
static char *text(struct fields *in, const char *field)
{
    char *value = exact(in, field);
    struct kd_str trimmed = kd_str_trim(kd_str_from(value));
    char *out = trimmed.len ? kd_str_dup(trimmed) : NULL;
    kd_secret_free(value);
    return out;
}

static char *path_beside(struct fields *in, const char *field)
{
    KD_AUTO_FREE char *path = text(in, field);
    return path ? kd_path_beside(in->path, path) : NULL;
}

/* PEM from FIELD-data, else from the file that FIELD names. */
static char *pem(struct fields *in, const char *field)
{
    char *out = NULL;
    KD_AUTO_FREE char *data_field = kd_asprintf("%s-data", field);
    KD_AUTO_FREE char *what =
        kd_asprintf("%s: %s \"%.*s\": %s", in->path, in->list, WHAT_MAX, in->name, field);
    const yaml_node_t *node = member(in, data_field);
    if (kd_yaml_text(node)) {
        KD_AUTO_FREE char *data_what = kd_asprintf("%s-data", what);
        in->rc = kd_pem_decode(kd_yaml_text(node), data_what, &out, in->reterr);
        return out;
    }
    KD_AUTO_FREE char *path = path_beside(in, field);
    if (path && in->rc == 0) {
        in->rc = kd_pem_read(path, what, &out, in->reterr);
    }
    return out;
}

static bool truth(struct fields *in, const char *field)
{
    bool value = false;
    const yaml_node_t *node = member(in, field);
    if (kd_yaml_bool(node, &value) < 0) {
        fail(in, node, field, "is neither true nor false");
    }
    return value;
}

/* Present and neither "" nor []. */
static bool is_given(const yaml_node_t *node)
{
    return kd_yaml_text(node) || kd_yaml_count(node) > 0 ||
           (node && node->type == YAML_MAPPING_NODE);
}

static void refuse(struct fields *in, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n && in->rc == 0; i++) {
        const yaml_node_t *node = member(in, names[i]);
        if (is_given(node)) {
            fail(in, node, names[i], "is not supported yet; use a context without it");
        }
    }
}

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

static void take_server(struct fields *in, struct kd_cluster *cluster)
{
    const yaml_node_t *node = member(in, "server");
    cluster->server = text(in, "server");
    if (in->rc == 0 && !cluster->server) {
        fail(in, in->node, "server", "is missing; write https://HOST:PORT");
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
        fail(in, node, "server", fault);
    }
}

int kd_kubeconfig_server(const struct kd_kubeentry *entry, const char *name,
                         struct kd_cluster *cluster, struct kd_error *reterr)
{
    static const char *const unsupported[] = { "proxy-url" };
    struct fields in = {
        &entry->file->yaml, entry->file->path, entry->node, "cluster", name, reterr, 0
    };
    if (!in.node) {
        in.node = entry->entry;
    }
    take_server(&in, cluster);
    refuse(&in, unsupported, KD_ARRAY_LEN(unsupported));
    if (truth(&in, "disable-compression")) {
        fail(&in, member(&in, "disable-compression"), "disable-compression",
             "is not supported yet; use a context without it");
    }
    cluster->insecure = truth(&in, "insecure-skip-tls-verify");
    cluster->tls_server_name = text(&in, "tls-server-name");
    cluster->ca_pem = pem(&in, "certificate-authority");
    if (in.rc == 0 && cluster->insecure && cluster->ca_pem) {
        fail(&in, member(&in, "insecure-skip-tls-verify"), "insecure-skip-tls-verify",
             "stands beside a certificate-authority; keep one of them");
    }
    cluster->source = kd_strdup(entry->file->path);
    return in.rc;
}

/* The client reads the file again and again; a bad one is better told at start. */
static void check_token_file(struct fields *in, const char *path)
{
    struct kd_buf buf;
    kd_buf_init(&buf, KD_MAX_TOKEN);
    if (kd_file_read(path, &buf, in->reterr) < 0) {
        in->rc = kd_fail_prefix(in->reterr, KD_ECONFIG, "%s: %s \"%s\": tokenFile", in->path,
                                in->list, in->name);
    }
    buf.ptr = kd_free_secret(buf.ptr, buf.cap);
    kd_buf_release(&buf);
}

static void check_pair(struct fields *in, const char *cert, const char *key)
{
    if (in->rc == 0 && !cert != !key) {
        fail(in, in->node, cert ? "client-certificate" : "client-key",
             cert ? "stands without client-key; add it"
                  : "stands without client-certificate; add it");
    }
}

int kd_kubeconfig_user(const struct kd_kubeentry *entry, const char *name,
                       struct kd_cluster *cluster, struct kd_error *reterr)
{
    static const char *const unsupported[] = { "exec",   "auth-provider", "as",
                                               "as-uid", "as-groups",     "as-user-extra" };
    struct fields in = {
        &entry->file->yaml, entry->file->path, entry->node, "user", name, reterr, 0
    };
    refuse(&in, unsupported, KD_ARRAY_LEN(unsupported));
    cluster->client_cert_pem = pem(&in, "client-certificate");
    cluster->client_key_pem = pem(&in, "client-key");
    check_pair(&in, cluster->client_cert_pem, cluster->client_key_pem);
    cluster->token = text(&in, "token");
    cluster->token_file = path_beside(&in, "tokenFile");
    if (in.rc == 0 && cluster->token_file && !cluster->token) {
        check_token_file(&in, cluster->token_file);
    }
    cluster->username = exact(&in, "username");
    cluster->password = exact(&in, "password");
    return in.rc;
}
