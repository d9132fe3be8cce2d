/* Kubeconfig files: merge, fields, secrets, errors. */
#include "unit/config/files.h"
#include "unit/config/find.h"

#include <openssl/evp.h>

#define PEM_A "-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n"
#define PEM_B "-----BEGIN CERTIFICATE-----\nQg==\n-----END CERTIFICATE-----\n"
#define PEM_KEY "-----BEGIN PRIVATE KEY-----\nSw==\n-----END PRIVATE KEY-----\n"

/* One cluster c, one user u and one context x, with these inner fields. */
static void write_kubeconfig(struct folder *folder, const char *name, const char *cluster,
                             const char *user)
{
    KD_AUTO_FREE char *text = kd_asprintf("apiVersion: v1\nkind: Config\ncurrent-context: x\n"
                                          "clusters:\n- name: c\n  cluster:\n%s\n"
                                          "users:\n- name: u\n  user:\n%s\n"
                                          "contexts:\n- name: x\n  context:\n    cluster: c\n"
                                          "    user: u\n",
                                          cluster, user);
    folder_write(folder, name, text);
}

#define SERVER "    server: https://h:6443\n"

static void the_plain_fields_are_taken(void **state)
{
    struct folder *folder = *state;
    write_kubeconfig(folder, "k",
                     SERVER "    tls-server-name: api.example\n"
                            "    extensions: [ { name: e } ]\n"
                            "    unknown: 1\n",
                     "    token: \" tok\\n\"\n");
    struct kd_cluster *cluster = find_file(folder, "k");
    assert_string_equal(cluster->server, "https://h:6443");
    assert_string_equal(cluster->tls_server_name, "api.example");
    assert_string_equal(cluster->token, "tok");
    assert_string_equal(cluster->context, "x");
    assert_non_null(strstr(cluster->source, "/k"));
    assert_false(cluster->insecure);
    assert_null(cluster->ca_pem);
    assert_null(cluster->token_file);
    kd_cluster_free(cluster);
}

static void servers_lose_their_last_slash_and_may_be_http(void **state)
{
    static const char *const servers[][2] = {
        { "https://h:1/", "https://h:1" },
        { "https://h/k8s/clusters/x//", "https://h/k8s/clusters/x" },
        { "http://127.0.0.1:80", "http://127.0.0.1:80" },
        { "https://[::1]:6443", "https://[::1]:6443" }, /* B54 */
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(servers); i++) {
        KD_AUTO_FREE char *text = kd_asprintf("    server: \"%s\"\n", servers[i][0]);
        write_kubeconfig(*state, "k", text, "    {}\n");
        struct kd_cluster *cluster = find_file(*state, "k");
        assert_string_equal(cluster->server, servers[i][1]);
        kd_cluster_free(cluster);
    }
}

static void json_is_yaml_too(void **state)
{
    folder_write(*state, "k",
                 "{\"current-context\":\"x\",\"clusters\":[{\"name\":\"c\",\"cluster\":{\"server\":"
                 "\"https://h\",\"insecure-skip-tls-verify\":true}}],\"contexts\":[{\"name\":\"x\","
                 "\"context\":{\"cluster\":\"c\",\"user\":\"\"}}],\"users\":null}");
    struct kd_cluster *cluster = find_file(*state, "k");
    assert_string_equal(cluster->server, "https://h");
    assert_true(cluster->insecure);
    kd_cluster_free(cluster);
}

/* B51 */
static void files_belong_to_the_folder_of_their_kubeconfig(void **state)
{
    struct folder *folder = *state;
    folder_write(folder, "one/ca.pem", PEM_A);
    folder_write(folder, "two/ca.pem", PEM_B);
    folder_write(folder, "two/tok", "t2\n");
    folder_write(folder, "one/config",
                 "clusters:\n- {name: c, cluster: {server: https://one, certificate-authority: "
                 "ca.pem}}\ncurrent-context: ''\n");
    folder_write(folder, "two/config",
                 "clusters:\n- {name: c, cluster: {server: https://two, certificate-authority: "
                 "ca.pem}}\nusers:\n- {name: u, user: {tokenFile: tok}}\n"
                 "contexts:\n- {name: x, context: {cluster: c, user: u}}\ncurrent-context: x\n");
    KD_AUTO_FREE char *list = kd_asprintf("KUBECONFIG=%s/one/config::%s/none:%s/two/config:"
                                          "%s/one/config",
                                          folder->path, folder->path, folder->path, folder->path);
    KD_AUTO_FREE char *token_file = folder_path(folder, "two/tok");
    char *variables[] = { list, NULL };
    struct kd_cluster *cluster = find_env(folder, variables);
    assert_string_equal(cluster->server, "https://one");
    assert_string_equal(cluster->ca_pem, PEM_A);
    assert_string_equal(cluster->token_file, token_file);
    assert_null(cluster->token);
    assert_string_equal(cluster->context, "x");
    kd_cluster_free(cluster);
}

/* B52 */
static void null_is_empty_and_no_user_is_anonymous(void **state)
{
    folder_write(*state, "k",
                 "current-context: x\nusers: null\nclusters:\n"
                 "- name: c\n  cluster:\n    server: https://h\n"
                 "    certificate-authority: null\n    proxy-url: ''\n"
                 "    insecure-skip-tls-verify: ~\n"
                 "contexts:\n- name: x\n  context:\n    cluster: c\n");
    struct kd_cluster *cluster = find_file(*state, "k");
    assert_string_equal(cluster->server, "https://h");
    assert_null(cluster->token);
    assert_null(cluster->username);
    kd_cluster_free(cluster);
    write_kubeconfig(*state, "k", SERVER, "    token: null\n    as-groups: []\n    exec:\n");
    cluster = find_file(*state, "k");
    assert_null(cluster->token);
    kd_cluster_free(cluster);
}

/* B52 */
static void other_encodings_are_refused_by_name(void **state)
{
    folder_write_bytes(*state, "k",
                       "\xff\xfe"
                       "a\0:\0 \0b\0",
                       10);
    assert_find_fails(*state, "k",
                      "cluster.kubeconfig: FOLDER/k: is not UTF-8 but UTF-16 or the "
                      "like; save it as UTF-8");
    folder_write_bytes(*state, "k", "\0a\0:\0 \0b", 8);
    assert_find_fails(*state, "k",
                      "cluster.kubeconfig: FOLDER/k: is not UTF-8 but UTF-16 or the "
                      "like; save it as UTF-8");
}

static char *base64(const char *text)
{
    char *out = kd_zalloc(strlen(text) * 2 + 8);
    (void)EVP_EncodeBlock((unsigned char *)out, (const unsigned char *)text, (int)strlen(text));
    return out;
}

static void data_beats_files_and_pem_is_set_apart(void **state)
{
    struct folder *folder = *state;
    /* B53: two certificates without a line break between them or at the end */
    KD_AUTO_FREE char *joined = kd_strdup(PEM_A PEM_B);
    memmove(joined + strlen(PEM_A) - 1, joined + strlen(PEM_A), strlen(PEM_B));
    joined[strlen(PEM_A) + strlen(PEM_B) - 2] = '\0';
    KD_AUTO_FREE char *ca = base64(joined);
    KD_AUTO_FREE char *key = base64(PEM_KEY);
    KD_AUTO_FREE char *cluster_text = kd_asprintf(
        SERVER "    certificate-authority: missing.pem\n    certificate-authority-data: |\n"
               "      %.10s\n      %s\n",
        ca, ca + 10);
    KD_AUTO_FREE char *user_text =
        kd_asprintf("    client-certificate: cert.pem\n    client-key-data: %s\n", key);
    folder_write(folder, "cert.pem", PEM_B);
    write_kubeconfig(folder, "k", cluster_text, user_text);
    struct kd_cluster *cluster = find_file(folder, "k");
    assert_string_equal(cluster->ca_pem, PEM_A PEM_B);
    assert_string_equal(cluster->client_cert_pem, PEM_B);
    assert_string_equal(cluster->client_key_pem, PEM_KEY);
    kd_cluster_free(cluster);
}

/* Each names file, line, entry and field; no value stands in the text. */
static void fields_that_cannot_be_used_are_named(void **state)
{
    static const char *const examples[][3] = {
        { "    proxy-url: ftp://me:secret@p\n", "",
          "k:8: cluster \"c\": proxy-url must begin with http://, https:// or socks5://" },
        { "    proxy-url: http://me:secret@\n", "", "k:8: cluster \"c\": proxy-url names no host" },
        { "    disable-compression: maybe\n", "",
          "k:8: cluster \"c\": disable-compression is neither true nor false" },
        { "    insecure-skip-tls-verify: maybe\n", "",
          "k:8: cluster \"c\": insecure-skip-tls-verify is neither true nor false" },
        { "    insecure-skip-tls-verify: true\n    certificate-authority: ca.pem\n", "",
          "k:8: cluster \"c\": insecure-skip-tls-verify stands beside a certificate-authority; "
          "keep "
          "one of them" },
        { "    certificate-authority: none.pem\n", "",
          "k: cluster \"c\": certificate-authority: "
          "FOLDER/none.pem: No such file or directory" },
        { "    certificate-authority-data: '%%%'\n", "",
          "k: cluster \"c\": certificate-authority-data: is no base64" },
        { "    certificate-authority-data: aGVsbG8=\n", "",
          "k: cluster \"c\": certificate-authority-data: holds no PEM text (-----BEGIN ...)" },
        { "    certificate-authority: k\n", "",
          "k: cluster \"c\": certificate-authority: FOLDER/k "
          "holds no PEM text (-----BEGIN ...)" },
        { "", "    token: \"tok\\nX-Evil: 1\"\n", /* B46 */
          "k:12: user \"u\": token holds a line break or another control character; remove it" },
        { "", "    token: [ secret ]\n", "k:12: user \"u\": token is no text" },
        { "", "    tokenFile: none\n",
          "k: user \"u\": tokenFile: FOLDER/none: No such file or directory" },
        { "", "    client-certificate: ca.pem\n",
          "k:12: user \"u\": client-certificate stands without client-key; add it" },
        { "", "    client-key: ca.pem\n",
          "k:12: user \"u\": client-key stands without client-certificate; add it" },
    };
    folder_write(*state, "ca.pem", PEM_A);
    for (size_t i = 0; i < KD_ARRAY_LEN(examples); i++) {
        KD_AUTO_FREE char *cluster = kd_asprintf(SERVER "%s", examples[i][0]);
        KD_AUTO_FREE char *fault = kd_asprintf("cluster.kubeconfig: FOLDER/%s", examples[i][2]);
        write_kubeconfig(*state, "k", cluster,
                         examples[i][1][0] ? examples[i][1] : "    token: secret\n");
        assert_find_fails(*state, "k", fault);
    }
}

static void servers_that_are_no_urls_are_refused_without_being_quoted(void **state)
{
    static const char *const examples[][2] = {
        { "    tls-server-name: x\n", "cluster.kubeconfig: FOLDER/k:7: cluster \"c\": server is "
                                      "missing; write https://HOST:PORT" },
        { "    server: h:6443\n", "cluster.kubeconfig: FOLDER/k:7: cluster \"c\": server has no "
                                  "scheme; write https://HOST:PORT" },
        { "    server: https:///x\n", "cluster.kubeconfig: FOLDER/k:7: cluster \"c\": server names "
                                      "no host; write https://HOST:PORT" },
        { "    server: https://me:secret@h\n",
          "cluster.kubeconfig: FOLDER/k:7: cluster \"c\": server holds a user name, a query or a "
          "blank; write https://HOST:PORT" },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(examples); i++) {
        write_kubeconfig(*state, "k", examples[i][0], "    {}\n");
        assert_find_fails(*state, "k", examples[i][1]);
    }
}

static void names_that_lead_nowhere_are_told(void **state)
{
    struct folder *folder = *state;
    write_kubeconfig(folder, "k", SERVER, "    {}\n");
    folder->context = "y";
    assert_find_fails(folder, "k",
                      "cluster.kubeconfig: FOLDER/k: no context \"y\"; those there are: x");
    folder->context = NULL;
    folder_write(folder, "k",
                 "contexts:\n- {name: a, context: {cluster: c}}\n"
                 "- {name: b, context: {cluster: d, user: v}}\n- {name: e}\n"
                 "clusters: [ {name: d, cluster: {server: https://h}} ]\n");
    assert_find_fails(folder, "k",
                      "cluster.kubeconfig: FOLDER/k: no current-context; set "
                      "cluster.context to one of: a, b, e");
    folder->context = "a";
    assert_find_fails(folder, "k",
                      "cluster.kubeconfig: FOLDER/k:2: context \"a\" names cluster "
                      "\"c\", which is not there; correct the name");
    folder->context = "b";
    assert_find_fails(folder, "k",
                      "cluster.kubeconfig: FOLDER/k:3: context \"b\" names user \"v\", "
                      "which is not there; correct the name");
    folder->context = "e";
    assert_find_fails(folder, "k",
                      "cluster.kubeconfig: FOLDER/k:4: context \"e\" names no cluster; "
                      "add it");
}

static void malformed_files_are_told_with_their_line(void **state)
{
    struct folder *folder = *state;
    folder_write(folder, "k", "clusters:\n- name: [secret\n");
    assert_find_fails(folder, "k",
                      "cluster.kubeconfig: FOLDER/k:3: did not find "
                      "expected ',' or ']'; correct the YAML");
    folder_write(folder, "k", "just a text");
    assert_find_fails(folder, "k",
                      "cluster.kubeconfig: FOLDER/k:1: is no kubeconfig; it begins "
                      "with apiVersion: v1");
    folder_write(folder, "k", "current-context: x\ncontexts: { x: 1 }\n");
    assert_find_fails(folder, "k", "cluster.kubeconfig: FOLDER/k:2: contexts is no list");
    folder_write(folder, "k", "current-context: x\ncontexts: [ {name: x}, {name: x} ]\n");
    assert_find_fails(folder, "k",
                      "cluster.kubeconfig: FOLDER/k:2: contexts holds the name \"x\" "
                      "twice; keep one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(the_plain_fields_are_taken),
        FOLDER_TEST(servers_lose_their_last_slash_and_may_be_http),
        FOLDER_TEST(json_is_yaml_too),
        FOLDER_TEST(files_belong_to_the_folder_of_their_kubeconfig),
        FOLDER_TEST(null_is_empty_and_no_user_is_anonymous),
        FOLDER_TEST(other_encodings_are_refused_by_name),
        FOLDER_TEST(data_beats_files_and_pem_is_set_apart),
        FOLDER_TEST(fields_that_cannot_be_used_are_named),
        FOLDER_TEST(servers_that_are_no_urls_are_refused_without_being_quoted),
        FOLDER_TEST(names_that_lead_nowhere_are_told),
        FOLDER_TEST(malformed_files_are_told_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
