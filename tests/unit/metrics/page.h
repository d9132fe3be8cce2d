/* The page as text, for tests of what a scraper sees. */
#ifndef KD_TESTS_METRICS_PAGE_H
#define KD_TESTS_METRICS_PAGE_H

#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/limits.h"

/* The caller frees. */
static inline char *page(struct kd_metrics *metrics)
{
    struct kd_buf out;
    kd_buf_init(&out, 64 * KD_MIB);
    assert_int_equal(kd_metrics_write(metrics, KD_METRICS_TEXT, &out), 0);
    return kd_buf_steal(&out);
}

static inline void assert_page(struct kd_metrics *metrics, const char *expected)
{
    char *text = page(metrics);
    assert_string_equal(text, expected);
    kd_free(text);
}

static inline struct kd_series *plain_series(struct kd_metrics *metrics, enum kd_metric_type type,
                                             const char *name)
{
    struct kd_family_spec spec = { .type = type, .name = name, .help = "Help." };
    return kd_family_series(kd_metrics_family(metrics, &spec), NULL);
}

#endif
