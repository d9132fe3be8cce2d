/*
 * What kindred makes of the environment, as JSON in the form of `kindred-cluster access`:
 *
 *     show [KUBECONFIG [CONTEXT]]
 *
 * Certificates and headers are shown by their hashes.
 */
#include "client/internal.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"
#include "config/cluster.h"

#include <ctype.h>
#include <json-c/json.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>

extern char **environ;

static struct json_object *hash_of(const void *bytes, size_t len)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    char hex[2 * EVP_MAX_MD_SIZE + 1];
    unsigned size = 0;
    KD_ASSERT(EVP_Digest(bytes, len, sum, &size, EVP_sha256(), NULL) == 1);
    for (unsigned i = 0; i < size; i++) {
        (void)snprintf(hex + 2 * i, 3, "%02x", sum[i]);
    }
    return json_object_new_string(hex);
}

/* Hashes of the parts of a PEM text; null when there is none. */
static struct json_object *parts_of(const char *pem)
{
    struct json_object *list = NULL;
    BIO *bio = pem ? BIO_new_mem_buf(pem, -1) : NULL;
    char *name;
    char *header;
    unsigned char *bytes;
    long len;
    while (bio && PEM_read_bio(bio, &name, &header, &bytes, &len) == 1) {
        list = list ? list : json_object_new_array();
        (void)json_object_array_add(list, hash_of(bytes, (size_t)len));
        OPENSSL_free(name);
        OPENSSL_free(header);
        OPENSSL_free(bytes);
    }
    BIO_free(bio);
    return list;
}

static void add(struct json_object *to, const char *key, struct json_object *value)
{
    (void)json_object_object_add(to, key, value);
}

static struct json_object *text_of(const char *text)
{
    return json_object_new_string(text ? text : "");
}

/* Values of one name are joined by line breaks, as the headers of a request come. */
static void add_header(struct json_object *headers, const char *name, const char *value)
{
    struct json_object *there = NULL;
    KD_AUTO_FREE char *joined = json_object_object_get_ex(headers, name, &there)
                                    ? kd_asprintf("%s\n%s", json_object_get_string(there), value)
                                    : kd_strdup(value);
    add(headers, name, json_object_new_string(joined));
}

static void add_basic(struct json_object *headers, const struct kd_cluster *cluster)
{
    KD_AUTO_FREE char *pair =
        kd_asprintf("%s:%s", cluster->username, cluster->password ? cluster->password : "");
    KD_AUTO_FREE char *value = kd_zalloc(strlen("Basic ") + 2 * strlen(pair) + 8);
    memcpy(value, "Basic ", strlen("Basic "));
    (void)EVP_EncodeBlock((unsigned char *)value + strlen("Basic "), (unsigned char *)pair,
                          (int)strlen(pair));
    add_header(headers, "authorization", value);
}

static struct json_object *hashed(struct json_object *headers)
{
    struct json_object *out = json_object_new_object();
    json_object_object_foreach(headers, key, value)
    {
        add(out, key,
            hash_of(json_object_get_string(value), strlen(json_object_get_string(value))));
    }
    json_object_put(headers);
    return out;
}

static struct json_object *headers_of(struct kd_client *client, const struct curl_slist *list)
{
    struct json_object *headers = json_object_new_object();
    for (; list; list = list->next) {
        struct kd_str rest = kd_str_from(list->data);
        KD_AUTO_FREE char *name = kd_str_dup(kd_str_cut(&rest, ':'));
        for (char *c = name; *c; c++) {
            *c = (char)tolower((unsigned char)*c);
        }
        if (strcmp(name, "authorization") == 0 || strncmp(name, "impersonate-", 12) == 0) {
            KD_AUTO_FREE char *value = kd_str_dup(kd_str_trim(rest));
            add_header(headers, name, value);
        }
    }
    if (kd_credentials_basic(&client->identity.credentials)) {
        add_basic(headers, client->cluster);
    }
    return hashed(headers);
}

/* Runs the loop until the credentials are there, or cannot be had. */
static int await_identity(struct kd_client *client, struct kd_error *error)
{
    int rc;
    while ((rc = kd_identity_ready(&client->identity, error)) == KD_EBUSY) {
        kd_loop_run_once(client->loop, KD_SEC_NS);
    }
    return rc;
}

static int show(struct kd_client *client, struct json_object *out, struct kd_error *error)
{
    const struct kd_cluster *cluster = client->cluster;
    struct kd_call call = { .client = client, .accept = (char[]){ "*/*" } };
    KD_TRY(await_identity(client, error));
    int rc = kd_call_headers(&call, error);
    const struct kd_material *material = client->identity.material;
    struct json_object *cert = parts_of(material->cert_pem);
    add(out, "server", text_of(cluster->server));
    add(out, "ca", parts_of(material->ca_pem));
    add(out, "insecure", json_object_new_boolean(cluster->insecure));
    add(out, "serverName", text_of(cluster->tls_server_name));
    add(out, "cert", cert ? json_object_get(json_object_array_get_idx(cert, 0)) : text_of(""));
    add(out, "proxy", text_of(cluster->proxy));
    add(out, "headers", headers_of(client, call.headers));
    add(out, "compression", json_object_new_boolean(!cluster->disable_compression));
    json_object_put(cert);
    curl_slist_free_all(call.headers);
    curl_slist_free_all(call.connect_to);
    return rc;
}

static int find(const struct kd_cluster_settings *settings, struct json_object *out,
                struct kd_error *error)
{
    struct kd_cluster *cluster = NULL;
    struct kd_client *client = NULL;
    struct kd_loop *loop = kd_loop_new();
    int rc = kd_cluster_find(settings, environ, &cluster, error);
    rc = rc ? rc : kd_client_new(loop, cluster, settings, NULL, &client, error);
    rc = rc ? rc : show(client, out, error);
    kd_client_free(client);
    kd_cluster_free(cluster);
    kd_loop_free(loop);
    return rc;
}

int main(int argc, char **argv)
{
    struct kd_error error = { 0 };
    struct kd_cluster_settings settings = {
        .kubeconfig = argc > 1 ? argv[1] : (char[]){ "" },
        .context = argc > 2 ? argv[2] : (char[]){ "" },
        .exec_timeout_ns = 10 * KD_SEC_NS,
        .request_timeout_ns = KD_SEC_NS,
        .max_body_bytes = 1024,
        .user_agent = (char[]){ "" },
    };
    kd_log_set_level(KD_LOG_ERROR + 1);
    struct json_object *out = json_object_new_object();
    int rc = find(&settings, out, &error);
    add(out, "error", text_of(rc < 0 ? error.text : ""));
    printf("%s\n", json_object_to_json_string_ext(out, JSON_C_TO_STRING_PLAIN));
    json_object_put(out);
    return 0;
}
