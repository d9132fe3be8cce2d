/*
 * The typed settings of every stage, filled from the config file (design: one table of keys drives
 * parser, defaults, check, overrides and docs/configuration.md). Durations are nanoseconds.
 * Strings are owned by the kd_config and live as long as it; "" where unset, never NULL.
 */
#ifndef KD_CONFIG_SETTINGS_H
#define KD_CONFIG_SETTINGS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct kd_strlist {
    char **items;
    size_t n;
};

struct kd_cluster_settings {
    char *kubeconfig;
    char *context;
    char *id;
    double qps;
    int64_t burst;
    int64_t request_timeout_ns;
    int64_t max_object_bytes;
    int64_t max_body_bytes;
    bool compress_lists;
    int64_t exec_timeout_ns;
    struct kd_strlist exec_allow;
    char *user_agent;
};

struct kd_leader_settings {
    bool enabled;
    char *ns;
    char *name;
    char *identity;
    int64_t lease_duration_ns;
    int64_t renew_deadline_ns;
    int64_t retry_period_ns;
    bool release_on_cancel;
    char *on_loss;   /* "retry" or "exit" */
    char *followers; /* "standby" or "serve" */
};

struct kd_store_settings {
    char *path; /* a file or ":memory:" */
    char *url;
    int64_t batch_size;
    int64_t flush_interval_ns;
    int64_t feed_keep;
};

struct kd_health_settings {
    char *bind;
    int64_t stall_ns;
};

struct kd_http_settings { /* metrics and api */
    char *bind;           /* "HOST:PORT", ":PORT", "unix:PATH", "0" is off */
    char *tls_cert;
    char *tls_key;
    bool authenticate;
};

struct kd_log_settings {
    char *level;
    char *format;
};

struct kd_plugins_settings {
    char *directory;
    struct kd_strlist extra;
    bool required;
    struct kd_strlist trusted_keys;
};

/* `defaults`, and with its values filled in, each kind's own. */
struct kd_kind_tuning {
    int64_t workers;
    char *mode; /* "full", "fields", "metadata" */
    int64_t resync_ns;
    int64_t watch_timeout_ns;
    int64_t list_page;
    bool stream_list;
    int64_t stream_deadline_ns;
    int64_t reconcile_timeout_ns;
    int64_t backoff_base_ns;
    int64_t backoff_max_ns;
    double retry_qps;
    int64_t retry_burst;
    int64_t debounce_ns;
    bool fair;
    int64_t breaker_failures;
    int64_t breaker_reset_ns;
};

struct kd_place {
    char *file;
    int line;
};

/* A value of a kind entry's `settings` group, checked later against the plugin's options. */
enum kd_setting_type { KD_SETTING_STRING, KD_SETTING_INT, KD_SETTING_BOOL, KD_SETTING_STRINGS };

struct kd_setting {
    char *key;
    enum kd_setting_type type;
    char *text;
    int64_t number; /* ints and bools */
    struct kd_strlist list;
    struct kd_place place;
};

/* One entry of `kinds`. */
struct kd_kind_entry {
    char *plugin; /* name, or a path when it holds a slash */
    char *name;   /* the plugin's name when not given */
    bool enabled;
    bool reconcile;
    struct kd_strlist namespaces;
    struct kd_strlist exclude_namespaces;
    char *label_selector;
    char *field_selector;
    struct kd_kind_tuning tuning;
    struct kd_setting *settings;
    size_t n_settings;
    struct kd_place place;
};

struct kd_config {
    char *path;
    struct kd_cluster_settings cluster;
    struct kd_leader_settings leader;
    struct kd_store_settings store;
    struct kd_health_settings health;
    struct kd_http_settings metrics;
    struct kd_http_settings api;
    struct kd_log_settings log;
    struct kd_plugins_settings plugins;
    struct kd_kind_tuning defaults;
    int64_t shutdown_grace_ns;
    struct kd_kind_entry *kinds;
    size_t n_kinds;
};

/* Every fault that loading found, each "FILE:LINE: what; remedy". */
struct kd_faults {
    char **items;
    size_t n;
};

void kd_faults_add(struct kd_faults *faults, const char *fmt, ...) KD_PRINTF(2, 3);
void kd_faults_release(struct kd_faults *faults);

/*
 * Loads the file, `plugins.d` beside it (*.conf in name order; the main file beats it for the same
 * name), and the environment's KINDRED_<SECTION>_<KEY>. All faults are collected; warnings go to
 * the log. KD_ECONFIG when there is any. *ret is owned by the caller (kd_config_free).
 */
int kd_config_load(const char *path, char *const *environ, struct kd_config **ret,
                   struct kd_faults *faults) KD_MUST_USE;
struct kd_config *kd_config_free(struct kd_config *config);

/* For a reload. Whether two entries ask for the same, wherever they stand in files. */
bool kd_kind_entry_same(const struct kd_kind_entry *a, const struct kd_kind_entry *b);
/* A copy with a life of its own. */
struct kd_kind_entry *kd_kind_entry_copy(const struct kd_kind_entry *entry) KD_MUST_USE;
struct kd_kind_entry *kd_kind_entry_free(struct kd_kind_entry *entry);
/* Puts the keys that differ and take effect at a restart only: "cluster.qps, store.path". */
struct kd_buf;
void kd_config_restart_keys(const struct kd_config *running, const struct kd_config *wanted,
                            struct kd_buf *out);
/*
 * A hash of 48 bits of all that the configuration's files say, the same in every process, and the
 * files; files that cannot be read count too. The caller releases the list.
 */
uint64_t kd_config_content(const char *path, struct kd_strlist *ret_files);
void kd_strlist_release(struct kd_strlist *list);

/*
 * The configuration in the form of the file, every key with its value, for people who look for a
 * fault. What may be a secret is hidden: the store's address, and the settings of plugins.
 * KD_ETOOBIG.
 */
int kd_config_write(const struct kd_config *config, struct kd_buf *out) KD_MUST_USE;

/* Writes docs/configuration.md's table of keys as Markdown, from the parser's own table. */
int kd_config_write_reference(struct kd_buf *out) KD_MUST_USE;

#endif
