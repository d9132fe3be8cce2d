/*
 * What the files of this stage share: the registry, a family and a series. A series is made under
 * its family's lock, its label text is rendered once, and its numbers are atomics that any thread
 * updates without a lock. Lock order: registry, then family.
 */
#ifndef KD_METRICS_FAMILY_H
#define KD_METRICS_FAMILY_H

#include "base/hmap.h"
#include "metrics/metrics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct kd_series {
    struct kd_hnode node;
    const struct kd_family *family;
    size_t holders; /* guarded by the family's lock */
    char **values;           /* n_labels of them, as given */
    char *labels;            /* a="x",b="y", escaped; "" without labels */
    _Atomic uint64_t number; /* bits of a double: the value, or a histogram's sum */
    _Atomic uint64_t *hits;  /* histogram: per bucket, not cumulative, +Inf last */
};

struct kd_family {
    struct kd_family_spec spec; /* strings and arrays owned */
    pthread_mutex_t lock;       /* guards series and overflow; held while the family is written */
    struct kd_hmap series;
    struct kd_series *overflow;
};

struct kd_collector {
    struct kd_collector *next;
    void (*fn)(void *arg);
    void *arg;
};

struct kd_metrics {
    uint32_t magic;
    pthread_mutex_t lock;        /* guards families, n_families and the head of collectors */
    struct kd_family **families; /* by name */
    size_t n_families;
    pthread_mutex_t scrape;      /* held by a scrape from begin to end; before all other locks */
    struct kd_collector *collectors; /* newest first; a link never changes once it is in */
};

/* Frees a series that is in no table. */
void kd_series_free(struct kd_series *series);

/* Puts the text of a label value or, without quotes to escape, of HELP; not UTF-8 is U+FFFD. */
int kd_metrics_put_escaped(struct kd_buf *out, const char *text, bool quotes);
/* Puts a number so that it reads back exactly: "12", "0.1", "+Inf", "NaN". */
int kd_metrics_put_number(struct kd_buf *out, double value);

static inline double kd_bits_double(uint64_t bits)
{
    double value;
    __builtin_memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline uint64_t kd_double_bits(double value)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
}

#endif
