#include "config/proxy.h"

#include "base/address.h"
#include "base/alloc.h"
#include "base/str.h"
#include "config/incluster.h"
#include "config/pem.h"

#include <ctype.h>

static const char *const schemes[] = { "http://", "https://", "socks5://", "socks5h://" };

/* Length of "scheme://", 0 when it is none of ours. */
static size_t scheme_of(const char *url)
{
    for (size_t i = 0; i < KD_ARRAY_LEN(schemes); i++) {
        size_t len = strlen(schemes[i]);
        if (kd_str_starts(kd_str_from(url), kd_str_from(schemes[i]))) {
            return len;
        }
    }
    return 0;
}

const char *kd_proxy_fault(const char *url)
{
    size_t scheme = scheme_of(url);
    if (scheme == 0) {
        return "must begin with http://, https:// or socks5://";
    }
    const char *rest = url + scheme;
    const char *at = strrchr(rest, '@');
    const char *host = at ? at + 1 : rest;
    if (*host == '\0' || *host == '/' || *host == ':') {
        return "names no host";
    }
    for (const char *c = rest; *c; c++) {
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c) || strchr("?#\\\"<>", *c)) {
            return "holds a blank, a query or another character that is none of an address";
        }
    }
    return NULL;
}

char *kd_cluster_proxy_text(const struct kd_cluster *cluster)
{
    const char *url = cluster->proxy ? cluster->proxy : "";
    size_t scheme = scheme_of(url);
    const char *at = strrchr(url, '@');
    return at ? kd_asprintf("%.*s%s", (int)scheme, url, at + 1) : kd_strdup(url);
}

/* -- NO_PROXY */

static bool ends_nocase(struct kd_str text, struct kd_str end)
{
    return text.len >= end.len &&
           kd_str_eq_nocase((struct kd_str){ text.ptr + text.len - end.len, end.len }, end);
}

static bool name_matches(struct kd_str item, struct kd_str host)
{
    if (kd_str_starts(item, KD_STR("*."))) {
        item = (struct kd_str){ item.ptr + 1, item.len - 1 };
    }
    if (item.len && item.ptr[0] == '.') {
        return ends_nocase(host, item);
    }
    size_t before = host.len - item.len;
    return item.len && (kd_str_eq_nocase(host, item) ||
                        (ends_nocase(host, item) && host.ptr[before - 1] == '.'));
}

/* Cuts ":port" off; "::1" has none. */
static struct kd_str split_port(struct kd_str item, struct kd_str *ret_port)
{
    const char *colon = item.len ? memrchr(item.ptr, ':', item.len) : NULL;
    bool bracket = item.len && item.ptr[0] == '[';
    *ret_port = (struct kd_str){ NULL, 0 };
    if (colon && (bracket ? colon[-1] == ']' : memchr(item.ptr, ':', item.len) == colon)) {
        *ret_port = (struct kd_str){ colon + 1, item.len - (size_t)(colon + 1 - item.ptr) };
        item.len = (size_t)(colon - item.ptr);
    }
    if (bracket && ret_port->ptr && item.len > 2) {
        item = (struct kd_str){ item.ptr + 1, item.len - 2 };
    }
    return item;
}

static bool item_matches(struct kd_str item, struct kd_str host, struct kd_str port,
                         const struct kd_address *address)
{
    struct kd_network network;
    struct kd_address other;
    struct kd_str item_port;
    if (kd_str_is(item, "*")) {
        return true;
    }
    if (kd_network_parse(item, &network)) {
        return address && kd_network_has(&network, address);
    }
    struct kd_str name = split_port(item, &item_port);
    if (item_port.len && !kd_str_eq(item_port, port)) {
        return false;
    }
    if (kd_address_parse(name, &other)) {
        return address && kd_address_eq(&other, address);
    }
    return !address && name_matches(name, host);
}

bool kd_proxy_excludes(struct kd_str list, struct kd_str host, struct kd_str port)
{
    struct kd_address address;
    host = kd_host_of(host);
    bool numeric = kd_address_parse(host, &address);
    if (kd_host_is_loopback(host)) {
        return true;
    }
    while (list.ptr) {
        struct kd_str item = kd_str_trim(kd_str_cut(&list, ','));
        if (item.len && item_matches(item, host, port, numeric ? &address : NULL)) {
            return true;
        }
    }
    return false;
}

/* -- the environment */

static const char *first_of(char *const *environ, const char *const names[2], const char **ret_name)
{
    for (int i = 0; i < 2; i++) {
        const char *value = kd_environ_get(environ, names[i]);
        if (value && value[0]) {
            *ret_name = names[i];
            return value;
        }
    }
    return NULL;
}

static bool is_excluded(const char *url, bool tls, char *const *environ)
{
    static const char *const names[2] = { "NO_PROXY", "no_proxy" };
    const char *name = NULL;
    const char *list = first_of(environ, names, &name);
    struct kd_str authority = kd_str_from(strstr(url, "://") + strlen("://"));
    struct kd_str port;
    authority = kd_str_cut(&authority, '/');
    struct kd_str host = split_port(authority, &port);
    if (port.len == 0) {
        port = kd_str_from(tls ? "443" : "80");
    }
    return kd_proxy_excludes(kd_str_from(list), host, port);
}

int kd_proxy_for(const char *url, char *const *environ, char **ret, const char **ret_name,
                 struct kd_error *reterr)
{
    static const char *const names[2][2] = { { "HTTP_PROXY", "http_proxy" },
                                             { "HTTPS_PROXY", "https_proxy" } };
    bool tls = kd_str_starts(kd_str_from(url), KD_STR("https://"));
    const char *name = NULL;
    const char *value = first_of(environ, names[tls], &name);
    *ret = NULL;
    *ret_name = name;
    if (!value || is_excluded(url, tls, environ)) {
        return 0;
    }
    char *proxy = strstr(value, "://") ? kd_strdup(value) : kd_asprintf("http://%s", value);
    const char *fault = kd_proxy_fault(proxy);
    if (fault) {
        kd_secret_free(proxy);
        return kd_fail(reterr, KD_ECONFIG,
                       "the environment's %s %s; correct it, or name the server in NO_PROXY", name,
                       fault);
    }
    *ret = proxy;
    return 0;
}

int kd_proxy_choose(struct kd_cluster *cluster, char *const *environ, struct kd_error *reterr)
{
    const char *name = NULL;
    if (!cluster->proxy) {
        KD_TRY(kd_proxy_for(cluster->server, environ, &cluster->proxy, &name, reterr));
        cluster->proxy_from = cluster->proxy ? kd_strdup(name) : NULL;
    }
    return 0;
}
