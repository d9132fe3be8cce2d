#include "manager/gate.h"

#include "base/macros.h"
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
    return strncmp(bind, "127.", 4) == 0 || strncmp(bind, "[::1]:", 6) == 0 ||
           strncmp(bind, "localhost:", 10) == 0;
}

static void check_api(const struct kd_config *config, struct kd_faults *faults)
{
    const struct kd_http_settings *api = &config->api;
    if (strcmp(api->bind, "0") == 0 || !is_set(api->bind) || strncmp(api->bind, "unix:", 5) == 0) {
        return;
    }
    if (api->authenticate) {
        kd_faults_add(faults,
                      "%s: api.authenticate on a TCP bind is not served by this version yet; set "
                      "api.bind to a unix socket, or authenticate = false on a loopback address",
                      config->path);
    } else if (!is_loopback(api->bind)) {
        kd_faults_add(faults,
                      "%s: api.bind = \"%s\" would open the graph to everyone; use a unix socket "
                      "or a loopback address",
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
        { is_set(config->metrics.tls_cert) || is_set(config->metrics.tls_key), "metrics.tls_cert",
          "\"\"" },
        { config->metrics.authenticate, "metrics.authenticate", "false" },
        { is_set(config->api.tls_cert) || is_set(config->api.tls_key), "api.tls_cert", "\"\"" },
    };
    report(config, gates, KD_ARRAY_LEN(gates), faults);
    check_api(config, faults);
    check_keys(config, faults);
}
