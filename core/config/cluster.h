/*
 * Where the cluster is and who we are: from a kubeconfig or from inside the cluster. Blocking
 * (reads files); run at start. Secrets are wiped on free.
 */
#ifndef KD_CONFIG_CLUSTER_H
#define KD_CONFIG_CLUSTER_H

#include "config/settings.h"

/* Owned strings, NULL where not given. PEM data beats files already. */
struct kd_cluster {
    char *server; /* "https://host:port[/prefix]", no slash at the end */
    char *ca_pem;
    bool insecure;         /* no certificate check, by the user's word */
    char *tls_server_name; /* SNI and certificate name */
    char *client_cert_pem;
    char *client_key_pem;
    char *token;      /* trimmed */
    char *token_file; /* read again by the client; absolute or relative to the working directory */
    char *username;
    char *password;
    char *context; /* which context was taken, "" in-cluster */
    char *source;  /* file that named the server, or "in-cluster" */
};

/*
 * Finds the cluster: settings.kubeconfig, KUBECONFIG (a list), in-cluster, ~/.kube/config, in this
 * order. A kubeconfig field that is not supported is an error that names it. KD_ECONFIG with file
 * and remedy. *ret is owned by the caller.
 */
int kd_cluster_find(const struct kd_cluster_settings *settings, char *const *environ,
                    struct kd_cluster **ret, struct kd_error *reterr) KD_MUST_USE;
struct kd_cluster *kd_cluster_free(struct kd_cluster *cluster);

#endif
