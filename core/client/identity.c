#include "client/identity.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"
#include "client/execgrant.h"
#include "client/oidcgrant.h"
#include "client/pair.h"
#include "config/pem.h"

#include <string.h>

#define LOOK_NS (10 * KD_SEC_NS) /* at the files, when nothing is sent */
#define LOOK_SOON_NS KD_SEC_NS   /* before a request */

enum { CA, CERT, KEY };

static bool has_own(const struct kd_cluster *cluster)
{
    return cluster->token || cluster->token_file || cluster->username || cluster->client_cert_pem;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* -- files */

static bool has_changed(struct kd_watched_file *file)
{
    struct stat now;
    if (!file->path || stat(file->path, &now) != 0 || !S_ISREG(now.st_mode)) {
        return false; /* gone for a moment, as in a swap, or for good: what we have stays */
    }
    const struct stat *seen = &file->seen;
    bool same = seen->st_ino == now.st_ino && seen->st_dev == now.st_dev &&
                seen->st_size == now.st_size && seen->st_mtim.tv_sec == now.st_mtim.tv_sec &&
                seen->st_mtim.tv_nsec == now.st_mtim.tv_nsec;
    file->seen = now;
    return !same;
}

static void take_material(struct kd_identity *identity, const char *ca, const char *cert,
                          const char *key)
{
    struct kd_material *old = identity->material;
    bool new_client = old && (!same_text(old->cert_pem, cert) || !same_text(old->key_pem, key));
    if (old && !new_client && same_text(old->ca_pem, ca)) {
        return;
    }
    identity->material = kd_material_new(ca, cert, key);
    kd_stats_transport(identity->stats);
    kd_material_unref(old);
    if (new_client) {
        identity->sink->new_client(identity->arg);
    }
}

/* Fresh text of a file, or a copy of what is known where it is no file. */
static int read_one(const struct kd_watched_file *file, const char *known, char **ret,
                    struct kd_error *reterr)
{
    if (file->path) {
        return kd_pem_read(file->path, "reading it again", ret, reterr);
    }
    *ret = known ? kd_strdup(known) : NULL;
    return 0;
}

/* Whether the CA file, which was read with this result, may be taken; both is counted. */
static int check_ca(const struct kd_identity *identity, int read, const char *text,
                    struct kd_error *reterr)
{
    int rc = read < 0 || !text ? read : kd_ca_check(text, reterr);
    bool same = rc == 0 && same_text(identity->material->ca_pem, text);
    kd_stats_ca(identity->stats, rc < 0 ? "failure" : "success",
                read < 0 ? "read_error"
                : rc < 0 ? "ca_parse_error"
                : same   ? "unchanged"
                         : "updated");
    return rc;
}

static int read_again(struct kd_identity *identity, struct kd_error *reterr)
{
    const struct kd_material *old = identity->material;
    const char *known[3] = { old->ca_pem, old->cert_pem, old->key_pem };
    char *texts[3] = { NULL, NULL, NULL };
    int rc = 0;
    for (size_t i = 0; i < KD_ARRAY_LEN(texts) && rc == 0; i++) {
        rc = read_one(&identity->files[i], known[i], &texts[i], reterr);
    }
    if (identity->files[CA].path) {
        rc = check_ca(identity, rc, texts[CA], reterr);
    }
    if (rc == 0 && texts[CERT] && identity->files[CERT].path) {
        rc = kd_pair_check(texts[CERT], texts[KEY], reterr);
    }
    if (rc == 0) {
        take_material(identity, texts[CA], texts[CERT], texts[KEY]);
    }
    kd_free(texts[CA]);
    kd_free(texts[CERT]);
    kd_secret_free(texts[KEY]);
    return rc;
}

static bool is_watching(const struct kd_identity *identity)
{
    return identity->files[CA].path || identity->files[CERT].path || identity->files[KEY].path;
}

static void look_at_files(struct kd_identity *identity)
{
    struct kd_error error = { 0 };
    bool changed = identity->failing; /* a pair is swapped in two steps: see again */
    identity->looked_ns = kd_now_ns(identity->clock);
    for (size_t i = 0; i < KD_ARRAY_LEN(identity->files); i++) {
        changed = has_changed(&identity->files[i]) || changed;
    }
    if (!changed) {
        return;
    }
    int rc = read_again(identity, &error);
    if (rc == 0) {
        KD_INFO("certificates read again", KD_F("server", identity->cluster->server));
    } else if (!identity->failing) {
        KD_WARN("changed certificates are not usable, the last ones stay",
                KD_F("error", error.text));
    }
    identity->failing = rc < 0;
}

static void show_ttl(const struct kd_identity *identity)
{
    const char *cert = identity->has_provider ? identity->material->cert_pem : NULL;
    int64_t from_ns = 0;
    int64_t until_ns = 0;
    if (cert && kd_pair_span(cert, &from_ns, &until_ns) == 0) {
        int64_t left_ns = until_ns - kd_wall_ns(identity->clock);
        kd_stats_exec_ttl(identity->stats, (double)left_ns / (double)KD_SEC_NS);
    }
}

static void on_look(void *arg)
{
    struct kd_identity *identity = arg;
    look_at_files(identity);
    show_ttl(identity);
    kd_timer_start(&identity->look, LOOK_NS);
}

static void watch_files(struct kd_identity *identity)
{
    const struct kd_cluster *cluster = identity->cluster;
    const char *paths[3] = { cluster->ca_file, cluster->client_cert_file,
                             cluster->client_key_file };
    for (size_t i = 0; identity->tls && i < KD_ARRAY_LEN(paths); i++) {
        identity->files[i].path = paths[i];
        (void)has_changed(&identity->files[i]);
    }
    identity->looked_ns = kd_now_ns(identity->clock);
    if (is_watching(identity)) {
        kd_timer_start(&identity->look, LOOK_NS);
    }
}

/* -- grants */

/* A new certificate of a credential program takes the place of this one. */
static void show_age(const struct kd_identity *identity, const char *next)
{
    const char *cert = identity->material->cert_pem;
    int64_t from_ns = 0;
    int64_t until_ns = 0;
    if (cert && next && !same_text(cert, next) && kd_pair_span(cert, &from_ns, &until_ns) == 0) {
        int64_t age_ns = kd_wall_ns(identity->clock) - from_ns;
        kd_stats_exec_age(identity->stats, (double)age_ns / (double)KD_SEC_NS);
    }
}

static void on_grant(void *arg)
{
    struct kd_identity *identity = arg;
    const struct kd_grant *grant = &identity->provider.grant;
    if (identity->provider.has_grant) {
        show_age(identity, grant->cert_pem);
        take_material(identity, identity->material->ca_pem, grant->cert_pem, grant->key_pem);
        show_ttl(identity);
        if (grant->cert_pem) {
            kd_timer_start(&identity->look, LOOK_NS);
        }
    }
    identity->sink->ready(identity->arg);
}

static int init_provider(struct kd_identity *identity, struct kd_loop *loop,
                         int64_t exec_timeout_ns)
{
    const struct kd_cluster *cluster = identity->cluster;
    const struct kd_grantor *grantor = cluster->exec ? &kd_exec_grantor : &kd_oidc_grantor;
    void *self = NULL;
    if (!identity->tls || has_own(cluster) || (!cluster->exec && !cluster->oidc)) {
        return 0;
    }
    if (cluster->exec) {
        self = kd_exec_grantor_new(loop, cluster, exec_timeout_ns, identity->stats);
    } else {
        KD_TRY(kd_oidc_grantor_new(loop, identity->clock, cluster->oidc, &self));
    }
    kd_provider_init(&identity->provider, loop, grantor, self, identity->clock, on_grant, identity);
    identity->has_provider = true;
    return 0;
}

/* -- the whole */

static int check_given(const struct kd_cluster *cluster, struct kd_error *reterr)
{
    if (cluster->ca_pem && kd_ca_check(cluster->ca_pem, reterr) < 0) {
        return kd_fail_prefix(reterr, KD_ECONFIG, "certificate-authority%s%s",
                              cluster->ca_file ? " " : "-data",
                              cluster->ca_file ? cluster->ca_file : "");
    }
    if (cluster->client_cert_pem && cluster->client_key_pem &&
        kd_pair_check(cluster->client_cert_pem, cluster->client_key_pem, reterr) < 0) {
        return kd_fail_prefix(reterr, KD_ECONFIG, "client-certificate and client-key");
    }
    return 0;
}

int kd_identity_init(struct kd_identity *identity, struct kd_loop *loop,
                     const struct kd_clock *clock, const struct kd_cluster *cluster, bool tls,
                     int64_t exec_timeout_ns, const struct kd_stats *stats,
                     const struct kd_identity_sink *sink, void *arg, struct kd_error *reterr)
{
    *identity = (struct kd_identity){
        .cluster = cluster, .clock = clock, .tls = tls, .stats = stats, .sink = sink, .arg = arg
    };
    kd_timer_init(&identity->look, loop, on_look, identity);
    KD_TRY(tls ? check_given(cluster, reterr) : 0);
    KD_TRY(kd_credentials_init(&identity->credentials, cluster, tls, reterr));
    take_material(identity, cluster->ca_pem, tls ? cluster->client_cert_pem : NULL,
                  tls ? cluster->client_key_pem : NULL);
    if (init_provider(identity, loop, exec_timeout_ns) < 0) {
        return kd_fail(reterr, KD_ENOMEM, "no memory for the credentials");
    }
    watch_files(identity);
    return 0;
}

void kd_identity_release(struct kd_identity *identity)
{
    if (identity->cluster) {
        kd_provider_release(&identity->provider);
        kd_credentials_release(&identity->credentials);
        kd_material_unref(identity->material);
        kd_timer_release(&identity->look);
        *identity = (struct kd_identity){ 0 };
    }
}

int kd_identity_ready(struct kd_identity *identity, struct kd_error *reterr)
{
    int64_t now_ns = kd_now_ns(identity->clock);
    if (is_watching(identity) && now_ns - identity->looked_ns >= LOOK_SOON_NS) {
        look_at_files(identity);
    }
    return identity->has_provider ? kd_provider_ready(&identity->provider, reterr) : 0;
}

int kd_identity_token(struct kd_identity *identity, int64_t now_ns, struct kd_str *ret,
                      struct kd_error *reterr)
{
    if (identity->has_provider) {
        *ret = kd_str_from(identity->provider.grant.token);
        return 0;
    }
    return kd_credentials_token(&identity->credentials, now_ns, ret, reterr);
}

bool kd_identity_rejected(struct kd_identity *identity, int64_t sent_ns)
{
    return identity->has_provider ? kd_provider_rejected(&identity->provider, sent_ns)
                                  : kd_credentials_rejected(&identity->credentials, sent_ns);
}

const char *kd_identity_kind(const struct kd_identity *identity)
{
    const struct kd_cluster *cluster = identity->cluster;
    return !identity->tls             ? "none, for the server is not https"
           : cluster->token_file      ? "token file"
           : cluster->token           ? "token"
           : cluster->username        ? "user name and password"
           : cluster->client_cert_pem ? "client certificate"
           : cluster->exec            ? "credential program"
           : cluster->oidc            ? "OpenID Connect"
                                      : "none";
}
