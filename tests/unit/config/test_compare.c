/* What a reload compares: entries, keys that need a restart, the content of all files. */
#include "unit/config/files.h"

#include "base/buf.h"
#include "base/limits.h"

static struct kd_config *load_more(struct folder *folder, const char *text)
{
    struct kd_config *config = NULL;
    char *path = folder_path(folder, "k.conf");
    folder_write(folder, "k.conf", text);
    assert_int_equal(kd_config_load(path, NULL, &config, &folder->faults), 0);
    kd_free(path);
    return config;
}

/* Whether the first entries of two texts ask for the same. */
static bool same(struct folder *folder, const char *a, const char *b)
{
    struct kd_config *left = load_text(folder, a);
    struct kd_config *right = load_more(folder, b);
    bool result = kd_kind_entry_same(&left->kinds[0], &right->kinds[0]);
    assert_int_equal(kd_kind_entry_same(&right->kinds[0], &left->kinds[0]), result);
    kd_config_free(right);
    return result;
}

static void entries_are_the_same_wherever_they_stand(void **state)
{
    const char *entry = "kinds = ( { plugin = \"pod\"; } );";
    assert_true(same(*state, entry,
                     "\n\nlog : { level = \"debug\"; };\n"
                     "kinds = ( { plugin = \"pod\"; enabled = true; } );"));
    assert_true(same(*state, "defaults : { workers = 3; }; kinds = ( { plugin = \"pod\"; } );",
                     "kinds = ( { plugin = \"pod\"; workers = 3; } );"));
    assert_false(same(*state, entry, "kinds = ( { plugin = \"node\"; } );"));
}

static void each_key_of_an_entry_counts(void **state)
{
    static const char *const others[] = {
        "name = \"n\";",
        "enabled = false;",
        "reconcile = false;",
        "namespaces = [ \"a\", \"b\" ];",
        "namespaces = [ \"a\" ];",
        "label_selector = \"a=b\";",
        "field_selector = \"a=b\";",
        "workers = 3;",
        "mode = \"metadata\";",
        "debounce = \"1s\";",
        "settings = { };  stream_list = false;",
        "settings = { a = 1; };",
        "settings = { a = 2; };",
        "settings = { a = \"1\"; };",
        "settings = { b = 1; };",
        "settings = { a = true; };",
        "settings = { a = [ \"x\" ]; };",
        "settings = { a = [ \"x\", \"y\" ]; };",
        "settings = { a = 1; b = 1; };",
    };
    char a[160];
    char b[160];
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        (void)snprintf(a, sizeof(a), "kinds = ( { plugin = \"p\"; %s } );", others[i]);
        assert_true(same(*state, a, a));
        assert_false(same(*state, a, "kinds = ( { plugin = \"p\"; } );"));
        (void)snprintf(b, sizeof(b), "kinds = ( { plugin = \"p\"; %s } );", i ? others[i - 1] : "");
        assert_false(same(*state, a, b));
    }
}

static void a_copy_outlives_its_config(void **state)
{
    struct kd_config *config =
        load_text(*state, "kinds = ( { plugin = \"p\"; namespaces = [ \"a\", \"b\" ]; settings = { "
                          "x = \"text\"; y = [ \"1\" ]; z = 5; }; } );");
    struct kd_kind_entry *copy = kd_kind_entry_copy(&config->kinds[0]);
    assert_true(kd_kind_entry_same(copy, &config->kinds[0]));
    assert_ptr_not_equal(copy->name, config->kinds[0].name);
    struct kd_config *again = load_text(*state, "");
    assert_int_equal(again->n_kinds, 0);
    assert_string_equal(copy->namespaces.items[1], "b");
    assert_string_equal(copy->settings[1].list.items[0], "1");
    assert_string_equal(copy->tuning.mode, "full");
    assert_int_equal(copy->place.line, 1);
    assert_null(kd_kind_entry_free(copy));
    assert_null(kd_kind_entry_free(NULL));
}

static void restart(struct folder *folder, const char *text, const char *keys)
{
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    struct kd_config *running = load_text(folder, "");
    struct kd_config *wanted = load_more(folder, text);
    kd_config_restart_keys(running, wanted, &out);
    assert_string_equal(out.len ? out.ptr : "", keys);
    kd_config_free(wanted);
}

static void keys_that_need_a_restart_are_named(void **state)
{
    restart(*state, "", "");
    restart(*state,
            "log : { level = \"debug\"; }; defaults : { workers = 3; };"
            "kinds = ( { plugin = \"p\"; } );",
            "");
    restart(*state,
            "cluster : { qps = 20.0; exec_allow = [ \"/a\" ]; };"
            "api : { authenticate = false; }; shutdown_grace = \"1s\";"
            "plugins : { extra = [ \"/x\" ]; };",
            "cluster.qps, cluster.exec_allow, api.authenticate, plugins.extra, shutdown_grace");
}

static uint64_t content(struct folder *folder, size_t n_files)
{
    struct kd_strlist files;
    char *path = folder_path(folder, "k.conf");
    uint64_t hash = kd_config_content(path, &files);
    assert_int_equal(files.n, n_files);
    assert_string_equal(files.items[0], path);
    kd_strlist_release(&files);
    kd_free(path);
    assert_true(hash < UINT64_C(1) << 48);
    return hash;
}

/* All that a configuration reads counts, and nothing else. */
static void content_is_what_the_files_say(void **state)
{
    folder_write(*state, "k.conf", "shutdown_grace = \"1s\";\n");
    uint64_t plain = content(*state, 1);
    assert_true(plain == content(*state, 1));
    folder_write(*state, "other.txt", "x");
    assert_true(plain == content(*state, 1));
    folder_write(*state, "plugins.d/b.conf", "kinds = ( { plugin = \"b\"; } );\n");
    uint64_t added = content(*state, 2);
    assert_true(added != plain);
    folder_write(*state, "plugins.d/b.conf", "kinds = ( { plugin = \"c\"; } );\n");
    assert_true(content(*state, 2) != added);
    folder_write(*state, "plugins.d/readme", "x");
    folder_write(*state, "plugins.d/b.conf", "kinds = ( { plugin = \"b\"; } );\n");
    assert_true(content(*state, 2) == added);
    folder_write(*state, "k.conf", "shutdown_grace = \"1s\";\n@include \"more\"\n");
    uint64_t missing = content(*state, 2);
    folder_write(*state, "more", "");
    uint64_t empty = content(*state, 3);
    assert_true(empty != missing); /* a repair is a change */
    folder_write(*state, "more", "log : { };\n");
    assert_true(content(*state, 3) != empty);
}

static void a_file_that_is_not_there_has_a_content(void **state)
{
    uint64_t nothing = content(*state, 1);
    assert_true(nothing == content(*state, 1));
    folder_write(*state, "k.conf", "");
    assert_true(nothing != content(*state, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(entries_are_the_same_wherever_they_stand),
        FOLDER_TEST(each_key_of_an_entry_counts),
        FOLDER_TEST(a_copy_outlives_its_config),
        FOLDER_TEST(keys_that_need_a_restart_are_named),
        FOLDER_TEST(content_is_what_the_files_say),
        FOLDER_TEST(a_file_that_is_not_there_has_a_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
