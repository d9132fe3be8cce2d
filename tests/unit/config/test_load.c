/* Good files: types, defaults, inheritance, includes, plugins.d, environment. */
#include "unit/config/files.h"

#include "base/clock.h"
#include "base/log.h"

static void an_empty_file_gives_the_defaults(void **state)
{
    struct kd_config *config = load_text(*state, "");
    assert_true(config->cluster.qps == 50.0);
    assert_int_equal(config->cluster.burst, 100);
    assert_int_equal(config->cluster.request_timeout_ns, 30 * KD_SEC_NS);
    assert_int_equal(config->cluster.max_body_bytes, 33554432);
    assert_true(config->cluster.compress_lists);
    assert_string_equal(config->cluster.kubeconfig, "");
    assert_int_equal(config->cluster.exec_allow.n, 0);
    assert_true(config->leader.enabled);
    assert_string_equal(config->leader.ns, "antimetal-system");
    assert_string_equal(config->store.path, "/var/lib/kindred/graph.db");
    assert_int_equal(config->store.flush_interval_ns, 200 * KD_MS_NS);
    assert_string_equal(config->health.bind, ":8081");
    assert_string_equal(config->api.bind, "unix:/run/kindred/kindred.sock");
    assert_true(config->api.authenticate);
    assert_false(config->metrics.authenticate);
    assert_string_equal(config->log.format, "json");
    assert_int_equal(config->defaults.backoff_max_ns, 1000 * KD_SEC_NS);
    assert_int_equal(config->shutdown_grace_ns, 30 * KD_SEC_NS);
    assert_int_equal(config->n_kinds, 0);
}

static void values_of_every_type_are_taken(void **state)
{
    struct kd_config *config =
        load_text(*state, "\xef\xbb\xbf"
                          "cluster : { qps = 20; burst = 0x10; id = \"a\" \"b\";\n"
                          "  compress_lists = FALSE; exec_allow = [ \"/x\" ]; };\n"
                          "/* 99999999999 \" */ // 5s\n"
                          "plugins = { extra = ( \"/a\", \"/b\" ); };\n"
                          "shutdown_grace = \"1m30s\";\n");
    assert_true(config->cluster.qps == 20.0);
    assert_int_equal(config->cluster.burst, 16);
    assert_string_equal(config->cluster.id, "ab");
    assert_false(config->cluster.compress_lists);
    assert_string_equal(config->cluster.exec_allow.items[0], "/x");
    assert_int_equal(config->plugins.extra.n, 2);
    assert_string_equal(config->plugins.extra.items[1], "/b");
    assert_int_equal(config->shutdown_grace_ns, 90 * KD_SEC_NS);
}

/* libconfig 1.5 alone would cut these to 32 bits without a word. */
static void whole_numbers_have_64_bits(void **state)
{
    struct kd_config *config = load_text(
        *state, "store = { feed_keep = 5000000000; };\n"
                "cluster = { max_body_bytes = 3000000000L; max_object_bytes = 0x3FFFFFFF; };"
                "kinds = ( { plugin = \"p\"; settings = { low = -5000000000; }; } );");
    assert_int_equal(config->store.feed_keep, INT64_C(5000000000));
    assert_int_equal(config->cluster.max_body_bytes, INT64_C(3000000000));
    assert_int_equal(config->cluster.max_object_bytes, 0x3FFFFFFF);
    assert_int_equal(config->kinds[0].settings[0].number, INT64_C(-5000000000));
}

static void an_entry_inherits_from_defaults_wherever_they_stand(void **state)
{
    struct kd_config *config = load_text(
        *state, "kinds = ( { plugin = \"pod\"; },\n"
                "  { plugin = \"node\"; name = \"big\"; workers = 2; mode = \"metadata\"; } );\n"
                "defaults = { workers = 7; debounce = \"1s\"; };");
    assert_int_equal(config->n_kinds, 2);
    const struct kd_kind_entry *pod = &config->kinds[0];
    const struct kd_kind_entry *big = &config->kinds[1];
    assert_string_equal(pod->name, "pod");
    assert_true(pod->enabled && pod->reconcile);
    assert_int_equal(pod->tuning.workers, 7);
    assert_string_equal(pod->tuning.mode, "full");
    assert_int_equal(big->tuning.workers, 2);
    assert_int_equal(big->tuning.debounce_ns, KD_SEC_NS);
    assert_string_equal(big->tuning.mode, "metadata");
    assert_string_equal(big->name, "big");
    assert_int_equal(pod->place.line, 1);
    assert_int_equal(big->place.line, 2);
}

static void a_plugin_by_path_is_named_by_its_file(void **state)
{
    struct kd_config *config = load_text(*state, "kinds = ( { plugin = \"/opt/x/widget.so\"; } );");
    assert_string_equal(config->kinds[0].plugin, "/opt/x/widget.so");
    assert_string_equal(config->kinds[0].name, "widget");
}

static void settings_of_a_plugin_are_kept_with_their_types_and_places(void **state)
{
    struct kd_config *config = load_text(*state, "kinds = ( { plugin = \"p\"; settings = {\n"
                                                 "  s = \"x\\ny\"; i = 3; b = true;\n"
                                                 "  l = [ \"\", \"b\" ]; e = []; }; } );");
    const struct kd_kind_entry *entry = &config->kinds[0];
    assert_int_equal(entry->n_settings, 5);
    assert_string_equal(entry->settings[0].key, "s");
    assert_int_equal(entry->settings[0].type, KD_SETTING_STRING);
    assert_string_equal(entry->settings[0].text, "x\ny");
    assert_int_equal(entry->settings[1].type, KD_SETTING_INT);
    assert_int_equal(entry->settings[1].number, 3);
    assert_int_equal(entry->settings[2].type, KD_SETTING_BOOL);
    assert_int_equal(entry->settings[2].number, 1);
    assert_int_equal(entry->settings[3].type, KD_SETTING_STRINGS);
    assert_int_equal(entry->settings[3].list.n, 2);
    assert_string_equal(entry->settings[3].list.items[1], "b");
    assert_int_equal(entry->settings[3].place.line, 3);
    assert_int_equal(entry->settings[4].list.n, 0);
}

static void includes_are_relative_to_the_file_that_names_them(void **state)
{
    struct folder *folder = *state;
    folder_write(folder, "sub/a.txt", "@include \"b.txt\"\nstore = { batch_size = 5; };");
    folder_write(folder, "sub/b.txt", "log = { level = \"warn\"; };");
    struct kd_config *config = load_text(folder, "# x\n  @include \"sub/a.txt\"\n"
                                                 "health = { bind = \"0\"; };");
    assert_string_equal(config->log.level, "warn");
    assert_int_equal(config->store.batch_size, 5);
    assert_string_equal(config->health.bind, "0");
}

static void plugins_d_adds_kinds_in_name_order_and_the_main_file_beats_it(void **state)
{
    struct folder *folder = *state;
    folder_write(folder, "plugins.d/b.conf", "kinds = ( { plugin = \"b\"; } );");
    folder_write(folder, "plugins.d/a.conf",
                 "kinds = ( { plugin = \"a\"; }, { plugin = \"pod\"; workers = 3; } );");
    folder_write(folder, "plugins.d/README", "not a config");
    folder_write(folder, "plugins.d/.hidden.conf", "not a config");
    struct kd_config *config = load_text(folder, "kinds = ( { plugin = \"pod\"; workers = 4; } );\n"
                                                 "defaults = { workers = 9; };");
    assert_int_equal(config->n_kinds, 3);
    assert_string_equal(config->kinds[0].name, "pod");
    assert_int_equal(config->kinds[0].tuning.workers, 4);
    assert_string_equal(config->kinds[1].name, "a");
    assert_int_equal(config->kinds[1].tuning.workers, 9);
    assert_string_equal(config->kinds[2].name, "b");
}

static void the_environment_beats_the_file(void **state)
{
    struct folder *folder = *state;
    folder_write(folder, "k.conf",
                 "store = { path = \"/file\"; batch_size = 5; };\n"
                 "kinds = ( { plugin = \"pod\"; } );");
    char *variables[] = { (char[]){ "KINDRED_STORE_PATH=/env=1" },
                          (char[]){ "KINDRED_LOG_LEVEL=debug" },
                          (char[]){ "KINDRED_SHUTDOWN_GRACE=5s" },
                          (char[]){ "KINDRED_CLUSTER_QPS=1.5" },
                          (char[]){ "KINDRED_LEADER_ENABLED=false" },
                          (char[]){ "KINDRED_DEFAULTS_BACKOFF_MAX=10s" },
                          NULL };
    assert_int_equal(folder_load_with(folder, "k.conf", variables), 0);
    assert_string_equal(folder->config->store.path, "/env=1");
    assert_int_equal(folder->config->store.batch_size, 5);
    assert_string_equal(folder->config->log.level, "debug");
    assert_int_equal(folder->config->shutdown_grace_ns, 5 * KD_SEC_NS);
    assert_true(folder->config->cluster.qps == 1.5);
    assert_false(folder->config->leader.enabled);
    assert_int_equal(folder->config->kinds[0].tuning.backoff_max_ns, 10 * KD_SEC_NS);
}

static void other_variables_of_the_prefix_only_warn(void **state)
{
    struct folder *folder = *state;
    char *variables[] = { (char[]){ "KINDRED_STORE_PAHT=secret" },
                          (char[]){ "KINDRED_PLUGINS_EXTRA=/x" },
                          (char[]){ "KINDRED_SERVICE_HOST=10.0.0.1" },
                          (char[]){ "KINDRED_PORT_8080_TCP=tcp://10.0.0.1:8080" },
                          (char[]){ "KINDRED_API_SERVICE_PORT=1" },
                          (char[]){ "KINDRED_" },
                          (char[]){ "OTHER=1" },
                          NULL };
    folder_write(folder, "k.conf", "");
    FILE *log = tmpfile();
    assert_non_null(log);
    kd_log_set_fd(fileno(log));
    int rc = folder_load_with(folder, "k.conf", variables);
    kd_log_set_fd(STDERR_FILENO);
    char text[4096] = "";
    rewind(log);
    assert_true(fread(text, 1, sizeof(text) - 1, log) > 0);
    (void)fclose(log);
    assert_int_equal(rc, 0);
    assert_non_null(strstr(text, "KINDRED_STORE_PAHT"));
    assert_non_null(strstr(text, "KINDRED_PLUGINS_EXTRA"));
    assert_null(strstr(text, "secret"));
    assert_null(strstr(text, "SERVICE"));
    assert_null(strstr(text, "8080"));
    assert_null(strstr(text, "OTHER"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(an_empty_file_gives_the_defaults),
        FOLDER_TEST(values_of_every_type_are_taken),
        FOLDER_TEST(whole_numbers_have_64_bits),
        FOLDER_TEST(an_entry_inherits_from_defaults_wherever_they_stand),
        FOLDER_TEST(a_plugin_by_path_is_named_by_its_file),
        FOLDER_TEST(settings_of_a_plugin_are_kept_with_their_types_and_places),
        FOLDER_TEST(includes_are_relative_to_the_file_that_names_them),
        FOLDER_TEST(plugins_d_adds_kinds_in_name_order_and_the_main_file_beats_it),
        FOLDER_TEST(the_environment_beats_the_file),
        FOLDER_TEST(other_variables_of_the_prefix_only_warn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
