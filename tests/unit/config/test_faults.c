/* Bad files: each fault names file, line, what is wrong and what to do. */
#include "unit/config/files.h"

struct example {
    const char *text;
    const char *fault;
};

static void check_all(struct folder *folder, const struct example *examples, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_fault(folder, examples[i].text, examples[i].fault);
    }
}

#define CHECK_ALL(state, examples) check_all(*(state), (examples), KD_ARRAY_LEN(examples))

static void an_unknown_key_names_the_nearest(void **state)
{
    static const struct example examples[] = {
        { "\ncluster = { qpz = 1; };",
          "k.conf:2: unknown key \"cluster.qpz\"; did you mean \"cluster.qps\"?" },
        { "storee = { };", "k.conf:1: unknown key \"storee\"; did you mean \"store\"?" },
        { "kind = ();", "k.conf:1: unknown key \"kind\"; did you mean \"kinds\"?" },
        { "qps = 1;", "k.conf:1: unknown key \"qps\"; did you mean \"cluster.qps\"?" },
        { "health = { url = \"\"; };",
          "k.conf:1: unknown key \"health.url\"; did you mean \"store.url\"?" },
        { "kinds = ( { plugin = \"p\";\n worker = 1; } );",
          "k.conf:2: unknown key \"kinds.worker\"; did you mean \"kinds.workers\"?" },
        { "kinds = ( { plugin = \"p\";\n setting = { }; } );",
          "k.conf:2: unknown key \"kinds.setting\"; did you mean \"kinds.settings\"?" },
    };
    CHECK_ALL(state, examples);
}

static void a_wrong_type_says_what_it_takes(void **state)
{
    static const struct example examples[] = {
        { "cluster = { qps = \"50\"; };",
          "k.conf:1: cluster.qps is a string; it takes a number, such as 50.0" },
        { "cluster = { burst = 1.5; };",
          "k.conf:1: cluster.burst is a fraction; it takes a whole number" },
        { "cluster = { id = 5; };",
          "k.conf:1: cluster.id is a whole number; it takes a string in quotes" },
        { "leader = { enabled = 1; };",
          "k.conf:1: leader.enabled is a whole number; it takes true or false" },
        { "plugins = { extra = \"/x\"; };",
          "k.conf:1: plugins.extra is a string; it takes a list of "
          "strings, such as [ \"a\", \"b\" ]" },
        { "plugins = { extra = [ 1 ]; };", "k.conf:1: plugins.extra holds a whole number; it takes "
                                           "a list of strings, such as [ \"a\", \"b\" ]" },
        { "log = \"debug\";", "k.conf:1: log is a string; it is a group: log = { ... };" },
        { "kinds = { plugin = \"pod\"; };",
          "k.conf:1: kinds is a group; write kinds = ( { plugin = \"pod\"; } );" },
        { "kinds = [ \"pod\" ];",
          "k.conf:1: kinds is a list in brackets; write kinds = ( { plugin = \"pod\"; } );" },
        { "kinds = ( \"pod\" );",
          "k.conf:1: an entry of kinds is a string; write { plugin = \"pod\"; }" },
        { "kinds = ( { plugin = \"p\"; settings = 1; } );",
          "k.conf:1: kinds.settings is a whole number; it takes a group, such as { key = "
          "\"value\"; }" },
        { "kinds = ( { plugin = \"p\"; settings = { a = 1.5; }; } );",
          "k.conf:1: kinds.settings.a holds a fraction; a plugin's option is a string, a whole "
          "number, true or false, or a list of strings" },
    };
    CHECK_ALL(state, examples);
}

static void a_duration_needs_quotes_and_a_unit(void **state)
{
    static const struct example examples[] = {
        { "shutdown_grace = 30;",
          "k.conf:1: shutdown_grace is 30, which has no unit; write \"30s\" for seconds" },
        { "shutdown_grace = \"30\";",
          "k.conf:1: shutdown_grace is \"30\", which has no unit; write \"30s\" for seconds" },
        { "\nshutdown_grace = 30s;",
          "k.conf:2: 30s is no number; put a value with a unit in quotes, such as \"30s\"" },
        { "shutdown_grace = \"30 days\";", "k.conf:1: shutdown_grace is \"30 days\"; write numbers "
                                           "with the units ms, s, m or h, such "
                                           "as \"1m30s\"" },
        { "store = { flush_interval = \"0s\"; };",
          "k.conf:1: store.flush_interval is \"0s\"; it goes from 1ms to 8760h" },
        { "defaults = { resync = \"-5s\"; };", "k.conf:1: defaults.resync is \"-5s\"; write "
                                               "numbers with the units ms, s, m or h, such as "
                                               "\"1m30s\"" },
    };
    CHECK_ALL(state, examples);
}

static void a_value_out_of_range_names_the_range(void **state)
{
    static const struct example examples[] = {
        { "defaults = { workers = 0; };",
          "k.conf:1: defaults.workers is 0; it goes from 1 to 1000" },
        { "cluster = { qps = -1; };", "k.conf:1: cluster.qps is -1; it goes from 0 to 1000000" },
        { "store = { feed_keep = 99999999999999999999; };",
          "k.conf:1: 99999999999999999999 is too large; write a number of at most 64 bits" },
        { "log = { level = \"loud\"; };",
          "k.conf:1: log.level is \"loud\"; write one of debug|info|warn|error" },
        { "kinds = ( { plugin = \"p\"; mode = \"none\"; } );",
          "k.conf:1: kinds.mode is \"none\"; write one of full|fields|metadata" },
        { "kinds = ( { plugin = \"p\"; namespaces = [ \"a\", \"B\" ]; } );",
          "k.conf:1: kinds.namespaces holds \"B\"; the name of a namespace has at most 63 of a-z, "
          "0-9 "
          "and '-'" },
        { "kinds = ( { plugin = \"p\"; label_selector = \"a=\\x01\"; } );",
          "k.conf:1: kinds.label_selector holds a control character; remove it" },
        { "kinds = ( { plugin = \"p\"; label_selector = \"a=\xc3\xa9\"; } );",
          "k.conf:1: kinds.label_selector holds a character that is not ASCII; no label or field "
          "has "
          "one" },
        { "store = { path = \"\"; };",
          "k.conf:1: store.path is empty; name a path, or leave the key out" },
    };
    CHECK_ALL(state, examples);
}

static void binds_are_checked(void **state)
{
    static const char *const good[] = { "0",           ":0",        ":8080",   "127.0.0.1:80",
                                        "localhost:1", "[::1]:443", "unix:/x", "unix:rel" };
    static const char *const bad[] = { "",       "8080",     "::1:80", "host",      "host:",
                                       ":65536", "http://x", "[]:1",   "host:http", "[::1:1",
                                       "a b:1",  "unix",     "[::1]" };
    char text[128];
    for (size_t i = 0; i < KD_ARRAY_LEN(good); i++) {
        (void)snprintf(text, sizeof(text), "health = { bind = \"%s\"; };", good[i]);
        assert_string_equal(load_text(*state, text)->health.bind, good[i]);
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        char fault[256];
        (void)snprintf(text, sizeof(text), "health = { bind = \"%s\"; };", bad[i]);
        (void)snprintf(fault, sizeof(fault),
                       "k.conf:1: health.bind is \"%s\"; write \"HOST:PORT\", \"[IPV6]:PORT\", "
                       "\":PORT\", \"unix:PATH\", or \"0\" for off",
                       bad[i]);
        assert_fault(*state, text, fault);
    }
    assert_fault(*state, "api = { bind = \"unix:\"; };",
                 "k.conf:1: api.bind names a socket path of 0 bytes; it takes 1 to 107");
}

static void plugins_and_names_are_checked(void **state)
{
    static const struct example examples[] = {
        { "kinds = ( { name = \"x\"; } );",
          "k.conf:1: an entry of kinds without plugin; write { plugin = \"pod\"; }" },
        { "kinds = ( { plugin = \"pod.so\"; } );",
          "k.conf:1: kinds.plugin is \"pod.so\"; write \"pod\"" },
        { "kinds = ( { plugin = \"\"; } );",
          "k.conf:1: kinds.plugin is \"\"; write the plugin's name, such as \"pod\"" },
        { "kinds = ( { plugin = \"/x/\"; } );",
          "k.conf:1: kinds.plugin is \"/x/\"; write a name, and its folder into plugins.extra" },
        { "kinds = ( { plugin = \"p\"; name = \"a/b\"; } );",
          "k.conf:1: kinds.name is \"a/b\"; a name has letters, digits, '-', '_' and '.' only" },
    };
    CHECK_ALL(state, examples);
}

static void keys_that_depend_on_each_other_are_checked(void **state)
{
    static const struct example examples[] = {
        { "leader = {\n lease_duration = \"10s\"; };",
          "k.conf:2: leader.lease_duration is not above leader.renew_deadline; raise the one or "
          "lower the other" },
        { "leader = {\n retry_period = \"9s\"; };", "k.conf:2: leader.renew_deadline is not above "
                                                    "1.2 times leader.retry_period; raise the one "
                                                    "or lower the other" },
        { "metrics = { tls_cert = \"/c\"; };",
          "k.conf:1: metrics.tls_cert stands without metrics.tls_key; set both or none" },
        { "api = { tls_key = \"/k\"; };",
          "k.conf:1: api.tls_key stands without api.tls_cert; set both or none" },
        { "defaults = { backoff_base = \"2000s\"; }; kinds = ( { plugin = \"p\"; } );",
          "k.conf:1: defaults.backoff_max is below defaults.backoff_base; raise it" },
        { "kinds = (\n{ plugin = \"p\"; backoff_max = \"1ms\"; } );",
          "k.conf:2: kinds.backoff_max is below kinds.backoff_base of entry \"p\"; raise it" },
    };
    CHECK_ALL(state, examples);
}

static void a_name_stands_once(void **state)
{
    struct folder *folder = *state;
    char fault[256];
    (void)snprintf(
        fault, sizeof(fault),
        "k.conf:2: an entry named \"pod\" stands at %s/k.conf:1 already; give one of them "
        "another name",
        folder->path);
    assert_fault(folder, "kinds = ( { plugin = \"pod\"; },\n{ plugin = \"/x/pod.so\"; } );", fault);
    folder_write(folder, "plugins.d/a.conf", "kinds = ( { plugin = \"x\"; } );");
    folder_write(folder, "plugins.d/b.conf", "kinds = ( { plugin = \"x\"; } );");
    (void)snprintf(
        fault, sizeof(fault),
        "plugins.d/b.conf:1: an entry named \"x\" stands at %s/plugins.d/a.conf:1 already; "
        "give one of them another name",
        folder->path);
    assert_fault(folder, "", fault);
}

static void plugins_d_holds_kinds_only(void **state)
{
    struct folder *folder = *state;
    char fault[256];
    folder_write(folder, "plugins.d/a.conf", "\nlog = { level = \"debug\"; };");
    (void)snprintf(fault, sizeof(fault),
                   "plugins.d/a.conf:2: \"log\" in a file of plugins.d, which may hold kinds only; "
                   "move it to %s/k.conf",
                   folder->path);
    assert_fault(folder, "", fault);
}

static void syntax_errors_have_file_and_line(void **state)
{
    struct folder *folder = *state;
    static const struct example examples[] = {
        { "cluster = {\n qps = 5\n burst = = 3;\n};",
          "k.conf:3: syntax error; look here and on the "
          "line before for a missing quote, ';' or "
          "bracket" },
        { "store = { };\nstore = { };",
          "k.conf:2: a key stands here for the second time; keep one of them" },
        { "plugins = { extra = [ \"a\", 1 ]; };",
          "k.conf:1: the values of this list are of different types; write values of one type "
          "between [ and ]" },
        { "@include \"x", "k.conf:1: the path of @include does not end; close the quote" },
        { "cluster = { id = \"open\n",
          "k.conf:3: syntax error; look here and on the line before for "
          "a missing quote, ';' or bracket" },
    };
    CHECK_ALL(state, examples);
    folder_write(folder, "sub.txt", "\n\nlog = = 5;");
    assert_fault(folder, "# a\n@include \"sub.txt\"\n",
                 "sub.txt:3: syntax error; look here and on the line before for a missing quote, "
                 "';' or bracket");
    folder_write(folder, "sub.txt", "log = { level = \"info\"; };\n");
    assert_fault(folder, "# a\n@include \"sub.txt\"\n\nlogs = { };",
                 "k.conf:4: unknown key \"logs\"; did you mean \"log\"?");
}

static void includes_that_cannot_be_read_are_faults(void **state)
{
    struct folder *folder = *state;
    char fault[256];
    (void)snprintf(fault, sizeof(fault),
                   "k.conf:2: @include: %s/none.txt: No such file or directory; correct the path",
                   folder->path);
    assert_fault(folder, "\n@include \"none.txt\"\n", fault);
    assert_fault(folder, "@include \"k.conf\"\n@include \"k.conf\"\n",
                 "k.conf:1: files include each other more than 10 deep; remove the circle");
}

static void a_missing_file_and_other_encodings_are_faults(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(folder_load_with(folder, "none.conf", NULL), KD_ECONFIG);
    assert_string_equal(fault_at(folder, 0),
                        "none.conf: No such file or directory; name a readable file");
    folder_write_bytes(folder, "k.conf", "\xff\xfel\0o\0g\0", 8);
    assert_int_equal(folder_load_with(folder, "k.conf", NULL), KD_ECONFIG);
    assert_string_equal(fault_at(folder, 0), "k.conf:1: is no text in UTF-8; save it as UTF-8");
    assert_int_equal(folder_load_with(folder, ".", NULL), KD_ECONFIG);
}

static void a_bad_variable_is_a_fault_with_its_name(void **state)
{
    struct folder *folder = *state;
    char *variables[] = { (char[]){ "KINDRED_STORE_BATCH_SIZE=many" },
                          (char[]){ "KINDRED_LEADER_ENABLED=1" },
                          (char[]){ "KINDRED_CLUSTER_QPS=nan" },
                          (char[]){ "KINDRED_CLUSTER_BURST= 5" },
                          (char[]){ "KINDRED_HEALTH_BIND=x" },
                          (char[]){ "KINDRED_LEADER_LEASE_DURATION=5s" },
                          NULL };
    static const char *const faults[] = {
        "KINDRED_STORE_BATCH_SIZE: store.batch_size is \"many\"; it takes a whole number",
        "KINDRED_LEADER_ENABLED: leader.enabled is \"1\"; write true or false",
        "KINDRED_CLUSTER_QPS: cluster.qps is \"nan\"; it takes a number, such as 50.0",
        "KINDRED_CLUSTER_BURST: cluster.burst is \" 5\"; it takes a whole number",
        ("KINDRED_HEALTH_BIND: health.bind is \"x\"; write \"HOST:PORT\", \"[IPV6]:PORT\", "
         "\":PORT\", \"unix:PATH\", or \"0\" for off"),
        ("KINDRED_LEADER_LEASE_DURATION: leader.lease_duration is not above leader.renew_deadline; "
         "raise the one or lower the other"),
    };
    folder_write(folder, "k.conf", "");
    assert_int_equal(folder_load_with(folder, "k.conf", variables), KD_ECONFIG);
    assert_int_equal(folder->faults.n, KD_ARRAY_LEN(faults));
    for (size_t i = 0; i < KD_ARRAY_LEN(faults); i++) {
        assert_string_equal(folder->faults.items[i], faults[i]);
    }
}

static void all_faults_are_told_at_once(void **state)
{
    struct folder *folder = *state;
    folder_write(folder, "plugins.d/x.conf", "kinds = ( { } );");
    folder_write(folder, "k.conf",
                 "cluster = { qps = \"a\"; burst = 0; };\n"
                 "kinds = ( { plugin = \"p\"; mode = \"x\"; colour = 1; } );\n");
    assert_int_equal(folder_load_with(folder, "k.conf", NULL), KD_ECONFIG);
    assert_int_equal(folder->faults.n, 5);
    folder_write(folder, "k.conf", "a = 5s;\nb = 6s;\n");
    assert_int_equal(folder_load_with(folder, "k.conf", NULL), KD_ECONFIG);
    assert_int_equal(folder->faults.n, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(an_unknown_key_names_the_nearest),
        FOLDER_TEST(a_wrong_type_says_what_it_takes),
        FOLDER_TEST(a_duration_needs_quotes_and_a_unit),
        FOLDER_TEST(a_value_out_of_range_names_the_range),
        FOLDER_TEST(binds_are_checked),
        FOLDER_TEST(plugins_and_names_are_checked),
        FOLDER_TEST(keys_that_depend_on_each_other_are_checked),
        FOLDER_TEST(a_name_stands_once),
        FOLDER_TEST(plugins_d_holds_kinds_only),
        FOLDER_TEST(syntax_errors_have_file_and_line),
        FOLDER_TEST(includes_that_cannot_be_read_are_faults),
        FOLDER_TEST(a_missing_file_and_other_encodings_are_faults),
        FOLDER_TEST(a_bad_variable_is_a_fault_with_its_name),
        FOLDER_TEST(all_faults_are_told_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
