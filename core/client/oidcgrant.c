#include "client/oidcgrant.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/str.h"
#include "client/multi.h"
#include "client/transfer.h"

#include <json-c/json.h>
#include <string.h>

#define EARLY_NS (10 * KD_SEC_NS) /* a token counts as ended so long before its time */
#define DISCOVERY "/.well-known/openid-configuration"

enum step { DISCOVER, WITH_HEADER, WITH_PARAMETERS };

struct oidc_grantor {
    const struct kd_clock *clock;
    const struct kd_oidc *oidc;
    struct kd_multi pool;
    struct kd_transfer *transfer; /* the one under way, or NULL */
    enum step step;
    char *endpoint;
    char *refresh_token; /* the newest, kept secret */
    bool tried_given;    /* the kubeconfig's id token has had its turn */
    struct kd_provider *provider;
};

static void stop_transfer(struct oidc_grantor *self)
{
    if (self->transfer) {
        kd_multi_remove(&self->pool, self->transfer->easy);
        self->transfer = kd_transfer_free(self->transfer);
    }
}

static void fail(struct oidc_grantor *self, const char *why)
{
    KD_AUTO_FREE char *text =
        kd_asprintf("OpenID Connect provider %s: %s", self->oidc->issuer, why);
    kd_provider_fail(self->provider, KD_ECONFIG, text);
}

static int give(struct oidc_grantor *self, const char *token, struct kd_error *reterr)
{
    struct kd_grant grant = { 0 };
    KD_TRY(kd_oidc_expiry(token, &grant.expires_wall_ns, reterr));
    grant.expires_wall_ns = grant.expires_wall_ns > EARLY_NS ? grant.expires_wall_ns - EARLY_NS : 1;
    grant.token = kd_secret_keep(kd_str_from(token));
    kd_provider_take(self->provider, &grant);
    return 0;
}

static int run(struct oidc_grantor *self, const struct kd_transfer_request *request,
               struct kd_error *reterr)
{
    struct kd_transfer *transfer = NULL;
    KD_TRY(kd_transfer_new(request, &transfer, reterr));
    if (kd_multi_add(&self->pool, transfer->easy) < 0) {
        kd_transfer_free(transfer);
        return kd_fail(reterr, KD_ENOMEM, "no memory for a request");
    }
    self->transfer = transfer;
    return 0;
}

static int discover(struct oidc_grantor *self, struct kd_error *reterr)
{
    KD_AUTO_FREE char *url = kd_asprintf("%s" DISCOVERY, self->oidc->issuer);
    const struct kd_transfer_request request = { .url = url, .ca_pem = self->oidc->ca_pem };
    self->step = DISCOVER;
    return run(self, &request, reterr);
}

static void put_field(struct kd_buf *body, const char *name, const char *value)
{
    (void)kd_buf_printf(body, "%s%s=", body->len ? "&" : "", name);
    (void)kd_buf_put_url(body, kd_str_from(value));
}

/* The client's secret goes into a header first, as most providers want it, else into the body. */
static int refresh(struct oidc_grantor *self, enum step step, struct kd_error *reterr)
{
    struct kd_buf body;
    kd_buf_init(&body, 4 * KD_MAX_TOKEN);
    put_field(&body, "grant_type", "refresh_token");
    put_field(&body, "refresh_token", self->refresh_token);
    if (step == WITH_PARAMETERS) {
        put_field(&body, "client_id", self->oidc->client_id);
        if (self->oidc->client_secret) {
            put_field(&body, "client_secret", self->oidc->client_secret);
        }
    }
    const struct kd_transfer_request request = {
        .url = self->endpoint,
        .ca_pem = self->oidc->ca_pem,
        .form = body.ptr,
        .username = step == WITH_HEADER ? self->oidc->client_id : NULL,
        .password = step == WITH_HEADER ? self->oidc->client_secret : NULL,
    };
    self->step = step;
    int rc = kd_buf_failed(&body) ? kd_fail(reterr, KD_ETOOBIG, "the refresh token is too large")
                                  : run(self, &request, reterr);
    kd_free_secret(kd_steal(body.ptr), body.cap);
    return rc;
}

static const char *text_at(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    return json_object_object_get_ex(object, key, &value) &&
                   json_object_is_type(value, json_type_string)
               ? json_object_get_string(value)
               : NULL;
}

static int take_metadata(struct oidc_grantor *self, struct json_object *root,
                         struct kd_error *reterr)
{
    const char *endpoint = text_at(root, "token_endpoint");
    if (!endpoint || !kd_str_starts(kd_str_from(endpoint), KD_STR("https://"))) {
        return kd_fail(reterr, KD_ECONFIG, "its metadata has no token_endpoint with https");
    }
    kd_free(self->endpoint);
    self->endpoint = kd_strdup(endpoint);
    return refresh(self, self->oidc->client_secret ? WITH_HEADER : WITH_PARAMETERS, reterr);
}

static int take_tokens(struct oidc_grantor *self, struct json_object *root, struct kd_error *reterr)
{
    const char *id_token = text_at(root, "id_token");
    const char *next = text_at(root, "refresh_token");
    if (!id_token) {
        return kd_fail(reterr, KD_ECONFIG, "its answer has no id_token");
    }
    if (next && next[0]) {
        char *kept = kd_secret_keep(kd_str_from(next));
        kd_secret_drop(self->refresh_token);
        self->refresh_token = kept;
    }
    return give(self, id_token, reterr);
}

static int take_answer(struct oidc_grantor *self, const struct kd_transfer *transfer,
                       struct kd_error *reterr)
{
    long code = kd_transfer_code(transfer);
    if ((code == 400 || code == 401) && self->step == WITH_HEADER) {
        return refresh(self, WITH_PARAMETERS, reterr);
    }
    if (code != 200) {
        return kd_fail(reterr, KD_ECONFIG, "it answered %ld to %s", code,
                       self->step == DISCOVER ? "the question for its metadata"
                                              : "the refresh token");
    }
    struct json_object *root = json_tokener_parse(transfer->body.ptr ? transfer->body.ptr : "");
    int rc = self->step == DISCOVER ? take_metadata(self, root, reterr)
                                    : take_tokens(self, root, reterr);
    json_object_put(root);
    return rc;
}

static void in_curl(void *arg)
{
    (void)arg;
}

static void on_ended(void *arg, CURL *easy, CURLcode result)
{
    struct oidc_grantor *self = arg;
    struct kd_transfer *ended = kd_steal(self->transfer);
    struct kd_error error = { 0 };
    kd_multi_remove(&self->pool, easy);
    if (result != CURLE_OK) {
        fail(self, ended->why[0] ? ended->why : curl_easy_strerror(result));
    } else if (take_answer(self, ended, &error) < 0) {
        fail(self, error.text);
    }
    kd_transfer_free(ended);
}

static const struct kd_multi_sink sink = { in_curl, in_curl, on_ended };

/* The id token of the kubeconfig, once, while it holds. */
static bool give_given(struct oidc_grantor *self, struct kd_error *error)
{
    int64_t expires_ns = 0;
    if (self->tried_given || !self->oidc->id_token) {
        return false;
    }
    self->tried_given = true;
    if (kd_oidc_expiry(self->oidc->id_token, &expires_ns, error) < 0 ||
        expires_ns - EARLY_NS <= kd_wall_ns(self->clock)) {
        return false;
    }
    return give(self, self->oidc->id_token, error) == 0;
}

static int ask(void *arg, struct kd_provider *provider, struct kd_error *reterr)
{
    struct oidc_grantor *self = arg;
    struct kd_error error = { 0 };
    self->provider = provider;
    if (give_given(self, &error)) {
        return 0;
    }
    if (!self->refresh_token) {
        return kd_fail(reterr, KD_ECONFIG,
                       "OpenID Connect: the id token of the kubeconfig has ended or is not usable "
                       "and there is no refresh-token; log in again");
    }
    return discover(self, reterr);
}

static void free_grantor(void *arg)
{
    struct oidc_grantor *self = arg;
    stop_transfer(self);
    kd_multi_release(&self->pool);
    kd_secret_drop(self->refresh_token);
    kd_free(self->endpoint);
    kd_free(self);
}

const struct kd_grantor kd_oidc_grantor = { ask, free_grantor };

int kd_oidc_grantor_new(struct kd_loop *loop, const struct kd_clock *clock,
                        const struct kd_oidc *oidc, void **ret)
{
    struct oidc_grantor *self = kd_zalloc(sizeof(*self));
    self->clock = clock;
    self->oidc = oidc;
    if (kd_multi_init(&self->pool, loop, &sink, self) < 0) {
        kd_free(self);
        return KD_ENOMEM;
    }
    self->refresh_token =
        oidc->refresh_token ? kd_secret_keep(kd_str_from(oidc->refresh_token)) : NULL;
    *ret = self;
    return 0;
}
