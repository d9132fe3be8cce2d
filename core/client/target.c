#include "client/target.h"

#include "base/alloc.h"

#include <curl/curl.h>
#include <string.h>

struct parts {
    char *scheme;
    char *host; /* IPv6 with its brackets */
    char *port; /* NULL when the URL has none */
    char *path;
};

static void parts_release(struct parts *parts)
{
    curl_free(parts->scheme);
    curl_free(parts->host);
    curl_free(parts->port);
    curl_free(parts->path);
}

/* The first part that a server URL must not have, or NULL. */
static const char *unwanted_part(CURLU *url)
{
    static const struct {
        CURLUPart part;
        const char *name;
    } rows[] = { { CURLUPART_USER, "a user name" },
                 { CURLUPART_PASSWORD, "a password" },
                 { CURLUPART_QUERY, "a query" },
                 { CURLUPART_FRAGMENT, "a fragment" } };
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        char *text = NULL;
        CURLUcode rc = curl_url_get(url, rows[i].part, &text, 0);
        curl_free(text);
        if (rc == CURLUE_OK) {
            return rows[i].name;
        }
    }
    return NULL;
}

static int read_parts(CURLU *url, const char *server, struct parts *ret, struct kd_error *reterr)
{
    CURLUcode rc = curl_url_set(url, CURLUPART_URL, server, CURLU_NON_SUPPORT_SCHEME);
    if (rc != CURLUE_OK) {
        return kd_fail(reterr, KD_ECONFIG, "server URL \"%s\": %s", server, curl_url_strerror(rc));
    }
    const char *unwanted = unwanted_part(url);
    if (unwanted) {
        return kd_fail(reterr, KD_ECONFIG, "the server URL must not hold %s", unwanted);
    }
    if (curl_url_get(url, CURLUPART_SCHEME, &ret->scheme, 0) != CURLUE_OK ||
        (strcmp(ret->scheme, "https") != 0 && strcmp(ret->scheme, "http") != 0)) {
        return kd_fail(reterr, KD_ECONFIG, "server URL \"%s\" must begin with https:// or http://",
                       server);
    }
    if (curl_url_get(url, CURLUPART_HOST, &ret->host, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_PATH, &ret->path, 0) != CURLUE_OK) {
        return kd_fail(reterr, KD_ECONFIG, "server URL \"%s\" names no host", server);
    }
    rc = curl_url_get(url, CURLUPART_PORT, &ret->port, 0);
    if (rc != CURLUE_OK && rc != CURLUE_NO_PORT) {
        return kd_fail(reterr, KD_ECONFIG, "server URL \"%s\": %s", server, curl_url_strerror(rc));
    }
    return 0;
}

static char *bracketed(const char *name)
{
    return strchr(name, ':') && name[0] != '[' ? kd_asprintf("[%s]", name) : kd_strdup(name);
}

static void fill(struct kd_target *target, const struct parts *parts, const char *tls_server_name)
{
    size_t prefix = strlen(parts->path);
    while (prefix > 0 && parts->path[prefix - 1] == '/') {
        prefix--;
    }
    const char *colon = parts->port ? ":" : "";
    const char *port = parts->port ? parts->port : "";
    target->tls = strcmp(parts->scheme, "https") == 0;
    target->authority = kd_asprintf("%s%s%s", parts->host, colon, port);
    bool renamed = target->tls && tls_server_name && tls_server_name[0];
    KD_AUTO_FREE char *host = renamed ? bracketed(tls_server_name) : kd_strdup(parts->host);
    target->base_url =
        kd_asprintf("%s://%s%s%s%.*s", parts->scheme, host, colon, port, (int)prefix, parts->path);
    if (renamed) {
        const char *number = parts->port ? parts->port : "443";
        target->host_header = kd_asprintf("Host: %s", target->authority);
        target->connect_to = kd_asprintf("%s:%s:%s:%s", host, number, parts->host, number);
    }
}

int kd_target_init(struct kd_target *target, const char *server, const char *tls_server_name,
                   struct kd_error *reterr)
{
    *target = (struct kd_target){ 0 };
    CURLU *url = curl_url();
    if (!url) {
        return kd_fail(reterr, KD_ENOMEM, "no memory for the server URL");
    }
    struct parts parts = { 0 };
    int rc = read_parts(url, server, &parts, reterr);
    if (rc == 0) {
        fill(target, &parts, tls_server_name);
    }
    parts_release(&parts);
    curl_url_cleanup(url);
    return rc;
}

void kd_target_release(struct kd_target *target)
{
    kd_free(target->base_url);
    kd_free(target->authority);
    kd_free(target->host_header);
    kd_free(target->connect_to);
    *target = (struct kd_target){ 0 };
}
