/* Where the cluster comes from: the order of sources, and in-cluster. */
#include "unit/config/find.h"

#include "base/secret.h"

#define CA "-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n"

static void write_server(const struct folder *folder, const char *name, const char *server)
{
    KD_AUTO_FREE char *text = kd_asprintf("current-context: x\n"
                                          "clusters: [ {name: c, cluster: {server: '%s'}} ]\n"
                                          "contexts: [ {name: x, context: {cluster: c}} ]\n",
                                          server);
    folder_write(folder, name, text);
}

static void assert_server(const struct folder *folder, const char *kubeconfig,
                          char *const *variables, const char *server)
{
    struct kd_cluster *cluster = find_or_fail(folder, kubeconfig, variables);
    assert_string_equal(cluster->server, server);
    kd_cluster_free(cluster);
}

static char *variable(const struct folder *folder, const char *name, const char *file)
{
    return kd_asprintf("%s=%s%s%s", name, folder->path, file[0] ? "/" : "", file);
}

static void the_sources_are_asked_in_their_order(void **state)
{
    struct folder *folder = *state;
    write_server(folder, "set", "https://set");
    write_server(folder, "env", "https://env");
    write_server(folder, ".kube/config", "https://home");
    folder_write(folder, "account/token", "t");
    KD_AUTO_FREE char *env = variable(folder, "KUBECONFIG", "env");
    KD_AUTO_FREE char *home = variable(folder, "HOME", "");
    char *all[] = { home, env, (char[]){ "KUBERNETES_SERVICE_HOST=10.0.0.1" },
                    (char[]){ "KUBERNETES_SERVICE_PORT=443" }, NULL };
    assert_server(folder, "set", all, "https://set");
    assert_server(folder, "", all, "https://env");
    all[1] = (char[]){ "KUBECONFIG=" };
    assert_server(folder, "", all, "https://10.0.0.1:443");
    all[2] = (char[]){ "KUBERNETES_SERVICE_HOST=" };
    assert_server(folder, "", all, "https://home");
    all[0] = (char[]){ "HOME=/nonexistent" };
    assert_env_fails(folder, "", all,
                     "no cluster: no kubeconfig in cluster.kubeconfig, KUBECONFIG or "
                     "~/.kube/config, and not inside a cluster; name a kubeconfig");
}

/* B52 */
static void an_empty_file_is_no_config(void **state)
{
    static const char *const empties[] = { "", "# only this\n",
                                           "apiVersion: v1\nclusters: null\n" };
    struct folder *folder = *state;
    folder_write(folder, "account/token", "t");
    KD_AUTO_FREE char *env = variable(folder, "KUBECONFIG", "env");
    char *variables[] = { env, (char[]){ "KUBERNETES_SERVICE_HOST=h" },
                          (char[]){ "KUBERNETES_SERVICE_PORT=443" }, NULL };
    for (size_t i = 0; i < KD_ARRAY_LEN(empties); i++) {
        folder_write(folder, "env", empties[i]);
        assert_server(folder, "", variables, "https://h:443");
        assert_server(folder, "env", variables, "https://h:443");
        assert_find_fails(folder, "env",
                          "cluster.kubeconfig: FOLDER/env is empty; name another file");
    }
}

static void a_named_file_must_be_readable(void **state)
{
    assert_find_fails(*state, "none", "cluster.kubeconfig: FOLDER/none: No such file or directory");
    assert_find_fails(*state, ".", "cluster.kubeconfig: FOLDER/.: Is a directory");
}

static void a_file_of_the_list_that_is_there_must_be_good(void **state)
{
    struct folder *folder = *state;
    folder_write(folder, "env", "a: [");
    write_server(folder, "good", "https://good");
    KD_AUTO_FREE char *env = kd_asprintf("KUBECONFIG=%s/good:%s/env", folder->path, folder->path);
    char *variables[] = { env, NULL };
    assert_env_fails(folder, "", variables,
                     "FOLDER/env:2: did not find expected node content; correct the YAML");
}

/* B54 */
static void an_ipv6_host_gets_its_brackets_once(void **state)
{
    struct folder *folder = *state;
    folder_write(folder, "account/token", "t");
    char *variables[] = { (char[]){ "KUBERNETES_SERVICE_HOST=fd00:10:96::1" },
                          (char[]){ "KUBERNETES_SERVICE_PORT=6443" }, NULL };
    assert_server(folder, "", variables, "https://[fd00:10:96::1]:6443");
    variables[0] = (char[]){ "KUBERNETES_SERVICE_HOST=[fd00:10:96::1]" };
    assert_server(folder, "", variables, "https://[fd00:10:96::1]:6443");
}

static void inside_the_token_must_be_there_and_the_ca_may_be_missing(void **state)
{
    struct folder *folder = *state;
    char *variables[] = { (char[]){ "KUBERNETES_SERVICE_HOST=h" },
                          (char[]){ "KUBERNETES_SERVICE_PORT=1" }, NULL };
    assert_env_fails(folder, "", variables,
                     "in-cluster (mount the service account's token, or name a kubeconfig): "
                     "FOLDER/account/token: No such file or directory");
    folder_write(folder, "account/token", " \n");
    assert_env_fails(folder, "", variables, "in-cluster: FOLDER/account/token is empty");
    folder_write(folder, "account/token", "secret\n");
    struct kd_cluster *cluster = find_env(folder, variables);
    KD_AUTO_FREE char *token = folder_path(folder, "account/token");
    assert_null(cluster->ca_pem);
    assert_null(cluster->token);
    assert_string_equal(cluster->token_file, token);
    assert_string_equal(cluster->context, "");
    assert_string_equal(cluster->source, "in-cluster");
    kd_cluster_free(cluster);
    folder_write(folder, "account/ca.crt", CA);
    cluster = find_env(folder, variables);
    assert_string_equal(cluster->ca_pem, CA);
    kd_cluster_free(cluster);
    folder_write(folder, "account/ca.crt", "secret");
    assert_env_fails(folder, "", variables,
                     "in-cluster: FOLDER/account/ca.crt holds no PEM text (-----BEGIN ...)");
}

static void variables_that_make_no_address_are_refused(void **state)
{
    struct folder *folder = *state;
    folder_write(folder, "account/token", "t");
    char *variables[] = { (char[]){ "KUBERNETES_SERVICE_HOST=h" },
                          (char[]){ "KUBERNETES_SERVICE_PORT=tcp" }, NULL };
    assert_env_fails(folder, "", variables, "KUBERNETES_SERVICE_PORT: is no port number");
    variables[1] = (char[]){ "KUBERNETES_SERVICE_PORT=65536" };
    assert_env_fails(folder, "", variables, "KUBERNETES_SERVICE_PORT: is no port number");
    variables[0] = (char[]){ "KUBERNETES_SERVICE_HOST=h/x" };
    variables[1] = (char[]){ "KUBERNETES_SERVICE_PORT=1" };
    assert_env_fails(folder, "", variables, "KUBERNETES_SERVICE_HOST: is no host name or address");
}

static void a_context_needs_a_kubeconfig(void **state)
{
    struct folder *folder = *state;
    folder_write(folder, "account/token", "t");
    char *variables[] = { (char[]){ "KUBERNETES_SERVICE_HOST=h" },
                          (char[]){ "KUBERNETES_SERVICE_PORT=1" }, NULL };
    folder->context = "prod";
    assert_env_fails(folder, "", variables,
                     "cluster.context is \"prod\", but in-cluster there are no contexts; name a "
                     "kubeconfig or leave it empty");
}

static void free_takes_null_and_half_built_ones(void **state)
{
    (void)state;
    assert_null(kd_cluster_free(NULL));
    struct kd_cluster *cluster = kd_zalloc(sizeof(*cluster));
    cluster->token = kd_secret_keep(KD_STR("t"));
    assert_null(kd_cluster_free(cluster));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(the_sources_are_asked_in_their_order),
        FOLDER_TEST(an_empty_file_is_no_config),
        FOLDER_TEST(a_named_file_must_be_readable),
        FOLDER_TEST(a_file_of_the_list_that_is_there_must_be_good),
        FOLDER_TEST(an_ipv6_host_gets_its_brackets_once),
        FOLDER_TEST(inside_the_token_must_be_there_and_the_ca_may_be_missing),
        FOLDER_TEST(variables_that_make_no_address_are_refused),
        FOLDER_TEST(a_context_needs_a_kubeconfig),
        cmocka_unit_test(free_takes_null_and_half_built_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
