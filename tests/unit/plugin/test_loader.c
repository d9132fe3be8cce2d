/* The loader's check order against files that each break one rule. */
#include "host.h"

#include <dlfcn.h>
#include <errno.h>

static bool is_open(const struct host *host, const char *name)
{
    char *path = host_file(host, name);
    void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    kd_free(path);
    if (handle) {
        assert_int_equal(dlclose(handle), 0);
    }
    return handle != NULL;
}

static void test_a_good_one(void **state)
{
    struct host *host = *state;
    char *path = host_file(host, "good");
    host_copy(host, "good");
    const struct kd_plugin_report *report = host_load_one(host, "good");
    assert_loaded(report);
    assert_string_equal(report->name, "good");
    assert_string_equal(report->file, path);
    assert_string_equal(report->version, "1.2.3");
    assert_string_equal(report->abi, "1.0");
    assert_string_equal(report->error.text, "");
    assert_int_equal(host_n_instances(host), 1);
    struct kd_instance *instance = host_instance(host, 0);
    assert_false(instance->started);
    kd_plugins_init(host->plugins);
    assert_true(instance->started);
    assert_true(is_open(host, "good"));
    kd_free(path);
}

static void test_a_later_minor_that_is_content(void **state)
{
    struct host *host = *state;
    host_copy(host, "newer-abi");
    const struct kd_plugin_report *report = host_load_one(host, "newer-abi");
    assert_loaded(report);
    assert_string_equal(report->abi, "1.9");
}

struct refusal {
    const char *name;
    int code;
    const char *rule, *expected, *found;
};

static const struct refusal refusals[] = {
    { "other-major", KD_EABI, "another major", "ABI 1.", "ABI 2.0" },
    { "newer-minor", KD_EABI, "newer kindred", "ABI 1.", "needs ABI 1.9" },
    { "short-struct", KD_EABI, "shorter than this major's first", "bytes", "struct_size 64" },
    { "lying-size", KD_EABI, "larger than its symbol", "at most", "struct_size 4096" },
    { "wrong-magic", KD_EABI, "no kindred plugin", "KDN1", "0x12345678" },
    { "unknown-cap", KD_EABI, "capability", "known", "bit 61" },
    { "wrong-name", KD_EABI, "the plugin's name", "wrong-name", "another" },
    { "no-name", KD_EABI, "name and version", "a-z", "no name" },
    { "no-version", KD_EABI, "name and version", "version", "without a version" },
    { "many-lines", KD_EABI, "name and version", "a-z", "two lines" },
    { "no-symbol", KD_EABI, "does not export kindred_plugin", "data symbol", "none" },
    { "code-symbol", KD_EABI, "smaller than a plugin's head", "32", "bytes" },
    { "borrowed-symbol", KD_EABI, "outside of the file", "own symbol", "another" },
    { "undefined-symbol", KD_EPLUGIN, "nobody_has_this", "loadable", "undefined-symbol.so" },
    { "missing-library", KD_EPLUGIN, "libkindred-gone.so", "loadable", "missing-library.so" },
    { "no-kinds", KD_EABI, "no kind", "at least one", "none" },
    { "kinds-beyond", KD_EABI, "outside of the plugin's file", "n_kinds", "256 x" },
    { "kinds-elsewhere", KD_EABI, "outside of the plugin's file", "n_kinds", "1 x" },
    { "kind-short", KD_EABI, "sizes do not fit", "ABI 1.0", "struct_size 100" },
    { "kind-stride", KD_EABI, "sizes do not fit", "ABI 1.0", "kind_size 8" },
    { "kind-twice", KD_EEXIST, "declares a kind once", "once", "kind Variant twice" },
    { "null-kind", KD_EABI, "mandatory text", "kind", "NULL" },
    { "empty-resource", KD_EABI, "mandatory text", "resource", "\"\"" },
    { "null-group", KD_EABI, "mandatory text", "group", "NULL" },
    { "bad-scope", KD_EABI, "scope", "0 or 1", "scope 7" },
    { "bad-path", KD_EABI, "spec/nodeName", "valid paths", "kind Variant" },
    { "null-path", KD_EABI, "mandatory text", "fields", "NULL" },
    { "wild-path", KD_EABI, "/spec/*", "valid paths", "kind Variant" },
    { "bad-noise", KD_EABI, "/status/~2", "valid paths", "kind Variant" },
    { "bad-index", KD_EABI, "nodeName", "valid paths", "kind Variant" },
    { "index-stride", KD_EABI, "index array", "index_size", "index_size 4" },
    { "watching", KD_EUNSUPPORTED, "watches of other kinds", "no watches", "1 watches" },
    { "mute-observer", KD_EABI, "observer has relate or reconcile", "relate", "Variant" },
    { "option-type", KD_EABI, "table of settings", "known types", "1 options" },
    { "option-offset", KD_EABI, "table of settings", "offsets", "settings of 64" },
    { "option-stride", KD_EABI, "table of settings", "keys", "options of 4 bytes" },
    { "option-twice", KD_EABI, "table of settings", "distinct", "2 options" },
    { "option-key", KD_EABI, "table of settings", "keys", "1 options" },
    { "option-default", KD_EABI, "own default of setting \"number\"", "from 1 to 10", "\"ten\"" },
    { "option-range", KD_EABI, "own default of setting \"number\"", "from 1 to 10", "\"11\"" },
    { "options-beyond", KD_EABI, "table of settings", "keys", "1000 options" },
    { "settings-huge", KD_EABI, "table of settings", "settings_size", "1073741824" },
};

static void test_each_rule(void **state)
{
    struct host *host = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(refusals); i++) {
        const struct refusal *want = &refusals[i];
        host_copy(host, want->name);
        const struct kd_plugin_report *report = host_load_one(host, want->name);
        print_message("%s: %s: %s (expected %s, found %s)\n", report->name, report->file,
                      report->error.text, report->expected, report->found);
        assert_refused(report, want->code, want->rule, want->expected, want->found);
        assert_contains(report->file, want->name);
        assert_int_equal(host_n_instances(host), 0);
        assert_false(is_open(host, want->name));
    }
}

static void test_the_others_run(void **state)
{
    struct host *host = *state;
    host_copy(host, "other-major");
    host_copy(host, "good");
    host_entry(host, "other-major", "other-major");
    host_entry(host, "missing", "missing");
    host_entry(host, "good", "good");
    const struct kd_plugin_report *reports = host_load(host);
    assert_int_equal(reports[0].state, KD_PLUGIN_REFUSED);
    assert_refused(&reports[1], KD_ENOENT, "no such file", "missing.so", host->path);
    assert_contains(reports[1].file, "missing.so");
    assert_loaded(&reports[2]);
    assert_int_equal(host_n_instances(host), 1);
    assert_string_equal(host_instance(host, 0)->name, "good");
}

static void test_disabled_ones_are_not_looked_at(void **state)
{
    struct host *host = *state;
    host_entry(host, "missing", "missing")->enabled = false;
    (void)host_load(host);
    assert_int_equal(kd_plugins_report(host->plugins, &(const struct kd_plugin_report *){ NULL }),
                     0);
}

static void test_not_elf(void **state)
{
    static const char script[] =
        "#!/bin/sh\n"
        "echo this is longer than the header of an ELF file, so it is read\n";
    struct host *host = *state;
    char *path = host_file(host, "script");
    host_write(path, script, sizeof(script) - 1);
    assert_refused(host_load_one(host, "script"), KD_EPLUGIN, "ELF", "loadable", "script.so");
    host_write(path, script, 0);
    assert_refused(host_load_one(host, "script"), KD_EPLUGIN, "file too short", "loadable", path);
    kd_free(path);
}

static void test_a_cut_file(void **state)
{
    struct host *host = *state;
    struct kd_buf bytes;
    char *path = host_file(host, "good");
    kd_buf_init(&bytes, 64 * KD_MIB);
    assert_int_equal(kd_file_read(TEST_PLUGINS "/good.so", &bytes, NULL), 0);
    host_write(path, bytes.ptr, 3000);
    assert_refused(host_load_one(host, "good"), KD_EPLUGIN, "cut short", "ELF headers", "shorter");
    host_write(path, bytes.ptr, 70);
    assert_refused(host_load_one(host, "good"), KD_EPLUGIN, "cut short", "ELF headers", "shorter");
    host_write(path, bytes.ptr, bytes.len);
    assert_loaded(host_load_one(host, "good"));
    kd_buf_release(&bytes);
    kd_free(path);
}

static void test_world_writable(void **state)
{
    struct host *host = *state;
    char *path = host_file(host, "good");
    host_copy(host, "good");
    assert_int_equal(chmod(path, 0757), 0);
    assert_refused(host_load_one(host, "good"), KD_EPERM, "writable by the world", "without o+w",
                   "757");
    assert_false(is_open(host, "good"));
    assert_int_equal(chmod(path, 0755), 0);
    assert_loaded(host_load_one(host, "good"));
    kd_free(path);
}

static void test_a_foreign_owner(void **state)
{
    struct host *host = *state;
    char *path = host_file(host, "good");
    if (geteuid() != 0) {
        kd_free(path);
        skip();
    }
    host_copy(host, "good");
    assert_int_equal(chown(path, 4321, 0), 0);
    assert_refused(host_load_one(host, "good"), KD_EPERM, "owned by root", "own user", "4321");
    kd_free(path);
}

static void test_no_regular_file(void **state)
{
    struct host *host = *state;
    char *folder = host_file(host, "folder");
    char *fifo = host_file(host, "fifo");
    assert_int_equal(mkdir(folder, 0755), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_refused(host_load_one(host, "folder"), KD_EPERM, "regular file", "regular", "mode");
    assert_refused(host_load_one(host, "fifo"), KD_EPERM, "regular file", "regular", "mode");
    kd_free(folder);
    kd_free(fifo);
}

static void test_links(void **state)
{
    struct host *host = *state;
    char *out = host_file(host, "no-kinds");
    char *in = host_file(host, "good");
    char *real = kd_path_join(host->path, "good-1.2.so");
    char *loop = host_file(host, "loop");
    assert_int_equal(symlink(TEST_PLUGINS "/no-kinds.so", out), 0);
    assert_refused(host_load_one(host, "no-kinds"), KD_EPERM, "real path", "plugin folder",
                   TEST_PLUGINS);
    assert_int_equal(symlink(loop, loop), 0);
    assert_refused(host_load_one(host, "loop"), KD_ENOENT, "no such file", "loop.so",
                   strerror(ELOOP));
    host_copy(host, "good");
    assert_int_equal(rename(in, real), 0);
    assert_int_equal(symlink("good-1.2.so", in), 0);
    const struct kd_plugin_report *report = host_load_one(host, "good");
    assert_loaded(report);
    assert_string_equal(report->file, real);
    kd_free(out);
    kd_free(in);
    kd_free(real);
    kd_free(loop);
}

static void test_names_with_a_path(void **state)
{
    struct host *host = *state;
    assert_refused(host_load_one(host, "../good"), KD_EPERM, "without a path", "a name", "../good");
    assert_refused(host_load_one(host, TEST_PLUGINS "/good"), KD_EPERM, "without a path", "a name",
                   "/");
}

static void test_extra_folders(void **state)
{
    struct host *host = *state;
    struct host more = { 0 };
    (void)snprintf(more.path, sizeof(more.path), "%.40s/more", host->path);
    assert_int_equal(mkdir(more.path, 0755), 0);
    host_copy(&more, "good");
    host->extra[0] = (char *)(uintptr_t) "/nonexistent/folder";
    host->extra[1] = more.path;
    host->config.plugins.extra.items = host->extra;
    host->config.plugins.extra.n = 1;
    assert_refused(host_load_one(host, "good"), KD_ENOENT, "no such file", "good.so",
                   "and the extra folders");
    host->config.plugins.extra.n = 2;
    const struct kd_plugin_report *report = host_load_one(host, "good");
    assert_loaded(report);
    assert_contains(report->file, "/more/good.so");
}

static void test_a_folder_whose_name_begins_alike(void **state)
{
    struct host *host = *state;
    struct host twin = { 0 };
    char *link = host_file(host, "good");
    (void)snprintf(twin.path, sizeof(twin.path), "%.40s-2", host->path);
    assert_int_equal(mkdir(twin.path, 0755), 0);
    host_copy(&twin, "good");
    char *file = host_file(&twin, "good");
    assert_int_equal(symlink(file, link), 0);
    assert_refused(host_load_one(host, "good"), KD_EPERM, "real path", "plugin folder", "-2/good");
    assert_int_equal(remove(file), 0);
    assert_int_equal(remove(twin.path), 0);
    kd_free(file);
    kd_free(link);
}

/* What a refusal left behind would make the second load see the first file. */
static void repair(struct host *host, const char *bad, const char *good)
{
    char *path = host_file(host, good);
    host_copy_from(host, TEST_PLUGINS, bad, good);
    assert_int_equal(host_load_one(host, good)->state, KD_PLUGIN_REFUSED);
    assert_false(is_open(host, good));
    host_copy(host, good);
    const struct kd_plugin_report *report = host_load_one(host, good);
    assert_loaded(report);
    assert_string_equal(report->version, "1.2.3");
    assert_true(is_open(host, good));
    kd_free(path);
}

static void test_a_repaired_file_loads(void **state)
{
    repair(*state, "broken", "repaired");
    repair(*state, "broken-kinds", "repaired-kinds");
}

static void test_the_same_file_for_two_entries(void **state)
{
    struct host *host = *state;
    host_copy(host, "observer");
    host_entry(host, "observer", "o1");
    host_entry(host, "observer", "o2");
    const struct kd_plugin_report *reports = host_load(host);
    assert_loaded(&reports[0]);
    assert_loaded(&reports[1]);
    assert_int_equal(host_n_instances(host), 2);
    assert_ptr_equal(host_instance(host, 0)->plugin, host_instance(host, 1)->plugin);
    assert_string_equal(host_instance(host, 1)->name, "o2");
}

static void test_a_hard_link_under_another_name(void **state)
{
    struct host *host = *state;
    char *file = host_file(host, "good");
    char *other = host_file(host, "other");
    host_copy(host, "good");
    assert_int_equal(link(file, other), 0);
    host_entry(host, "good", "good");
    host_entry(host, "other", "other");
    const struct kd_plugin_report *reports = host_load(host);
    assert_loaded(&reports[0]);
    assert_refused(&reports[1], KD_EEXIST, "same file", file, other);
    kd_free(file);
    kd_free(other);
}

static void test_a_changed_file_needs_a_restart(void **state)
{
    struct host *host = *state;
    host_copy(host, "good");
    assert_loaded(host_load_one(host, "good"));
    assert_loaded(host_load_one(host, "good")); /* the same again is the same */
    host_copy(host, "good");
    const struct kd_plugin_report *report = host_load_one(host, "good");
    assert_refused(report, KD_EBUSY, "needs a restart", "before", "another inode");
    assert_contains(report->file, "good.so");
}

static void test_init_that_fails(void **state)
{
    struct host *host = *state;
    const struct kd_plugin_report *reports;
    host_copy(host, "failing-init");
    host_copy(host, "silent-init");
    host_copy(host, "observer");
    host_entry(host, "failing-init", "failing-init");
    host_entry(host, "observer", "observer");
    assert_loaded(host_load(host));
    kd_plugins_init(host->plugins);
    (void)kd_plugins_report(host->plugins, &reports); /* two */
    assert_refused(&reports[0], KD_EPLUGIN, "the sky is not blue", "returns 0",
                   kd_errno_text(KD_ENET));
    assert_loaded(&reports[1]);
    assert_int_equal(host_n_instances(host), 1);
    assert_loaded(host_load_one(host, "silent-init"));
    kd_plugins_init(host->plugins);
    (void)kd_plugins_report(host->plugins, &reports); /* one */
    assert_refused(reports, KD_EPLUGIN, "without a text", "returns 0", kd_errno_text(KD_ETIMEOUT));
    assert_int_equal(host_n_instances(host), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_a_good_one),
        HOST_TEST(test_a_later_minor_that_is_content),
        HOST_TEST(test_each_rule),
        HOST_TEST(test_the_others_run),
        HOST_TEST(test_disabled_ones_are_not_looked_at),
        HOST_TEST(test_not_elf),
        HOST_TEST(test_a_cut_file),
        HOST_TEST(test_world_writable),
        HOST_TEST(test_a_foreign_owner),
        HOST_TEST(test_no_regular_file),
        HOST_TEST(test_links),
        HOST_TEST(test_names_with_a_path),
        HOST_TEST(test_extra_folders),
        HOST_TEST(test_a_folder_whose_name_begins_alike),
        HOST_TEST(test_a_repaired_file_loads),
        HOST_TEST(test_the_same_file_for_two_entries),
        HOST_TEST(test_a_hard_link_under_another_name),
        HOST_TEST(test_a_changed_file_needs_a_restart),
        HOST_TEST(test_init_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
