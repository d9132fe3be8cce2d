/* The JSON of the ExecCredential protocol, in both directions. */
#include "client/execgrant.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/str.h"
#include "client/pair.h"

#include <json-c/json.h>
#include <openssl/evp.h>

static void add_text(struct json_object *object, const char *key, const char *value)
{
    if (value) {
        (void)json_object_object_add(object, key, json_object_new_string(value));
    }
}

/* Standard base64 on one line. */
static char *base64(const char *text)
{
    size_t len = strlen(text);
    char *out = kd_zalloc(4 * ((len + 2) / 3) + 1);
    (void)EVP_EncodeBlock((unsigned char *)out, (const unsigned char *)text, (int)len);
    return out;
}

static struct json_object *cluster_info(const struct kd_cluster *cluster)
{
    struct json_object *info = json_object_new_object();
    KD_AUTO_FREE char *ca = cluster->ca_pem ? base64(cluster->ca_pem) : NULL;
    add_text(info, "server", cluster->server);
    add_text(info, "tls-server-name", cluster->tls_server_name);
    if (cluster->insecure) {
        (void)json_object_object_add(info, "insecure-skip-tls-verify",
                                     json_object_new_boolean(true));
    }
    add_text(info, "certificate-authority-data", ca);
    if (cluster->proxy && strcmp(cluster->proxy_from, "proxy-url") == 0) {
        add_text(info, "proxy-url", cluster->proxy);
    }
    if (cluster->disable_compression) {
        (void)json_object_object_add(info, "disable-compression", json_object_new_boolean(true));
    }
    if (cluster->exec->cluster_config) {
        (void)json_object_object_add(info, "config",
                                     json_tokener_parse(cluster->exec->cluster_config));
    }
    return info;
}

char *kd_exec_info(const struct kd_cluster *cluster)
{
    struct json_object *root = json_object_new_object();
    struct json_object *spec = json_object_new_object();
    add_text(root, "kind", "ExecCredential");
    add_text(root, "apiVersion", cluster->exec->api_version);
    (void)json_object_object_add(root, "spec", spec);
    if (cluster->exec->provide_cluster_info) {
        (void)json_object_object_add(spec, "cluster", cluster_info(cluster));
    }
    (void)json_object_object_add(spec, "interactive", json_object_new_boolean(false));
    char *text = kd_strdup(json_object_to_json_string_ext(
        root, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(root);
    return text;
}

/* -- the answer */

static const char *text_at(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    return json_object_object_get_ex(object, key, &value) &&
                   json_object_is_type(value, json_type_string)
               ? json_object_get_string(value)
               : NULL;
}

static char *keep_at(struct json_object *object, const char *key)
{
    struct kd_str text = kd_str_from(text_at(object, key));
    return text.len ? kd_secret_keep(text) : NULL;
}

/* json-c frees without overwriting. */
static void wipe(struct json_object *status)
{
    static const char *const keys[] = { "token", "clientKeyData" };
    for (size_t i = 0; i < KD_ARRAY_LEN(keys); i++) {
        const char *text = text_at(status, keys[i]);
        if (text) {
            explicit_bzero((char *)(uintptr_t)text, strlen(text));
        }
    }
}

static int check_token(const char *token, struct kd_error *reterr)
{
    for (const char *c = token; c && *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            return kd_fail(reterr, KD_ECONFIG,
                           "its token holds a line break or control character; it is not sent");
        }
    }
    return 0;
}

static int check_grant(const struct kd_grant *grant, struct kd_error *reterr)
{
    if (!grant->token && !grant->cert_pem && !grant->key_pem) {
        return kd_fail(reterr, KD_ECONFIG, "its answer has neither token nor certificate");
    }
    if (!grant->cert_pem != !grant->key_pem) {
        return kd_fail(reterr, KD_ECONFIG, "its answer has only one of certificate and key");
    }
    KD_TRY(check_token(grant->token, reterr));
    return grant->cert_pem ? kd_pair_check(grant->cert_pem, grant->key_pem, reterr) : 0;
}

static int read_status(struct json_object *status, struct kd_grant *grant, struct kd_error *reterr)
{
    grant->token = keep_at(status, "token");
    grant->cert_pem = keep_at(status, "clientCertificateData");
    grant->key_pem = keep_at(status, "clientKeyData");
    const char *expires = text_at(status, "expirationTimestamp");
    wipe(status);
    if (expires && kd_rfc3339_parse(kd_str_from(expires), &grant->expires_wall_ns) < 0) {
        return kd_fail(reterr, KD_ECONFIG, "its expirationTimestamp is no RFC 3339 time");
    }
    if (expires && grant->expires_wall_ns == 0) {
        grant->expires_wall_ns = 1; /* 0 means: not said */
    }
    return check_grant(grant, reterr);
}

static int read_answer(struct json_object *root, const char *api_version, struct kd_grant *grant,
                       struct kd_error *reterr)
{
    struct json_object *status = NULL;
    const char *version = text_at(root, "apiVersion");
    const char *kind = text_at(root, "kind");
    (void)json_object_object_get_ex(root, "status", &status);
    bool right =
        version && kind && strcmp(version, api_version) == 0 && strcmp(kind, "ExecCredential") == 0;
    if (!json_object_is_type(status, json_type_object)) {
        status = NULL;
    }
    if (!right || !status) {
        wipe(status);
        return kd_fail(reterr, KD_ECONFIG,
                       right ? "its answer has no status" : "its answer is no ExecCredential of %s",
                       api_version);
    }
    return read_status(status, grant, reterr);
}

int kd_exec_answer(struct kd_str output, const char *api_version, struct kd_grant *ret,
                   struct kd_error *reterr)
{
    struct json_tokener *tokener = json_tokener_new_ex(32);
    struct kd_grant grant = { 0 };
    KD_ENSURE(tokener && output.len <= KD_MAX_EXEC_OUTPUT, KD_ENOMEM);
    struct json_object *root = json_tokener_parse_ex(tokener, output.ptr, (int)output.len);
    int rc = json_object_is_type(root, json_type_object)
                 ? read_answer(root, api_version, &grant, reterr)
                 : kd_fail(reterr, KD_ECONFIG, "it printed no JSON object");
    json_object_put(root);
    json_tokener_free(tokener);
    if (rc < 0) {
        kd_grant_release(&grant);
        return rc;
    }
    *ret = grant;
    return 0;
}
