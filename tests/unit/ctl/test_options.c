/* Command lines, good and bad; server addresses. */
#include "ctl_test.h"

#include "base/alloc.h"
#include "ctl/address.h"
#include "ctl/options.h"

#define WORDS_MAX 16

/* Splits at spaces; the words live in *line, which the caller frees. */
static int parse(const char *text, char **line, struct kd_ctl_options *ret, struct kd_error *error)
{
    char *words[WORDS_MAX + 1] = { (char *)(uintptr_t) "kindredctl" };
    int n = 1;
    *line = kd_strdup(text);
    for (char *pos = *line; *pos && n < WORDS_MAX; n++) {
        words[n] = pos;
        pos += strcspn(pos, " ");
        if (*pos) {
            *pos++ = '\0';
        }
    }
    return kd_ctl_options_parse(n, words, ret, error);
}

static void reads_get(void **state)
{
    struct kd_ctl_options options = { 0 };
    char *line = NULL;
    (void)state;
    assert_int_equal(parse("--server unix:/s get pods web -n shop -l a=b "
                           "--field-selector=x=y -o yaml",
                           &line, &options, NULL),
                     0);
    assert_int_equal(options.command, KD_CTL_GET);
    assert_int_equal(options.format, KD_CTL_YAML);
    assert_string_equal(options.server, "unix:/s");
    assert_string_equal(options.kind, "pods");
    assert_string_equal(options.name, "web");
    assert_string_equal(options.ns, "shop");
    assert_string_equal(options.labels, "a=b");
    assert_string_equal(options.fields, "x=y");
    kd_free(line);
    assert_int_equal(parse("-ojson -nshop get pod", &line, &options, NULL), 0);
    assert_int_equal(options.format, KD_CTL_JSON);
    assert_string_equal(options.ns, "shop");
    assert_null(options.server);
    assert_null(options.name);
    kd_free(line);
}

static void reads_graph(void **state)
{
    struct kd_ctl_options options = { 0 };
    char *line = NULL;
    (void)state;
    assert_int_equal(parse("graph deployment/web", &line, &options, NULL), 0);
    assert_int_equal(options.format, KD_CTL_TREE);
    assert_string_equal(options.root.kind, "deployment");
    assert_string_equal(options.root.name, "web");
    assert_null(options.root.ns);
    assert_int_equal(options.depth, 10);
    kd_free(line);
    assert_int_equal(parse("graph Deployment.apps/shop/web --depth 0 --direction in "
                           "--predicate OwnerReference -o dot",
                           &line, &options, NULL),
                     0);
    assert_string_equal(options.root.kind, "Deployment.apps");
    assert_string_equal(options.root.ns, "shop");
    assert_string_equal(options.root.name, "web");
    assert_int_equal(options.depth, 0);
    assert_string_equal(options.direction, "in");
    assert_string_equal(options.predicate, "OwnerReference");
    assert_int_equal(options.format, KD_CTL_DOT);
    kd_free(line);
    assert_int_equal(parse("graph Node//n1", &line, &options, NULL), 0);
    assert_string_equal(options.root.ns, "");
    kd_free(line);
}

static void reads_the_questions(void **state)
{
    struct kd_ctl_options options = { 0 };
    char *line = NULL;
    (void)state;
    assert_int_equal(parse("path pod/a Node//n1 -o json --direction out", &line, &options, NULL),
                     0);
    assert_int_equal(options.command, KD_CTL_PATH);
    assert_int_equal(options.format, KD_CTL_JSON);
    assert_string_equal(options.root.name, "a");
    assert_null(options.root.ns);
    assert_string_equal(options.end.kind, "Node");
    assert_string_equal(options.end.ns, "");
    assert_string_equal(options.end.name, "n1");
    kd_free(line);
    assert_int_equal(parse("impact cm/settings -n shop", &line, &options, NULL), 0);
    assert_int_equal(options.command, KD_CTL_IMPACT);
    assert_string_equal(options.root.ns, "shop");
    kd_free(line);
    assert_int_equal(parse("orphans cm -o name", &line, &options, NULL), 0);
    assert_int_equal(options.command, KD_CTL_ORPHANS);
    assert_string_equal(options.kind, "cm");
    kd_free(line);
    assert_int_equal(parse("unresolved --predicate Uses", &line, &options, NULL), 0);
    assert_int_equal(options.command, KD_CTL_UNRESOLVED);
    kd_free(line);
}

static void reads_the_others(void **state)
{
    static const struct {
        const char *text;
        enum kd_ctl_command command;
        enum kd_ctl_format format;
    } rows[] = {
        { "kinds", KD_CTL_KINDS, KD_CTL_TABLE },
        { "plugins -o json", KD_CTL_PLUGINS, KD_CTL_JSON },
        { "status -o table", KD_CTL_STATUS, KD_CTL_TABLE },
        { "changes -f --since 18446", KD_CTL_CHANGES, KD_CTL_TABLE },
        { "version", KD_CTL_VERSION, KD_CTL_TABLE },
        { "--version", KD_CTL_VERSION, KD_CTL_TABLE },
        { "--help", KD_CTL_HELP, KD_CTL_TABLE },
        { "get pod -A", KD_CTL_GET, KD_CTL_TABLE },
        { "get pod --all-namespaces", KD_CTL_GET, KD_CTL_TABLE },
        { "get -h", KD_CTL_HELP, KD_CTL_TABLE },
        { "help", KD_CTL_HELP, KD_CTL_TABLE },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_ctl_options options = { 0 };
        char *line = NULL;
        assert_int_equal(parse(rows[i].text, &line, &options, NULL), 0);
        assert_int_equal(options.command, rows[i].command);
        assert_int_equal(options.format, rows[i].format);
        if (options.command == KD_CTL_CHANGES) {
            assert_true(options.follow && options.has_since);
            assert_int_equal(options.since, 18446);
        }
        kd_free(line);
    }
}

static void refuses_bad_usage(void **state)
{
    static const struct {
        const char *text;
        const char *word; /* of the message */
    } rows[] = {
        { "", "no command" },
        { "fly", "\"fly\"" },
        { "get", "KIND[,KIND...] [NAME...]" },
        { "get a,b -w", "-w watches one KIND" },
        { "get a b c -w", "-w watches one KIND" },
        { "get pod -o xml", "table, wide, json, yaml, name, jsonpath=TEMPLATE" },
        { "get pod -o jsonpath", "jsonpath=TEMPLATE" },
        { "get pod -o tree", "table, wide, json" },
        { "graph a/b -o yaml", "tree, json, dot, mermaid, svg" },
        { "get pod --fly", "unknown option --fly" },
        { "get pod -x", "unknown option -x" },
        { "get pod --namespace", "-n needs a value" },
        { "graph a/b --depth", "--depth needs a value" },
        { "get pod -n", "-n needs a value" },
        { "get pod -f", "get takes no -f" },
        { "kinds -n x", "kinds takes no -n" },
        { "kinds x", "too many" },
        { "version -o json", "version takes no -o" },
        { "graph", "KIND/NAME" },
        { "graph pod", "KIND/NAME" },
        { "graph /web", "KIND/NAME" },
        { "graph pod/", "KIND/NAME" },
        { "path a/b", "KIND/NAME KIND/NAME" },
        { "path a/b c", "\"c\"" },
        { "unresolved --direction in", "takes no --direction" },
        { "graph a/b/c/d", "slashes" },
        { "graph a/b/c -n b", "-n" },
        { "graph a/b --depth 65", "64" },
        { "graph a/b --depth x", "whole number" },
        { "graph a/b --direction up", "out, in or both" },
        { "changes --since -1", "whole number" },
        { "changes --since 9223372036854775808", "whole number" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_ctl_options options = { .kind = "untouched" };
        struct kd_error error = { 0 };
        char *line = NULL;
        assert_int_equal(parse(rows[i].text, &line, &options, &error), KD_EINVAL);
        if (!strstr(error.text, rows[i].word)) {
            fail_msg("\"%s\" gives \"%s\"", rows[i].text, error.text);
        }
        assert_string_equal(options.kind, "untouched");
        kd_free(line);
    }
}

static void refuses_empty_operands(void **state)
{
    char *words[] = { (char *)(uintptr_t) "kindredctl", (char *)(uintptr_t) "get",
                      (char *)(uintptr_t) "", NULL };
    struct kd_ctl_options options;
    (void)state;
    assert_int_equal(kd_ctl_options_parse(3, words, &options, NULL), KD_EINVAL);
}

static void reads_addresses(void **state)
{
    struct kd_ctl_address address = { 0 };
    (void)state;
    assert_int_equal(kd_ctl_address_parse("unix:/run/k.sock", &address, NULL), 0);
    assert_string_equal(address.socket, "/run/k.sock");
    assert_true(kd_str_is(address.base, "http://localhost"));
    assert_int_equal(kd_ctl_address_parse("http://[::1]:80/", &address, NULL), 0);
    assert_null(address.socket);
    assert_true(kd_str_is(address.base, "http://[::1]:80"));
    assert_false(address.tls);
    assert_int_equal(kd_ctl_address_parse("https://h:1", &address, NULL), 0);
    assert_true(address.tls);
    const struct {
        const char *text;
        bool confides;
    } good[] = {
        { "unix:/run/k.sock", true },  { "https://a:1", true },   { "http://127.0.0.1:1", true },
        { "http://localhost:1", true }, { "http://a:1", false }, { "http://localhost.a:1", false },
        { "http://127.a.org:1", false },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(good); i++) {
        assert_int_equal(kd_ctl_address_parse(good[i].text, &address, NULL), 0);
        assert_int_equal(address.confides, good[i].confides);
    }
    static const char *const bad[] = { "",         "unix:",        "http://", "https://",
                                       "/a.sock",  "http://a/b",   "http:/",  "http://a b",
                                       "http:///", "http://a@b:1", "http",    "http://a?b" };
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        struct kd_error error = { 0 };
        assert_int_equal(kd_ctl_address_parse(bad[i], &address, &error), KD_EINVAL);
        assert_non_null(strstr(error.text, "unix:PATH"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_get),        TEST(reads_graph),       TEST(reads_the_questions),
        TEST(reads_the_others), TEST(refuses_bad_usage), TEST(refuses_empty_operands),
        TEST(reads_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
