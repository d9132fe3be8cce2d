/* The fields of a kubeconfig's user, but for those of `exec`. */
#include "config/kubeexec.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/str.h"
#include "config/pem.h"

/* From the heap into pages that no core dump has. */
static char *keep(char *text)
{
    char *kept = text ? kd_secret_keep(kd_str_from(text)) : NULL;
    kd_secret_free(text);
    return kept;
}

/* The client reads the file again and again; a bad one is better told at start. */
static void check_token_file(struct kd_kubefields *in, const char *path)
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

static void take_token(struct kd_kubefields *in, struct kd_cluster *cluster)
{
    cluster->token = keep(kd_field_text(in, "token"));
    cluster->token_file = kd_field_path(in, "tokenFile");
    if (in->rc == 0 && cluster->token_file && !cluster->token) {
        check_token_file(in, cluster->token_file);
    }
    cluster->username = kd_field_exact(in, "username");
    cluster->password = keep(kd_field_exact(in, "password"));
    if (in->rc == 0 && (cluster->token || cluster->token_file) &&
        (cluster->username || cluster->password)) {
        kd_field_fail(in, in->node, cluster->token ? "token" : "tokenFile",
                      "stands beside username or password; keep one of them");
    }
}

static void take_certificate(struct kd_kubefields *in, struct kd_cluster *cluster)
{
    cluster->client_cert_pem = kd_field_pem(in, "client-certificate", &cluster->client_cert_file);
    cluster->client_key_pem = keep(kd_field_pem(in, "client-key", &cluster->client_key_file));
    const char *cert = cluster->client_cert_pem;
    if (in->rc == 0 && !cert != !cluster->client_key_pem) {
        kd_field_fail(in, in->node, cert ? "client-certificate" : "client-key",
                      cert ? "stands without client-key; add it"
                           : "stands without client-certificate; add it");
    }
}

static void take_extra(struct kd_kubefields *in, struct kd_impersonation *as)
{
    struct kd_kubefields map = kd_field_inner(in, "as-user-extra");
    const yaml_node_pair_t *pair = map.node ? map.node->data.mapping.pairs.start : NULL;
    const yaml_node_pair_t *end = map.node ? map.node->data.mapping.pairs.top : NULL;
    for (; pair < end && in->rc == 0; pair++) {
        const char *key = kd_yaml_text(yaml_document_get_node(&in->yaml->doc, pair->key));
        struct kd_strlist values = { NULL, 0 };
        if (!key) {
            kd_field_fail(in, map.node, "as-user-extra", "holds a key that is no text");
            return;
        }
        kd_field_list(in, "as-user-extra", yaml_document_get_node(&in->yaml->doc, pair->value),
                      &values);
        for (size_t i = 0; i < values.n; i++) {
            as->extra = kd_realloc_array(as->extra, as->n_extra + 1, sizeof(*as->extra));
            as->extra[as->n_extra++] =
                (struct kd_name_value){ kd_strdup(key), kd_strdup(values.items[i]) };
        }
        kd_strlist_wipe(&values);
    }
}

/* What goes into a header must be one line. */
static bool is_header_value(const char *text)
{
    for (; text && *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) {
            return false;
        }
    }
    return true;
}

static void check_impersonation(struct kd_kubefields *in, const struct kd_impersonation *as)
{
    bool more = as->uid || as->groups.n || as->n_extra;
    bool good = true;
    for (size_t i = 0; i < as->groups.n; i++) {
        good = good && is_header_value(as->groups.items[i]);
    }
    for (size_t i = 0; i < as->n_extra; i++) {
        good = good && is_header_value(as->extra[i].value);
    }
    if (in->rc == 0 && !good) {
        kd_field_fail(in, in->node, "as-groups or as-user-extra",
                      "holds a line break or another control character; remove it");
    }
    if (in->rc == 0 && more && !as->user) {
        kd_field_fail(in, in->node, "as-uid, as-groups or as-user-extra",
                      "stands without as; name the user");
    }
}

static void take_impersonation(struct kd_kubefields *in, struct kd_impersonation *as)
{
    as->user = kd_field_text(in, "as");
    as->uid = kd_field_text(in, "as-uid");
    kd_field_strings(in, "as-groups", &as->groups);
    take_extra(in, as);
    check_impersonation(in, as);
}

static void take_oidc(struct kd_kubefields *in, struct kd_cluster *cluster)
{
    struct kd_kubefields config = kd_field_inner(in, "config");
    struct kd_oidc *oidc = kd_zalloc(sizeof(*oidc));
    char *ca_file = NULL;
    cluster->oidc = oidc;
    oidc->issuer = kd_field_text(&config, "idp-issuer-url");
    oidc->client_id = kd_field_text(&config, "client-id");
    oidc->client_secret = keep(kd_field_text(&config, "client-secret"));
    oidc->id_token = keep(kd_field_text(&config, "id-token"));
    oidc->refresh_token = keep(kd_field_text(&config, "refresh-token"));
    oidc->ca_pem = kd_field_pem(&config, "idp-certificate-authority", &ca_file);
    kd_free(ca_file);
    in->rc = config.rc;
    if (in->rc == 0 && (!oidc->issuer || !oidc->client_id)) {
        kd_field_fail(in, in->node, oidc->issuer ? "client-id" : "idp-issuer-url",
                      "of auth-provider oidc is missing; add it");
    } else if (in->rc == 0 && !kd_str_starts(kd_str_from(oidc->issuer), KD_STR("https://"))) {
        kd_field_fail(in, in->node, "idp-issuer-url", "must begin with https://");
    }
    size_t len = oidc->issuer ? strlen(oidc->issuer) : 0;
    while (len > 0 && oidc->issuer[len - 1] == '/') {
        oidc->issuer[--len] = '\0';
    }
}

static void take_provider(struct kd_kubefields *in, struct kd_cluster *cluster)
{
    struct kd_kubefields provider = kd_field_inner(in, "auth-provider");
    KD_AUTO_FREE char *name = provider.node ? kd_field_text(&provider, "name") : NULL;
    if (!provider.node) {
        return;
    }
    if (!name || strcmp(name, "oidc") != 0) {
        kd_field_fail(&provider, provider.node, "auth-provider",
                      "is supported with the name oidc only; use an exec plugin for others");
    } else if (cluster->exec) {
        kd_field_fail(&provider, provider.node, "auth-provider",
                      "stands beside exec; keep one of them");
    } else {
        take_oidc(&provider, cluster);
    }
    in->rc = provider.rc;
}

int kd_kubeconfig_user(const struct kd_kubeentry *entry, const struct kd_kubeentry *server,
                       const char *name, struct kd_cluster *cluster, struct kd_error *reterr)
{
    struct kd_kubefields in = {
        &entry->file->yaml, entry->file->path, entry->node, "user", name, reterr, 0
    };
    cluster->user = kd_strdup(name);
    take_certificate(&in, cluster);
    take_token(&in, cluster);
    kd_kubeconfig_exec(&in, server, cluster);
    take_provider(&in, cluster);
    take_impersonation(&in, &cluster->as);
    return in.rc;
}
