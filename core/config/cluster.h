/*
 * Where the cluster is and who we are: from a kubeconfig or from inside the cluster. Blocking
 * (reads files); run at start. Secrets are wiped on free.
 */
#ifndef KD_CONFIG_CLUSTER_H
#define KD_CONFIG_CLUSTER_H

#include "config/settings.h"

struct kd_name_value {
    char *name;
    char *value;
};

/* A program that gives credentials (the kubeconfig's `exec`). */
struct kd_exec {
    char *command; /* with a slash: absolute or beside its kubeconfig; without: looked up in PATH */
    struct kd_strlist args;
    struct kd_name_value *env; /* on top of our own environment */
    size_t n_env;
    char *api_version; /* client.authentication.k8s.io/v1 or v1beta1 */
    char *install_hint;
    bool provide_cluster_info;
    char *cluster_config; /* JSON of the cluster's extension for it, or NULL */
};

/* Tokens of an OpenID Connect provider (`auth-provider` of the name oidc). */
struct kd_oidc {
    char *issuer; /* no slash at the end */
    char *client_id;
    char *client_secret;
    char *id_token;
    char *refresh_token;
    char *ca_pem; /* NULL: the system's */
};

/* Whom we act for: sent as Impersonate-* headers when user is set. */
struct kd_impersonation {
    char *user;
    char *uid;
    struct kd_strlist groups;
    struct kd_name_value *extra; /* one per value, keys as written */
    size_t n_extra;
};

/* Owned strings, NULL where not given; tokens, passwords and keys are kept secrets (base/secret.h).
 * PEM data beats files already. */
struct kd_cluster {
    char *server; /* "https://host:port[/prefix]", no slash at the end */
    char *ca_pem;
    char *ca_file;         /* where ca_pem came from, to be read again; NULL for data */
    bool insecure;         /* no certificate check, by the user's word */
    char *tls_server_name; /* SNI and certificate name */
    char *proxy;           /* URL, from proxy-url or the environment */
    char *proxy_from;      /* "proxy-url" or the variable's name */
    bool disable_compression;
    char *client_cert_pem;
    char *client_key_pem;
    char *client_cert_file; /* as ca_file */
    char *client_key_file;
    char *token;      /* trimmed */
    char *token_file; /* read again by the client, and then beats token */
    char *username;
    char *password;
    struct kd_exec *exec; /* counts when there is no token, password or certificate */
    struct kd_oidc *oidc; /* likewise */
    struct kd_impersonation as;
    char *context; /* which context was taken, "" in-cluster */
    char *source;  /* file that named the server, or "in-cluster" */
    char *user;    /* name of the context's user; NULL: anonymous or in-cluster */
};

/*
 * Finds the cluster: settings.kubeconfig, KUBECONFIG (a list), in-cluster, ~/.kube/config, in this
 * order. A kubeconfig field that is not supported is an error that names it. KD_ECONFIG with file
 * and remedy. *ret is owned by the caller.
 */
int kd_cluster_find(const struct kd_cluster_settings *settings, char *const *environ,
                    struct kd_cluster **ret, struct kd_error *reterr) KD_MUST_USE;
struct kd_cluster *kd_cluster_free(struct kd_cluster *cluster);
/* The proxy without user and password, for people; "" when there is none. The caller frees. */
char *kd_cluster_proxy_text(const struct kd_cluster *cluster) KD_MUST_USE;

#endif
