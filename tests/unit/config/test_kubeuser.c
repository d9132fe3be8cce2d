/* What a kubeconfig's user can be beyond token and certificate: exec, OpenID Connect,
 * impersonation, and what of it is refused by name. */
#include "unit/config/files.h"
#include "unit/config/find.h"

#define EXEC_V1 "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never"

static void write_user(const struct folder *folder, const char *name, const char *cluster,
                       const char *user)
{
    KD_AUTO_FREE char *text =
        kd_asprintf("current-context: x\n"
                    "clusters:\n- name: c\n  cluster:\n"
                    "    server: https://h\n%s"
                    "users:\n- name: u\n  user:\n%s"
                    "contexts:\n- {name: x, context: {cluster: c, user: u}}\n",
                    cluster, user);
    folder_write(folder, name, text);
}

static void a_program_is_taken_with_all_it_says(void **state)
{
    const struct folder *folder = *state;
    write_user(folder, "k",
               "    extensions:\n"
               "    - name: other\n      extension: {a: 1}\n"
               "    - name: client.authentication.k8s.io/exec\n"
               "      extension: {audience: aud, n: 3, deep: [true, null, 1.5, \"2\"]}\n",
               "    exec:\n"
               "      command: /bin/tok\n"
               "      args: [ get, \"a b\", '' ]\n"
               "      env: [ {name: A, value: \"1\"}, {name: B} ]\n"
               "      apiVersion: client.authentication.k8s.io/v1beta1\n"
               "      installHint: get it\n"
               "      provideClusterInfo: true\n");
    struct kd_cluster *cluster = find_file(folder, "k");
    const struct kd_exec *exec = cluster->exec;
    assert_string_equal(exec->command, "/bin/tok");
    assert_int_equal(exec->args.n, 3);
    assert_string_equal(exec->args.items[1], "a b");
    assert_string_equal(exec->args.items[2], "");
    assert_int_equal(exec->n_env, 2);
    assert_string_equal(exec->env[0].value, "1");
    assert_string_equal(exec->env[1].value, "");
    assert_string_equal(exec->install_hint, "get it");
    assert_true(exec->provide_cluster_info);
    assert_string_equal(exec->cluster_config,
                        "{\"audience\":\"aud\",\"n\":3,\"deep\":[true,null,1.5,\"2\"]}");
    kd_cluster_free(cluster);
}

static void a_command_belongs_to_its_kubeconfig_or_to_path_b50(void **state)
{
    static const char *const rows[][2] = { { "./bin/tok", "/conf/./bin/tok" },
                                           { "bin/tok", "/conf/bin/tok" } };
    const struct folder *folder = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        KD_AUTO_FREE char *user = kd_asprintf("    exec: {command: %s, " EXEC_V1 "}\n", rows[i][0]);
        KD_AUTO_FREE char *expected = kd_asprintf("%s%s", folder->path, rows[i][1]);
        write_user(folder, "conf/k", "", user);
        struct kd_cluster *cluster = find_file(folder, "conf/k");
        assert_string_equal(cluster->exec->command, expected);
        kd_cluster_free(cluster);
    }
    write_user(folder, "conf/k", "", "    exec: {command: tok, " EXEC_V1 "}\n");
    struct kd_cluster *cluster = find_file(folder, "conf/k");
    assert_string_equal(cluster->exec->command, "tok");
    kd_cluster_free(cluster);
}

static void only_allowed_programs_are_taken(void **state)
{
    const struct folder *folder = *state;
    KD_AUTO_FREE char *path = folder_path(folder, "k");
    char *items[] = { (char[]){ "/bin/other" }, (char[]){ "tok" } };
    struct kd_cluster_settings settings = { .kubeconfig = path,
                                            .context = (char[]){ "" },
                                            .exec_allow = { items, 2 } };
    struct kd_cluster *cluster = NULL;
    struct kd_error error = { 0 };
    write_user(folder, "k", "", "    exec: {command: tok, " EXEC_V1 "}\n");
    assert_int_equal(kd_cluster_find(&settings, NULL, &cluster, &error), 0);
    cluster = kd_cluster_free(cluster);
    write_user(folder, "k", "", "    exec: {command: /tmp/tok, " EXEC_V1 "}\n");
    assert_int_equal(kd_cluster_find(&settings, NULL, &cluster, &error), KD_ECONFIG);
    assert_string_equal(error.text, "the kubeconfig wants to run /tmp/tok for credentials, which "
                                    "cluster.exec_allow does not name; add it there or use another "
                                    "user");
    assert_null(cluster);
}

static void open_id_connect_is_taken(void **state)
{
    write_user(*state, "k", "",
               "    auth-provider:\n      name: oidc\n      config:\n"
               "        idp-issuer-url: https://idp.example/\n        client-id: id\n"
               "        client-secret: s\n        id-token: a.b.c\n        refresh-token: r\n");
    struct kd_cluster *cluster = find_file(*state, "k");
    assert_string_equal(cluster->oidc->issuer, "https://idp.example");
    assert_string_equal(cluster->oidc->client_id, "id");
    assert_string_equal(cluster->oidc->client_secret, "s");
    assert_string_equal(cluster->oidc->id_token, "a.b.c");
    assert_string_equal(cluster->oidc->refresh_token, "r");
    kd_cluster_free(cluster);
}

static void impersonation_is_taken(void **state)
{
    write_user(*state, "k", "",
               "    as: me\n    as-uid: u1\n    as-groups: [ g1, g2 ]\n"
               "    as-user-extra: { scopes: [ a, b ], Other: [ c ] }\n");
    struct kd_cluster *cluster = find_file(*state, "k");
    assert_string_equal(cluster->as.user, "me");
    assert_string_equal(cluster->as.uid, "u1");
    assert_int_equal(cluster->as.groups.n, 2);
    assert_string_equal(cluster->as.groups.items[1], "g2");
    assert_int_equal(cluster->as.n_extra, 3);
    assert_string_equal(cluster->as.extra[1].name, "scopes");
    assert_string_equal(cluster->as.extra[1].value, "b");
    assert_string_equal(cluster->as.extra[2].name, "Other");
    kd_cluster_free(cluster);
}

static void what_cannot_be_used_is_named(void **state)
{
    static const char *const rows[][2] = {
        { "exec: {" EXEC_V1 "}", "exec has no command; name the program" },
        { "exec: {command: x}", "exec needs apiVersion client.authentication.k8s.io/v1 or "
                                "client.authentication.k8s.io/v1beta1" },
        { "exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}",
          "exec needs apiVersion client.authentication.k8s.io/v1 or "
          "client.authentication.k8s.io/v1beta1" },
        { "exec: {command: x, apiVersion: client.authentication.k8s.io/v1}",
          "exec has no interactiveMode; write Never or IfAvailable" },
        { "exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Yes}",
          "exec has an unknown interactiveMode; write Never or IfAvailable" },
        { "exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: "
          "Always}",
          "exec has the interactiveMode Always, and there is no terminal; use a program that "
          "works without" },
        { "exec: {command: x, " EXEC_V1 ", env: [ {value: secret} ]}",
          "exec has an environment variable without a good name" },
        { "exec: {command: x, " EXEC_V1 ", args: secret}", "args is no list" },
        { "exec: yes", "exec is no mapping" },
        { "auth-provider: {name: gcp}", "auth-provider is supported with the name oidc only; use "
                                        "an exec plugin for others" },
        { "auth-provider: {name: oidc, config: {client-id: x}}",
          "idp-issuer-url of auth-provider oidc is missing; add it" },
        { "auth-provider: {name: oidc, config: {idp-issuer-url: https://i}}",
          "client-id of auth-provider oidc is missing; add it" },
        { "auth-provider: {name: oidc, config: {idp-issuer-url: 'http://i', client-id: x}}",
          "idp-issuer-url must begin with https://" },
        { "as-groups: [ g ]", "as-uid, as-groups or as-user-extra stands without as; name the "
                              "user" },
        { "as-user-extra: { k: [ \"a\\nb\" ] }",
          "as-groups or as-user-extra holds a line break or another control character; remove it" },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        KD_AUTO_FREE char *user = kd_asprintf("    %s\n", rows[i][0]);
        struct kd_cluster *cluster = NULL;
        struct kd_error error = { 0 };
        write_user(*state, "k", "", user);
        assert_int_equal(find_with(*state, "k", NULL, &cluster, &error), KD_ECONFIG);
        const char *text = strstr(error.text, "user \"u\": ");
        assert_non_null(text);
        assert_string_equal(text + strlen("user \"u\": "), rows[i][1]);
        assert_null(strstr(error.text, "secret"));
    }
}

static void two_ways_at_once_are_refused(void **state)
{
    static const char *const rows[] = {
        "    token: secret\n    username: me\n",
        "    token: secret\n    password: secret\n",
        "    exec: {command: x, " EXEC_V1 "}\n    auth-provider: {name: oidc}\n",
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_cluster *cluster = NULL;
        struct kd_error error = { 0 };
        write_user(*state, "k", "", rows[i]);
        assert_int_equal(find_with(*state, "k", NULL, &cluster, &error), KD_ECONFIG);
        assert_non_null(strstr(error.text, "keep one of them"));
        assert_null(strstr(error.text, "secret"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_program_is_taken_with_all_it_says),
        FOLDER_TEST(a_command_belongs_to_its_kubeconfig_or_to_path_b50),
        FOLDER_TEST(only_allowed_programs_are_taken),
        FOLDER_TEST(open_id_connect_is_taken),
        FOLDER_TEST(impersonation_is_taken),
        FOLDER_TEST(what_cannot_be_used_is_named),
        FOLDER_TEST(two_ways_at_once_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
