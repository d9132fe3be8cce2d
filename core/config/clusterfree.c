/* The end of a kd_cluster: secrets are overwritten. */
#include "config/cluster.h"

#include "base/alloc.h"
#include "base/secret.h"
#include "config/kubeexec.h"
#include "config/pem.h"

static void release_oidc(struct kd_oidc *oidc)
{
    if (oidc) {
        kd_free(oidc->issuer);
        kd_free(oidc->client_id);
        kd_secret_drop(oidc->client_secret);
        kd_secret_drop(oidc->id_token);
        kd_secret_drop(oidc->refresh_token);
        kd_free(oidc->ca_pem);
        kd_free(oidc);
    }
}

static void release_impersonation(struct kd_impersonation *as)
{
    for (size_t i = 0; i < as->n_extra; i++) {
        kd_free(as->extra[i].name);
        kd_free(as->extra[i].value);
    }
    kd_free(as->extra);
    kd_strlist_wipe(&as->groups);
    kd_free(as->user);
    kd_free(as->uid);
}

static void release_files(struct kd_cluster *cluster)
{
    kd_free(cluster->ca_file);
    kd_free(cluster->client_cert_file);
    kd_free(cluster->client_key_file);
    kd_free(cluster->token_file);
    kd_free(cluster->source);
}

struct kd_cluster *kd_cluster_free(struct kd_cluster *cluster)
{
    if (!cluster) {
        return NULL;
    }
    release_files(cluster);
    release_oidc(cluster->oidc);
    release_impersonation(&cluster->as);
    kd_exec_free(cluster->exec);
    kd_free(cluster->server);
    kd_free(cluster->ca_pem);
    kd_free(cluster->tls_server_name);
    kd_secret_free(cluster->proxy);
    kd_free(cluster->proxy_from);
    kd_free(cluster->client_cert_pem);
    kd_secret_drop(cluster->client_key_pem);
    kd_secret_drop(cluster->token);
    kd_secret_free(cluster->username);
    kd_secret_drop(cluster->password);
    kd_free(cluster->context);
    kd_free(cluster->user);
    return kd_free(cluster);
}
