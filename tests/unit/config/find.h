/* Finding a cluster from files of the test's folder; FOLDER in an expected text is its path. */
#ifndef KD_TESTS_CONFIG_FIND_H
#define KD_TESTS_CONFIG_FIND_H

#include "config/incluster.h"
#include "unit/config/files.h"

static inline int find_with(const struct folder *folder, const char *kubeconfig,
                            char *const *variables, struct kd_cluster **ret,
                            struct kd_error *reterr)
{
    KD_AUTO_FREE char *path = kubeconfig[0] ? folder_path(folder, kubeconfig) : kd_strdup("");
    KD_AUTO_FREE char *account = folder_path(folder, "account");
    KD_AUTO_FREE char *context = kd_strdup(folder->context ? folder->context : "");
    struct kd_cluster_settings settings = { .kubeconfig = path, .context = context };
    return kd_cluster_find_in(account, &settings, variables, ret, reterr);
}

static inline struct kd_cluster *find_or_fail(const struct folder *folder, const char *kubeconfig,
                                              char *const *variables)
{
    struct kd_cluster *cluster = NULL;
    struct kd_error error = { 0 };
    int rc = find_with(folder, kubeconfig, variables, &cluster, &error);
    if (rc < 0) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(error.code, 0);
    assert_non_null(cluster);
    return cluster;
}

/* The caller frees. */
static inline struct kd_cluster *find_file(const struct folder *folder, const char *kubeconfig)
{
    return find_or_fail(folder, kubeconfig, NULL);
}

static inline struct kd_cluster *find_env(const struct folder *folder, char *const *variables)
{
    return find_or_fail(folder, "", variables);
}

static inline void assert_env_fails(const struct folder *folder, const char *kubeconfig,
                                    char *const *variables, const char *expected)
{
    struct kd_cluster *cluster = NULL;
    struct kd_error error = { 0 };
    assert_int_equal(find_with(folder, kubeconfig, variables, &cluster, &error), KD_ECONFIG);
    assert_null(cluster);
    struct kd_buf text;
    kd_buf_init(&text, KD_ERROR_TEXT);
    for (const char *at = error.text; *at;) {
        bool here = strncmp(at, folder->path, strlen(folder->path)) == 0;
        assert_int_equal(here ? kd_buf_puts(&text, "FOLDER") : kd_buf_putc(&text, *at), 0);
        at += here ? strlen(folder->path) : 1;
    }
    assert_string_equal(text.ptr, expected);
    kd_buf_release(&text);
    assert_null(strstr(error.text, "secret"));
}

static inline void assert_find_fails(const struct folder *folder, const char *kubeconfig,
                                     const char *expected)
{
    assert_env_fails(folder, kubeconfig, NULL, expected);
}

#endif
