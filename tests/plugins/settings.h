/* What settings.so declares and its tests look at. */
#ifndef KD_TESTS_PLUGINS_SETTINGS_H
#define KD_TESTS_PLUGINS_SETTINGS_H

#include <kindred/plugin.h>

struct settings {
    struct kd_str text;
    struct kd_str empty; /* no default */
    int64_t number;      /* -5 to 10 */
    int64_t any_number;  /* without a range */
    int64_t wait_ns;     /* 1s to 1m */
    uint32_t on;
    uint32_t off;
    struct kd_strs list;
    struct kd_str long_key; /* a key of 80 characters */
};

/* What its `self` points to. */
struct settings_self {
    const struct settings *settings;
    const struct kd_host *host;
    int64_t live; /* instances that are not ended */
};

#define SETTINGS_LONG_KEY                                                                          \
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz80"

#endif
