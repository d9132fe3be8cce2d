/* B56: NO_PROXY with networks, suffixes, ports; the order of proxy-url and the environment. */
#include "unit/config/files.h"
#include "unit/config/find.h"

#include "base/str.h"
#include "config/proxy.h"

static void no_proxy_names_hosts_addresses_and_networks_b56(void **state)
{
    static const struct {
        const char *list;
        const char *host;
        const char *port;
        bool excluded;
    } rows[] = {
        { ".svc,10.0.0.0/8,::1", "10.1.2.3", "443", true },
        { ".svc,10.0.0.0/8,::1", "::1", "443", true },
        { ".svc,10.0.0.0/8,::1", "11.1.2.3", "443", false },
        { ".svc,10.0.0.0/8,::1", "kubernetes.default.svc", "443", true },
        { ".svc", "svc", "443", false },
        { "svc", "svc", "443", true },
        { "svc", "x.svc", "443", true },
        { "svc", "xsvc", "443", false },
        { "*.example.com", "a.example.com", "443", true },
        { "*.example.com", "example.com", "443", false },
        { "EXAMPLE.com", "Example.COM", "443", true },
        { "example.com:6443", "example.com", "6443", true },
        { "example.com:6443", "example.com", "443", false },
        { "10.1.2.3", "10.1.2.3", "6443", true },
        { "10.1.2.3:443", "10.1.2.3", "6443", false },
        { "[fd00::1]:443", "[fd00::1]", "443", true },
        { "[fd00::1]", "fd00::1", "443", false }, /* brackets without a port name nothing */
        { "fd00::/8", "fd12::5", "443", true },
        { "fd00::/8", "fe12::5", "443", false },
        { "0.0.0.0/0", "192.0.2.1", "443", true },
        { "192.0.2.1/32", "192.0.2.1", "443", true },
        { "192.0.2.1/32", "192.0.2.2", "443", false },
        { "::/0", "192.0.2.1", "443", false },
        { "::ffff:10.0.0.0/104", "10.1.2.3", "443", true },
        { "*", "anything", "443", true },
        { " a , *", "anything", "443", true },
        { "10.0.0.0/33", "10.1.2.3", "443", false },
        { "3", "10.1.2.3", "443", false }, /* an address has no suffixes */
        { "", "a", "443", false },
        { ",,", "a", "443", false },
        { "", "localhost", "443", true },
        { "", "127.8.9.1", "443", true },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        bool got = kd_proxy_excludes(kd_str_from(rows[i].list), kd_str_from(rows[i].host),
                                     kd_str_from(rows[i].port));
        if (got != rows[i].excluded) {
            fail_msg("NO_PROXY %s for %s:%s gives %d", rows[i].list, rows[i].host, rows[i].port,
                     got);
        }
    }
}

static void assert_proxy(const struct folder *folder, const char *cluster, char *const *variables,
                         const char *proxy, const char *from)
{
    KD_AUTO_FREE char *text = kd_asprintf("current-context: x\n"
                                          "clusters: [ {name: c, cluster: {%s}} ]\n"
                                          "contexts: [ {name: x, context: {cluster: c}} ]\n",
                                          cluster);
    folder_write(folder, "k", text);
    struct kd_cluster *found = find_or_fail(folder, "k", variables);
    KD_AUTO_FREE char *shown = kd_cluster_proxy_text(found);
    assert_string_equal(shown, proxy);
    assert_string_equal(found->proxy_from ? found->proxy_from : "", from);
    kd_cluster_free(found);
}

static void proxy_url_beats_the_environment_b56(void **state)
{
    char https[] = "HTTPS_PROXY=http://me:secret@p.example:3128";
    char lower[] = "https_proxy=lower.example:1";
    char http[] = "http_proxy=socks5://plain.example";
    char no_proxy[] = "no_proxy=10.0.0.0/8";
    char *all[] = { lower, https, http, no_proxy, NULL };
    const struct folder *folder = *state;
    assert_proxy(folder, "server: 'https://a'", NULL, "", "");
    assert_proxy(folder, "server: 'https://a'", all, "http://p.example:3128", "HTTPS_PROXY");
    assert_proxy(folder, "server: 'https://a'", all + 2, "", "");
    assert_proxy(folder, "server: 'http://a'", all, "socks5://plain.example", "http_proxy");
    assert_proxy(folder, "server: 'https://10.9.8.7:6443/x'", all, "", "");
    assert_proxy(folder, "server: 'https://[::1]:6443'", all, "", "");
    assert_proxy(folder, "server: 'https://10.9.8.7', proxy-url: 'https://own:8443'", all,
                 "https://own:8443", "proxy-url");
    all[1] = NULL;
    assert_proxy(folder, "server: 'https://a'", all, "http://lower.example:1", "https_proxy");
}

static void a_bad_proxy_of_the_environment_is_named(void **state)
{
    char bad[] = "HTTPS_PROXY=gopher://me:secret@p";
    char *all[] = { bad, NULL };
    folder_write(*state, "k",
                 "current-context: x\nclusters: [ {name: c, cluster: {server: 'https://a'}} ]\n"
                 "contexts: [ {name: x, context: {cluster: c}} ]\n");
    assert_env_fails(*state, "k", all,
                     "the environment's HTTPS_PROXY must begin with http://, https:// or "
                     "socks5://; correct it, or name the server in NO_PROXY");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_proxy_names_hosts_addresses_and_networks_b56),
        FOLDER_TEST(proxy_url_beats_the_environment_b56),
        FOLDER_TEST(a_bad_proxy_of_the_environment_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
