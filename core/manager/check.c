#include "manager/describe.h"
#include "manager/manager.h"
#include "manager/probe.h"
#include "manager/setup.h"
#include "server/tls.h"

#include <stdio.h>

static void print_plugins(const struct kd_plugins *plugins)
{
    struct kd_instance *const *instances;
    size_t n = kd_plugins_instances(plugins, &instances);
    if (n == 0) {
        printf("no kinds: the graph would stay empty\n");
    }
    for (size_t i = 0; i < n; i++) {
        kd_describe_instance(instances[i]);
    }
}

static void check_pair(const struct kd_http_settings *http, const char *what,
                       struct kd_faults *faults)
{
    struct kd_error error = { 0 };
    if (http->tls_cert[0] && http->tls_key[0] &&
        kd_tls_check(what, http->tls_cert, http->tls_key, &error) < 0) {
        kd_faults_add(faults, "%s", error.text);
    }
}

/* Certificates may come later than a configuration, so only this command insists on them before
 * the start. */
static int check_pairs(struct kd_setup *setup, int rc)
{
    if (setup->config) {
        check_pair(&setup->config->metrics, "metrics", &setup->faults);
        check_pair(&setup->config->api, "api", &setup->faults);
    }
    return setup->faults.n > 0 ? KD_ECONFIG : rc;
}

int kd_manager_check(const char *config_path, bool cluster, char *const *env)
{
    struct kd_setup setup;
    int rc = check_pairs(&setup, kd_setup_load(&setup, config_path, env, true));
    for (size_t i = 0; i < setup.faults.n; i++) {
        (void)fprintf(stderr, "kindred: %s\n", setup.faults.items[i]);
    }
    if (setup.plugins) {
        print_plugins(setup.plugins);
    }
    if (rc == 0) {
        printf("%s: good\n", config_path);
    } else {
        (void)fprintf(stderr, "kindred: %s: %zu fault%s\n", config_path, setup.faults.n,
                      setup.faults.n == 1 ? "" : "s");
    }
    int code = rc == 0 ? KD_EXIT_CLEAN : KD_EXIT_CONFIG;
    if (rc == 0 && cluster) {
        code = kd_probe_cluster(setup.config, setup.plugins, env);
    }
    kd_setup_release(&setup);
    return code;
}
