/* The table of keys. Its order is that of docs/configuration.md and of config/kindred.conf. */
#include "config/keys.h"

#include "base/clock.h"
#include "base/limits.h"

#define YEAR_NS (INT64_C(8760) * 3600 * KD_SEC_NS)
#define COUNT_MAX INT64_C(1000000)

/* Where a value lives, and which keys take effect on reload. */
#define AT(member) .offset = offsetof(struct kd_config, member)
#define OF(member) .offset = offsetof(struct kd_kind_entry, member)
#define RELOAD .reload = true

#define STR(sec, key, def) .section = (sec), .name = (key), .type = KD_CONF_STRING, .value = (def)
#define LIST(sec, key) .section = (sec), .name = (key), .type = KD_CONF_STRINGS, .value = ""
#define TRUTH(sec, key, def) .section = (sec), .name = (key), .type = KD_CONF_BOOL, .value = (def)
#define NUM(sec, key, def, low, high)                                                              \
    .section = (sec), .name = (key), .type = KD_CONF_INT, .value = (def), .min = (low),            \
    .max = (int64_t)(high)
#define REAL(sec, key, def, low, high)                                                             \
    .section = (sec), .name = (key), .type = KD_CONF_FLOAT, .value = (def), .min = (low),          \
    .max = (high)
#define TIME(sec, key, def, low)                                                                   \
    .section = (sec), .name = (key), .type = KD_CONF_DURATION, .value = (def), .min = (low),       \
    .max = YEAR_NS

/* clang-format off */
const struct kd_conf_key kd_conf_keys[] = {
    { STR("cluster", "kubeconfig", ""), AT(cluster.kubeconfig),
      .help = "Kubeconfig file. Empty: the files of KUBECONFIG, then in-cluster, then "
              "~/.kube/config." },
    { STR("cluster", "context", ""), AT(cluster.context),
      .help = "Context of the kubeconfig. Empty: its current-context." },
    { STR("cluster", "id", ""), AT(cluster.id),
      .help = "A name of your own for the cluster. Empty: the uid of namespace kube-system." },
    { REAL("cluster", "qps", "50.0", 0, COUNT_MAX), AT(cluster.qps),
      .help = "Requests a second to the API server; watches do not count. 0: no limit." },
    { NUM("cluster", "burst", "100", 1, COUNT_MAX), AT(cluster.burst),
      .help = "Requests that may be sent at once before `qps` holds them back." },
    { TIME("cluster", "request_timeout", "30s", KD_MS_NS), AT(cluster.request_timeout_ns),
      .help = "Time for one request that is no list or watch." },
    { NUM("cluster", "max_object_bytes", "16777216", 1024, KD_GIB), AT(cluster.max_object_bytes),
      .help = "A larger object is skipped, named and counted." },
    { NUM("cluster", "max_body_bytes", "33554432", 1024, 4 * KD_GIB), AT(cluster.max_body_bytes),
      .help = "Bound on an answer that is no list or watch; those have no total bound." },
    { TRUTH("cluster", "compress_lists", "true"), AT(cluster.compress_lists),
      .help = "Ask the server for compressed lists." },
    { TIME("cluster", "exec_timeout", "60s", KD_MS_NS), AT(cluster.exec_timeout_ns),
      .help = "Time for one run of a credential program." },
    { LIST("cluster", "exec_allow"), AT(cluster.exec_allow),
      .check = kd_conf_check_path,
      .help = "Credential programs that a kubeconfig may run. Empty: any." },
    { STR("cluster", "user_agent", ""), AT(cluster.user_agent),
      .help = "User-Agent of requests. Empty: kindred with its version and system." },

    { TRUTH("leader", "enabled", "true"), AT(leader.enabled),
      .help = "Elect a leader among the replicas. false: this process acts as leader." },
    { STR("leader", "namespace", "antimetal-system"), AT(leader.ns),
      .check = kd_conf_check_namespace, .help = "Namespace of the Lease." },
    { STR("leader", "name", "antimetal-agent-leader"), AT(leader.name),
      .check = kd_conf_check_name, .help = "Name of the Lease." },
    { STR("leader", "identity", ""), AT(leader.identity),
      .help = "Name of this replica in the Lease. Empty: the host's name and a random part." },
    { TIME("leader", "lease_duration", "15s", KD_SEC_NS), AT(leader.lease_duration_ns),
      .help = "How long a lease that is not renewed keeps others out. Above `renew_deadline`." },
    { TIME("leader", "renew_deadline", "10s", KD_MS_NS), AT(leader.renew_deadline_ns),
      .help = "Time in which the leader must renew. Above 1.2 times `retry_period`." },
    { TIME("leader", "retry_period", "2s", KD_MS_NS), AT(leader.retry_period_ns),
      .help = "Pause between tries to take or renew the lease." },
    { TRUTH("leader", "release_on_cancel", "true"), AT(leader.release_on_cancel),
      .help = "Give the lease back on a clean stop." },
    { STR("leader", "on_loss", "retry"), AT(leader.on_loss), .words = "retry|exit",
      .help = "What to do when leadership is lost; \"exit\" ends with code 3." },
    { STR("leader", "followers", "standby"), AT(leader.followers), .words = "standby|serve",
      .help = "\"standby\": only the leader reconciles and answers on `api`. \"serve\": each "
              "replica keeps and serves a graph of its own." },

    { STR("store", "path", "/var/lib/kindred/graph.db"), AT(store.path),
      .check = kd_conf_check_path,
      .help = "File of the graph, or \":memory:\" for one that does not outlive the process." },
    { STR("store", "url", ""), AT(store.url),
      .help = "A shared store, postgresql://... Empty: the file." },
    { NUM("store", "batch_size", "1000", 1, COUNT_MAX), AT(store.batch_size),
      .help = "Changes of one transaction at most." },
    { TIME("store", "flush_interval", "200ms", KD_MS_NS), AT(store.flush_interval_ns),
      .help = "How long a change waits for others before it is written." },
    { NUM("store", "feed_keep", "1000000", 0, INT64_C(1000000000000)), AT(store.feed_keep),
      .help = "Changes that the feed keeps for readers that come back." },

    { STR("health", "bind", ":8081"), AT(health.bind), .check = kd_conf_check_bind,
      .help = "Address of /healthz and /readyz: \"HOST:PORT\", \":PORT\" or \"unix:PATH\". "
              "\"0\": off." },
    { TIME("health", "stall", "60s", KD_MS_NS), AT(health.stall_ns),
      .help = "After so long out of touch with the API server a kind is not ready." },

    { STR("metrics", "bind", ":8080"), AT(metrics.bind), .check = kd_conf_check_bind,
      .help = "Address of /metrics. \"0\": off." },
    { STR("metrics", "tls_cert", ""), AT(metrics.tls_cert),
      .help = "Certificate file (PEM). Empty: plain HTTP." },
    { STR("metrics", "tls_key", ""), AT(metrics.tls_key), .help = "Its private key (PEM)." },
    { TRUTH("metrics", "authenticate", "false"), AT(metrics.authenticate),
      .help = "Ask the cluster who the caller is and whether it may read metrics." },

    { STR("api", "bind", "unix:/run/kindred/kindred.sock"), AT(api.bind),
      .check = kd_conf_check_bind,
      .help = "Address of the API. A unix socket is guarded by its mode, 0660. \"0\": off." },
    { STR("api", "tls_cert", ""), AT(api.tls_cert),
      .help = "Certificate file (PEM). Empty: plain HTTP." },
    { STR("api", "tls_key", ""), AT(api.tls_key), .help = "Its private key (PEM)." },
    { TRUTH("api", "authenticate", "true"), AT(api.authenticate),
      .help = "On a TCP address: ask the cluster who the caller is and whether it may read." },

    { STR("log", "level", "info"), AT(log.level), RELOAD, .words = "debug|info|warn|error",
      .help = "What is logged." },
    { STR("log", "format", "json"), AT(log.format), RELOAD, .words = "json|text",
      .help = "JSON lines for programs, text for people." },

    { STR("plugins", "directory", "/usr/lib/kindred/plugins"), AT(plugins.directory),
      .check = kd_conf_check_path,
      .help = "Folder of the plugins; `plugin = \"pod\"` is pod.so in it." },
    { LIST("plugins", "extra"), AT(plugins.extra),
      .check = kd_conf_check_path,
      .help = "More folders, searched after `directory` in this order." },
    { TRUTH("plugins", "required", "false"), AT(plugins.required),
      .help = "A plugin that is refused or missing ends the start with code 2." },
    { LIST("plugins", "trusted_keys"), AT(plugins.trusted_keys),
      .check = kd_conf_check_path,
      .help = "Public keys; when there is one, each plugin needs a signature by one of them." },

    { NUM("defaults", "workers", "10", 1, 1000), AT(defaults.workers), RELOAD,
      .help = "Keys of a kind in work at once. A limit, not a number of threads." },
    { STR("defaults", "mode", "full"), AT(defaults.mode), RELOAD, .words = "full|fields|metadata",
      .help = "What is kept: whole objects, the fields that the plugin reads, or metadata." },
    { TIME("defaults", "resync", "0s", 0), AT(defaults.resync_ns), RELOAD,
      .help = "Queue every object again after so long. 0s: never." },
    { TIME("defaults", "watch_timeout", "5m", KD_SEC_NS), AT(defaults.watch_timeout_ns), RELOAD,
      .help = "Life of one watch: this long to twice as long, at random." },
    { NUM("defaults", "list_page", "500", 1, 100000), AT(defaults.list_page), RELOAD,
      .help = "Objects of one page of a list." },
    { TRUTH("defaults", "stream_list", "true"), AT(defaults.stream_list), RELOAD,
      .help = "Take the first list as a stream of events where the server can." },
    { TIME("defaults", "stream_deadline", "60s", KD_MS_NS), AT(defaults.stream_deadline_ns),
      RELOAD, .help = "Time for such a stream before a plain list is made instead." },
    { TIME("defaults", "reconcile_timeout", "60s", KD_MS_NS), AT(defaults.reconcile_timeout_ns),
      RELOAD, .help = "Time for one call of a plugin before its worker counts as overrun." },
    { TIME("defaults", "backoff_base", "5ms", KD_MS_NS), AT(defaults.backoff_base_ns), RELOAD,
      .help = "Pause after a key's first failure; it doubles with each." },
    { TIME("defaults", "backoff_max", "1000s", KD_MS_NS), AT(defaults.backoff_max_ns), RELOAD,
      .help = "The longest such pause. Not below `backoff_base`." },
    { REAL("defaults", "retry_qps", "0.0", 0, COUNT_MAX), AT(defaults.retry_qps), RELOAD,
      .help = "Retries a second over all keys of a kind; first work is never held. 0: no limit." },
    { NUM("defaults", "retry_burst", "100", 1, COUNT_MAX), AT(defaults.retry_burst), RELOAD,
      .help = "Retries that may come at once before `retry_qps` holds them back." },
    { TIME("defaults", "debounce", "0s", 0), AT(defaults.debounce_ns), RELOAD,
      .help = "Wait so long for further changes of a key before it is worked on." },
    { TRUTH("defaults", "fair", "false"), AT(defaults.fair), RELOAD,
      .help = "Take turns between namespaces rather than first come, first served." },
    { NUM("defaults", "breaker_failures", "0", 0, COUNT_MAX), AT(defaults.breaker_failures),
      RELOAD, .help = "Failures in a row that stop a kind's work for a while. 0: never." },
    { TIME("defaults", "breaker_reset", "30s", KD_MS_NS), AT(defaults.breaker_reset_ns), RELOAD,
      .help = "That while; then one key is tried." },

    { TIME("", "shutdown_grace", "30s", 0), AT(shutdown_grace_ns),
      .help = "Time to finish the work at hand after the first SIGTERM." },

    { STR("kinds", "plugin", ""), OF(plugin), RELOAD, .check = kd_conf_check_plugin,
      .help = "Name of the plugin: \"pod\" is pod.so in a plugin folder. Mandatory." },
    { STR("kinds", "name", ""), OF(name), RELOAD, .check = kd_conf_check_name,
      .help = "Name of the entry, once per host. Empty: the plugin's." },
    { TRUTH("kinds", "enabled", "true"), OF(enabled), RELOAD,
      .help = "false: as if the entry were not there." },
    { TRUTH("kinds", "reconcile", "true"), OF(reconcile), RELOAD,
      .help = "false: keep the kind's cache and nothing more." },
    { LIST("kinds", "namespaces"), OF(namespaces), RELOAD, .check = kd_conf_check_namespace,
      .help = "Only these namespaces. Empty: all." },
    { LIST("kinds", "exclude_namespaces"), OF(exclude_namespaces), RELOAD,
      .check = kd_conf_check_namespace, .help = "All but these namespaces." },
    { STR("kinds", "label_selector", ""), OF(label_selector), RELOAD,
      .check = kd_conf_check_selector, .help = "Only objects with such labels, \"app=web\"." },
    { STR("kinds", "field_selector", ""), OF(field_selector), RELOAD,
      .check = kd_conf_check_selector,
      .help = "Only objects with such fields, \"spec.nodeName=n1\"." },
    { .section = "kinds", .name = "settings", .type = KD_CONF_GROUP, .value = "", OF(settings),
      RELOAD, .help = "The plugin's own options: strings, whole numbers, true or false, lists of "
                      "strings." },
};
/* clang-format on */

const size_t kd_conf_n_keys = KD_ARRAY_LEN(kd_conf_keys);

const struct kd_conf_key *kd_conf_find(const char *section, struct kd_str name)
{
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        if (strcmp(key->section, section) == 0 && kd_str_is(name, key->name)) {
            return key;
        }
    }
    return NULL;
}

bool kd_conf_is_section(struct kd_str name)
{
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        if (name.len > 0 && kd_str_is(name, kd_conf_keys[i].section)) {
            return true;
        }
    }
    return false;
}

void *kd_conf_field(const struct kd_conf_key *key, struct kd_config *config,
                    struct kd_kind_entry *entry)
{
    if (entry && strcmp(key->section, "kinds") == 0) {
        return (char *)entry + key->offset;
    }
    if (entry) {
        return (char *)&entry->tuning + (key->offset - offsetof(struct kd_config, defaults));
    }
    return (char *)config + key->offset;
}
