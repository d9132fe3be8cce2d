/* A folder of its own for each test, with files in it, and what loading them says. */
#ifndef KD_TESTS_CONFIG_FILES_H
#define KD_TESTS_CONFIG_FILES_H

#include "config/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
    char path[64];
    const char *context; /* cluster.context of find_with, or NULL */
    struct kd_config *config;
    struct kd_faults faults;
};

static inline int folder_setup(void **state)
{
    struct folder *folder = kd_zalloc(sizeof(*folder));
    (void)snprintf(folder->path, sizeof(folder->path), "/tmp/kd-test-config-XXXXXX");
    *state = folder;
    return mkdtemp(folder->path) ? 0 : -1;
}

static inline int folder_remove_one(const char *path, const struct stat *st, int type,
                                    struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline int folder_teardown(void **state)
{
    struct folder *folder = *state;
    kd_config_free(folder->config);
    kd_faults_release(&folder->faults);
    int rc = nftw(folder->path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    kd_free(folder);
    return rc;
}

/* The caller frees. */
static inline char *folder_path(const struct folder *folder, const char *name)
{
    return kd_path_join(folder->path, name);
}

static inline void folder_write_bytes(const struct folder *folder, const char *name,
                                      const void *bytes, size_t len)
{
    char *path = folder_path(folder, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    (void)mkdir(path, 0700); /* there already for a name without folder */
    *slash = '/';
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    kd_free(path);
}

static inline void folder_write(const struct folder *folder, const char *name, const char *text)
{
    folder_write_bytes(folder, name, text, strlen(text));
}

/* Loads NAME afresh under the environment given; what was loaded before is freed. */
static inline int folder_load_with(struct folder *folder, const char *name, char *const *variables)
{
    char *path = folder_path(folder, name);
    folder->config = kd_config_free(folder->config);
    kd_faults_release(&folder->faults);
    int rc = kd_config_load(path, variables, &folder->config, &folder->faults);
    kd_free(path);
    return rc;
}

static inline struct kd_config *load_text(struct folder *folder, const char *text)
{
    folder_write(folder, "k.conf", text);
    int rc = folder_load_with(folder, "k.conf", NULL);
    for (size_t i = 0; i < folder->faults.n; i++) {
        print_error("%s\n", folder->faults.items[i]);
    }
    assert_int_equal(rc, 0);
    assert_non_null(folder->config);
    return folder->config;
}

/* The fault without the folder's name; must be there. */
static inline const char *fault_at(const struct folder *folder, size_t i)
{
    assert_true(i < folder->faults.n);
    const char *text = folder->faults.items[i];
    size_t len = strlen(folder->path);
    return strncmp(text, folder->path, len) == 0 ? text + len + 1 : text;
}

/* Loading k.conf with this text gives this one fault and no config. */
static inline void assert_fault(struct folder *folder, const char *text, const char *fault)
{
    folder_write(folder, "k.conf", text);
    assert_int_equal(folder_load_with(folder, "k.conf", NULL), KD_ECONFIG);
    assert_null(folder->config);
    assert_string_equal(fault_at(folder, 0), fault);
    assert_int_equal(folder->faults.n, 1);
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

#endif
