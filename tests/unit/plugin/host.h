/*
 * A plugin folder of its own for each test, config entries made by hand, and what loading them
 * says. Plugins stay resident, so each test loads copies that are its own files.
 */
#ifndef KD_TESTS_PLUGIN_HOST_H
#define KD_TESTS_PLUGIN_HOST_H

#include "plugin/plugins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/macros.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOST_ENTRIES 4

struct host {
    char path[64];
    char *extra[2];
    struct kd_kind_entry entries[HOST_ENTRIES];
    struct kd_config config;
    struct kd_plugins *plugins;
};

static inline int host_setup(void **state)
{
    struct host *host = kd_zalloc(sizeof(*host));
    (void)snprintf(host->path, sizeof(host->path), "/tmp/kd-test-plugin-XXXXXX");
    host->config.plugins.directory = host->path;
    host->config.kinds = host->entries;
    *state = host;
    return mkdtemp(host->path) ? 0 : -1;
}

static inline int host_remove_one(const char *path, const struct stat *st, int type,
                                  struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline int host_teardown(void **state)
{
    struct host *host = *state;
    kd_plugins_free(host->plugins);
    int rc = nftw(host->path, host_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    kd_free(host);
    return rc;
}

#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, host_setup, host_teardown)

/* "folder/name.so" in the test's plugin folder; the caller frees. */
static inline char *host_file(const struct host *host, const char *name)
{
    return kd_asprintf("%s/%s.so", host->path, name);
}

static inline void host_write(const char *path, const void *bytes, size_t len)
{
    char *part = kd_asprintf("%s.part", path);
    FILE *file = fopen(part, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(part, 0755), 0);
    assert_int_equal(rename(part, path), 0); /* always a new inode */
    kd_free(part);
}

/* Copies FOLDER/FROM.so to TO.so in the test's folder. */
static inline void host_copy_from(const struct host *host, const char *folder, const char *from,
                                  const char *to)
{
    struct kd_buf bytes;
    char *source = kd_asprintf("%s/%s.so", folder, from);
    char *target = host_file(host, to);
    kd_buf_init(&bytes, 64 * KD_MIB);
    assert_int_equal(kd_file_read(source, &bytes, NULL), 0);
    host_write(target, bytes.ptr, bytes.len);
    kd_buf_release(&bytes);
    kd_free(source);
    kd_free(target);
}

/* One of tests/plugins under its own name; a macro, since only tests know where those are. */
#define host_copy(host, name) host_copy_from((host), TEST_PLUGINS, (name), (name))

/* Adds an entry, "plugin" or "plugin name". */
static inline struct kd_kind_entry *host_entry(struct host *host, const char *plugin,
                                               const char *name)
{
    assert_true(host->config.n_kinds < HOST_ENTRIES);
    struct kd_kind_entry *entry = &host->entries[host->config.n_kinds++];
    *entry = (struct kd_kind_entry){ .plugin = (char *)(uintptr_t)plugin,
                                     .name = (char *)(uintptr_t)name,
                                     .enabled = true };
    return entry;
}

/* Loads all entries afresh. */
static inline const struct kd_plugin_report *host_load(struct host *host)
{
    const struct kd_plugin_report *reports;
    kd_plugins_free(host->plugins);
    host->plugins = kd_plugins_load(&host->config);
    (void)kd_plugins_report(host->plugins, &reports); /* one per enabled entry */
    return reports;
}

/* Loads one plugin as the only entry. */
static inline const struct kd_plugin_report *host_load_one(struct host *host, const char *name)
{
    host->config.n_kinds = 0;
    host_entry(host, name, name);
    return host_load(host);
}

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("\"%s\" is not in \"%s\"", part, text);
    }
}

static inline void assert_loaded(const struct kd_plugin_report *report)
{
    if (report->state != KD_PLUGIN_LOADED) {
        fail_msg("%s refused: %s (expected %s, found %s)", report->name, report->error.text,
                 report->expected, report->found);
    }
}

/* A refusal is one line of rule, expected and found. */
static inline void assert_refused(const struct kd_plugin_report *report, int code, const char *rule,
                                  const char *expected, const char *found)
{
    assert_int_equal(report->state, KD_PLUGIN_REFUSED);
    assert_contains(report->error.text, rule);
    assert_contains(report->expected, expected);
    assert_contains(report->found, found);
    assert_int_equal(report->error.code, code);
    assert_true(report->expected[0] && report->found[0]);
    assert_null(strpbrk(report->error.text, "\r\n"));
    assert_null(strpbrk(report->expected, "\r\n"));
    assert_null(strpbrk(report->found, "\r\n"));
}

static inline struct kd_instance *host_instance(const struct host *host, size_t i)
{
    struct kd_instance *const *instances;
    assert_true(i < kd_plugins_instances(host->plugins, &instances));
    return instances[i];
}

static inline size_t host_n_instances(const struct host *host)
{
    struct kd_instance *const *instances;
    return kd_plugins_instances(host->plugins, &instances);
}

#endif
