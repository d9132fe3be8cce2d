/* `kindredctl plugin new`: its words, and the names that it makes of them. */
#include "ctl/plugin_new.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_WORDS 12

static int parse(const char *words, struct kd_ctl_plugin *ret, struct kd_error *error, char **line)
{
    char *argv[MAX_WORDS + 1];
    int argc = 0;
    *line = kd_strdup(words);
    for (char *at = *line; *at && argc < MAX_WORDS;) {
        char *end = strchr(at, ' ');
        argv[argc++] = strcmp(at, "''") == 0 || strncmp(at, "'' ", 3) == 0 ? at + 2 : at;
        at = end ? end + 1 : at + strlen(at);
        if (end) {
            *end = '\0';
        }
    }
    argv[argc] = NULL;
    return kd_ctl_plugin_parse(argc, argv, ret, error);
}

static void test_words(void **state)
{
    struct kd_ctl_plugin plugin;
    char *line;
    (void)state;
    assert_int_equal(parse("plugin new a-b --resource ws --version v1 --group x.y --kind Ws",
                           &plugin, NULL, &line),
                     0);
    assert_string_equal(plugin.name, "a-b");
    assert_string_equal(plugin.group, "x.y");
    assert_string_equal(plugin.version, "v1");
    assert_string_equal(plugin.resource, "ws");
    assert_string_equal(plugin.kind, "Ws");
    assert_null(plugin.folder);
    kd_free(line);
    assert_int_equal(
        parse("plugin new p --resource ws --version v1 --group ''", &plugin, NULL, &line), 0);
    assert_string_equal(plugin.group, "");
    kd_free(line);
}

static void test_wrong_words(void **state)
{
    static const char *const bad[][2] = {
        { "plugin", "a word is missing" },
        { "plugin new", "a word is missing" },
        { "plugin old p", "too many words" },
        { "plugin new p q", "too many words" },
        { "plugin new p --version v1 --resource r", "--group is missing" },
        { "plugin new p --group g --resource r", "--version is missing" },
        { "plugin new p --group g --version v1", "--resource is missing" },
        { "plugin new p --group", "--group: it needs a value" },
        { "plugin new p --color red", "unknown option" },
        { "plugin new P --group g --version v1 --resource r", "NAME \"P\": it takes a-z" },
        { "plugin new p --group a/b --version v1 --resource r", "--group \"a/b\"" },
        { "plugin new p --group g --version V1 --resource r", "--version \"V1\"" },
        { "plugin new p --group g --version v1 --resource ../r", "--resource \"../r\"" },
        { "plugin new p --group g --version v1 --resource r --kind a\"b", "--kind" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        struct kd_error error = { 0 };
        struct kd_ctl_plugin plugin;
        char *line;
        assert_int_equal(parse(bad[i][0], &plugin, &error, &line), KD_EINVAL);
        if (!strstr(error.text, bad[i][1])) {
            fail_msg("%s: %s", bad[i][0], error.text);
        }
        kd_free(line);
    }
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void assert_in_file(const char *folder, const char *name, const char *part)
{
    struct kd_buf text;
    char *path = kd_path_join(folder, name);
    kd_buf_init(&text, KD_MIB);
    assert_int_equal(kd_file_read(path, &text, NULL), 0);
    if (!strstr(text.ptr, part)) {
        fail_msg("%s is not in %s", part, path);
    }
    assert_null(strstr(text.ptr, "NAME@"));
    kd_buf_release(&text);
    kd_free(path);
}

static void test_kinds_of_resources(void **state)
{
    static const char *const names[][2] = {
        { "widgets", "Widget" }, { "policies", "Policy" }, { "ingresses", "Ingress" },
        { "boxes", "Box" },      { "torches", "Torch" },   { "dns", "Dn" },
        { "glass", "Glass" },    { "top-tens", "Topten" },
    };
    char folder[] = "/tmp/kd-test-new-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < KD_ARRAY_LEN(names); i++) {
        char *path = kd_path_join(folder, names[i][0]);
        char *line = kd_asprintf(".kind = \"%s\",", names[i][1]);
        const struct kd_ctl_plugin plugin = { "my-own", "g.org", "v2", names[i][0], NULL, path };
        assert_int_equal(kd_ctl_plugin_write(&plugin, NULL), 0);
        assert_in_file(path, "my-own.c", line);
        assert_in_file(path, "CMakeLists.txt", "test_my_own");
        assert_in_file(path, "tests/my-own.json", "\"apiVersion\": \"g.org/v2\"");
        assert_int_equal(kd_ctl_plugin_write(&plugin, NULL), KD_EEXIST);
        kd_free(path);
        kd_free(line);
    }
    assert_int_equal(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void test_the_core_group(void **state)
{
    char folder[] = "/tmp/kd-test-new-XXXXXX";
    char *path = NULL;
    (void)state;
    assert_non_null(mkdtemp(folder));
    path = kd_path_join(folder, "p");
    const struct kd_ctl_plugin plugin = { "p", "", "v1", "events", "Event", path };
    assert_int_equal(kd_ctl_plugin_write(&plugin, NULL), 0);
    assert_in_file(path, "tests/p.json", "\"apiVersion\": \"v1\"");
    assert_in_file(path, "tests/test_p.c", "ConfigReference Event/default/example@u1");
    kd_free(path);
    assert_int_equal(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_wrong_words),
        cmocka_unit_test(test_kinds_of_resources),
        cmocka_unit_test(test_the_core_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
