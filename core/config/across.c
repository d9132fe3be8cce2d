/* Checks that look at more than one key. */
#include "config/loader.h"

#include "base/alloc.h"

#include <string.h>

/* Where the later of two keys was set, for the fault; the file when both are defaults. */
static const char *place(const struct kd_conf_loader *loader, const char *section,
                         const char *first, const char *second)
{
    const struct kd_conf_key *a = kd_conf_find(section, kd_str_from(first));
    const struct kd_conf_key *b = kd_conf_find(section, kd_str_from(second));
    const char *text = loader->places[a - kd_conf_keys];
    text = text ? text : loader->places[b - kd_conf_keys];
    return text ? text : loader->config->path;
}

static void check_leader(struct kd_conf_loader *loader)
{
    const struct kd_leader_settings *leader = &loader->config->leader;
    if (leader->lease_duration_ns <= leader->renew_deadline_ns) {
        kd_faults_add(loader->faults,
                      "%s: leader.lease_duration is not above leader.renew_deadline; raise the one "
                      "or lower the other",
                      place(loader, "leader", "lease_duration", "renew_deadline"));
    }
    if ((double)leader->renew_deadline_ns <= 1.2 * (double)leader->retry_period_ns) {
        kd_faults_add(loader->faults,
                      "%s: leader.renew_deadline is not above 1.2 times leader.retry_period; raise "
                      "the one or lower the other",
                      place(loader, "leader", "renew_deadline", "retry_period"));
    }
}

static void check_tls(struct kd_conf_loader *loader, const char *section,
                      const struct kd_http_settings *http)
{
    bool cert = http->tls_cert[0] != '\0';
    bool key = http->tls_key[0] != '\0';
    if (cert != key) {
        kd_faults_add(loader->faults, "%s: %s.%s stands without %s.%s; set both or none",
                      place(loader, section, "tls_cert", "tls_key"), section,
                      cert ? "tls_cert" : "tls_key", section, cert ? "tls_key" : "tls_cert");
    }
}

static bool is_backoff_wrong(const struct kd_kind_tuning *tuning)
{
    return tuning->backoff_max_ns < tuning->backoff_base_ns;
}

static void check_backoff(struct kd_conf_loader *loader)
{
    static const char what[] = "backoff_max is below";
    const struct kd_config *config = loader->config;
    if (is_backoff_wrong(&config->defaults)) { /* and so is every entry that inherits it */
        kd_faults_add(loader->faults, "%s: defaults.%s defaults.backoff_base; raise it",
                      place(loader, "defaults", "backoff_max", "backoff_base"), what);
        return;
    }
    for (size_t i = 0; i < config->n_kinds; i++) {
        const struct kd_kind_entry *entry = &config->kinds[i];
        if (is_backoff_wrong(&entry->tuning)) {
            kd_faults_add(loader->faults,
                          "%s:%d: kinds.%s kinds.backoff_base of entry \"%s\"; "
                          "raise it",
                          entry->place.file, entry->place.line, what, entry->name);
        }
    }
}

static bool has(const struct kd_strlist *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

/* Without any namespace left an entry would ask for all of them. */
static void check_namespaces(struct kd_conf_loader *loader)
{
    const struct kd_config *config = loader->config;
    for (size_t i = 0; i < config->n_kinds; i++) {
        const struct kd_kind_entry *entry = &config->kinds[i];
        size_t left = 0;
        for (size_t k = 0; k < entry->namespaces.n; k++) {
            left += !has(&entry->exclude_namespaces, entry->namespaces.items[k]);
        }
        if (entry->namespaces.n > 0 && left == 0) {
            kd_faults_add(loader->faults,
                          "%s:%d: kinds.exclude_namespaces of entry \"%s\" leaves none of its "
                          "namespaces; set enabled = false instead",
                          entry->place.file, entry->place.line, entry->name);
        }
    }
}

void kd_conf_check_all(struct kd_conf_loader *loader)
{
    check_leader(loader);
    check_tls(loader, "metrics", &loader->config->metrics);
    check_tls(loader, "api", &loader->config->api);
    check_backoff(loader);
    check_namespaces(loader);
}
