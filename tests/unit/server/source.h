/* What the servers ask of a manager, from fixed tables. */
#ifndef KD_TESTS_SERVER_SOURCE_H
#define KD_TESTS_SERVER_SOURCE_H

#include "server/server.h"

#include "base/macros.h"

#define SOURCE_STR(lit) KD_STR_INIT(lit)

static const char *const source_pod_names[] = { "po" };
static const char *const source_rs_names[] = { "rs" };
static const char *const source_event_names[] = { "ev" };

static const struct kd_kind_row source_kinds[] = {
    {
        .kind = SOURCE_STR("Pod"),
        .group = SOURCE_STR(""),
        .version = SOURCE_STR("v1"),
        .resource = SOURCE_STR("pods"),
        .plugin = SOURCE_STR("pod"),
        .plugin_version = SOURCE_STR("1.0.0"),
        .state = SOURCE_STR("synced"),
        .resource_version = SOURCE_STR("77"),
        .last_error = SOURCE_STR("said \"no\""),
        .short_names = source_pod_names,
        .n_short_names = 1,
        .namespaced = true,
        .objects = 3,
        .stored = 2,
        .depth = 1,
        .delayed = 4,
        .ready = true,
    },
    {
        .kind = SOURCE_STR("ReplicaSet"),
        .group = SOURCE_STR("apps"),
        .version = SOURCE_STR("v1"),
        .resource = SOURCE_STR("replicasets"),
        .state = SOURCE_STR("forbidden"),
        .short_names = source_rs_names,
        .n_short_names = 1,
        .namespaced = true,
    },
    {
        .kind = SOURCE_STR("Event"),
        .group = SOURCE_STR(""),
        .resource = SOURCE_STR("events"),
        .short_names = source_event_names,
        .n_short_names = 1,
    },
    {
        .kind = SOURCE_STR("Event"),
        .group = SOURCE_STR("events.k8s.io"),
        .resource = SOURCE_STR("events"),
        .short_names = source_event_names,
        .n_short_names = 1,
    },
};

static const struct kd_plugin_row source_plugins[] = {
    {
        .name = SOURCE_STR("pod"),
        .file = SOURCE_STR("/p/pod.so"),
        .version = SOURCE_STR("1.0.0"),
        .abi = SOURCE_STR("1.0"),
        .state = SOURCE_STR("loaded"),
    },
    {
        .name = SOURCE_STR("bad"),
        .state = SOURCE_STR("refused"),
        .error = SOURCE_STR("no such file"),
        .expected = SOURCE_STR("bad.so"),
        .found = SOURCE_STR("nothing"),
    },
};

static const struct kd_check_row source_live[] = { { .name = SOURCE_STR("ping"), .ok = true } };

static const struct kd_check_row source_ready[] = {
    { .name = SOURCE_STR("store"), .ok = true },
    { .name = SOURCE_STR("kind-pod"), .ok = true },
    {
        .name = SOURCE_STR("kind-node"),
        .ok = false,
        .reason = SOURCE_STR("Node: forbidden 403: nodes is forbidden"),
    },
};

static inline size_t source_get_kinds(void *arg, struct kd_arena *arena,
                                      const struct kd_kind_row **ret)
{
    (void)arg;
    (void)arena;
    *ret = source_kinds;
    return KD_ARRAY_LEN(source_kinds);
}

static inline size_t source_get_plugins(void *arg, struct kd_arena *arena,
                                        const struct kd_plugin_row **ret)
{
    (void)arg;
    (void)arena;
    *ret = source_plugins;
    return KD_ARRAY_LEN(source_plugins);
}

static inline size_t source_get_live(void *arg, struct kd_arena *arena,
                                     const struct kd_check_row **ret)
{
    (void)arg;
    (void)arena;
    *ret = source_live;
    return KD_ARRAY_LEN(source_live);
}

/* arg: a number of rows to leave out at the end, or NULL. */
static inline size_t source_get_ready(void *arg, struct kd_arena *arena,
                                      const struct kd_check_row **ret)
{
    const size_t *less = arg;
    (void)arena;
    *ret = source_ready;
    return KD_ARRAY_LEN(source_ready) - (less ? *less : 0);
}

static const struct kd_server_source source_all = {
    .kinds = source_get_kinds,
    .plugins = source_get_plugins,
    .live_checks = source_get_live,
    .ready_checks = source_get_ready,
};

#endif
