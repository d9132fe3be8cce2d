/*
 * Runs a plugin of this project over objects, in the mock host that third parties have too. What it
 * relates becomes one line each.
 */
#ifndef KD_TESTS_KIT_RELATED_H
#define KD_TESTS_KIT_RELATED_H

#include <kindred/test.h>

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
#include "base/str.h"

#include <stdio.h>

#define MAX_LINES 64

struct sink {
    char *lines[MAX_LINES];
    size_t n;        /* of a run that failed: how many relations the host had taken */
    size_t fail_at;  /* the add that fails; 0: none */
    bool no_scratch; /* the host gives no scratch memory */
};

static inline void sink_clear(struct sink *sink)
{
    for (size_t i = 0; i < MAX_LINES; i++) {
        sink->lines[i] = kd_free(sink->lines[i]);
    }
    sink->n = 0;
}

static inline void take_lines(struct sink *sink, const char *text)
{
    struct kd_str rest = kd_str_from(text);
    while (rest.len > 0) {
        assert_true(sink->n < MAX_LINES);
        sink->lines[sink->n++] = kd_str_dup(kd_str_cut(&rest, '\n'));
    }
}

/* After the first refusal the plugin is to ask for nothing more. */
static inline void take_refusal(struct sink *sink, const char *journal)
{
    unsigned nth = 0;
    const char *first = strstr(journal, "relation ");
    if (first) {
        assert_int_equal(sscanf(first, "relation %u refused", &nth), 1);
        assert_null(strstr(first + 1, "relation "));
        sink->n = nth - 1;
    }
}

/* The plugin's file over an object's text: what the run came to. */
static inline int32_t relate_text(const char *plugin, struct kd_str json, struct sink *sink)
{
    struct kd_error error = { 0 };
    struct kd_test *test = kd_test_open(plugin, &error);
    char *text = kd_str_dup(json);
    sink_clear(sink);
    if (!test || kd_test_start(test, &error) < 0 || kd_test_apply(test, text, &error) < 0) {
        fail_msg("%s: %s", plugin, error.text);
    }
    kd_test_fail(test, KD_TEST_RELATION, (uint32_t)sink->fail_at);
    kd_test_fail(test, KD_TEST_SCRATCH, sink->no_scratch);
    assert_int_equal(kd_test_run(test), 1);
    int32_t rc = kd_test_result(test);
    take_lines(sink, kd_test_relations(test, NULL, NULL, NULL));
    take_refusal(sink, kd_test_journal(test));
    kd_test_close(test);
    kd_free(text);
    return rc;
}

/* The same over a file of data/. */
static inline int32_t relate_file(const char *path, const char *plugin, struct sink *sink)
{
    struct kd_buf json;
    kd_buf_init(&json, KD_MIB);
    assert_int_equal(kd_file_read(path, &json, NULL), 0);
    int32_t rc = relate_text(plugin, kd_buf_str(&json), sink);
    kd_buf_release(&json);
    return rc;
}

/* A macro, since only tests know where the data is. */
#define relate_data(plugin, name, sink) relate_file(TEST_DATA "/" name, (plugin), (sink))

static inline void assert_lines(const struct sink *sink, const char *const *want, size_t n)
{
    for (size_t i = 0; i < n && i < sink->n; i++) {
        assert_string_equal(sink->lines[i], want[i]);
    }
    assert_int_equal(sink->n, n);
}

#define ASSERT_LINES(sink, ...)                                                                    \
    assert_lines((sink), (const char *const[]){ __VA_ARGS__ },                                     \
                 KD_ARRAY_LEN(((const char *const[]){ __VA_ARGS__ })))

#endif
