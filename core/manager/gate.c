#include "manager/gate.h"

#include "base/address.h"
#include "base/macros.h"
#include "base/str.h"
#include "plugin/keys.h"

#include <string.h>

static bool is_set(const char *text)
{
    return text[0] != '\0';
}

struct gate {
    bool closed;
    const char *key;
    const char *off;
};

static void report(const struct kd_config *config, const struct gate *gates, size_t n,
                   struct kd_faults *faults)
{
    for (size_t i = 0; i < n; i++) {
        if (gates[i].closed) {
            kd_faults_add(faults, "%s: %s is not served by this version yet; set it to %s",
                          config->path, gates[i].key, gates[i].off);
        }
    }
}

static bool is_loopback(const char *bind)
{
    return kd_host_is_loopback(kd_host_of(kd_str_from(bind)));
}

static bool is_unix(const char *bind)
{
    return strncmp(bind, "unix:", 5) == 0;
}

static bool is_off(const char *bind)
{
    return !is_set(bind) || strcmp(bind, "0") == 0;
}

static void check_unix(const struct kd_config *config, const struct kd_http_settings *http,
                       const char *section, struct kd_faults *faults)
{
    if (is_set(http->tls_cert) && is_unix(http->bind)) {
        kd_faults_add(faults, "%s: %s.tls_cert is of no use on a unix socket; leave it empty",
                      config->path, section);
    }
}

/* Whoever listens on the way would have the tokens of callers, which open the cluster. */
static void check_tokens(const struct kd_config *config, const struct kd_http_settings *http,
                         const char *section, struct kd_faults *faults)
{
    if (http->authenticate && !is_off(http->bind) && !is_unix(http->bind) &&
        !is_loopback(http->bind) && !is_set(http->tls_cert)) {
        kd_faults_add(faults,
                      "%s: %s.authenticate without TLS would send tokens in clear; set "
                      "%s.tls_cert and %s.tls_key, or bind to a loopback address",
                      config->path, section, section, section);
    }
}

static void check_http(const struct kd_config *config, struct kd_faults *faults)
{
    const struct kd_http_settings *api = &config->api;
    check_unix(config, &config->metrics, "metrics", faults);
    check_unix(config, api, "api", faults);
    check_tokens(config, &config->metrics, "metrics", faults);
    check_tokens(config, api, "api", faults);
    if (!api->authenticate && !is_off(api->bind) && !is_unix(api->bind) &&
        !is_loopback(api->bind)) {
        kd_faults_add(faults,
                      "%s: api.bind = \"%s\" would open the graph to everyone; set "
                      "api.authenticate, tls_cert and tls_key, or use a unix socket or a loopback "
                      "address",
                      config->path, api->bind);
    }
}

static void check_keys(const struct kd_config *config, struct kd_faults *faults)
{
    for (size_t i = 0; i < config->plugins.trusted_keys.n; i++) {
        struct kd_error error = { 0 };
        if (kd_plugin_key_check(config->plugins.trusted_keys.items[i], &error) < 0) {
            kd_faults_add(faults, "%s: %s", config->path, error.text);
        }
    }
}

void kd_gate_check(const struct kd_config *config, struct kd_faults *faults)
{
    const struct gate gates[] = {
        { is_set(config->store.url), "store.url", "\"\"" },
        { is_set(config->cluster.id), "cluster.id", "\"\"" },
    };
    report(config, gates, KD_ARRAY_LEN(gates), faults);
    check_http(config, faults);
    check_keys(config, faults);
}
