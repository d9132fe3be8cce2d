/*
 * The model of the JSON tests: a random document as a tree, written out as text in one of many
 * ways (white space, escapes). What the code finds in the text is compared with the tree.
 * A failing run is repeated with the seed that check_seed printed: KD_TEST_SEED=n.
 */
#ifndef TESTS_UNIT_JSON_TREE_H
#define TESTS_UNIT_JSON_TREE_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/rand.h"
#include "base/str.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct tree {
    uint32_t type;
    struct kd_str key;  /* decoded; of a member */
    struct kd_str text; /* of a scalar: its JSON text */
    struct tree *first;
    struct tree *next;
};

struct maker {
    struct kd_arena arena;
    struct kd_rand rand;
    bool twins; /* keys may come twice */
    bool plain; /* no white space and no needless escapes */
};

static inline uint64_t test_seed(void)
{
    const char *given = getenv("KD_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 20240611;
    print_message("seed: KD_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

static inline void maker_init(struct maker *maker, uint64_t seed)
{
    *maker = (struct maker){ 0 };
    kd_arena_init(&maker->arena, 64 * KD_MIB);
    kd_rand_init(&maker->rand, seed);
}

static inline uint64_t maker_below(struct maker *maker, uint64_t n)
{
    return kd_rand_below(&maker->rand, n);
}

static inline struct tree *tree_new(struct maker *maker, uint32_t type)
{
    struct tree *tree = kd_arena_alloc(&maker->arena, sizeof(*tree));
    assert_non_null(tree);
    *tree = (struct tree){ .type = type };
    return tree;
}

static inline const struct tree *tree_member(const struct tree *tree, struct kd_str key)
{
    const struct tree *found = NULL;
    for (const struct tree *c = tree && tree->type == KD_JSON_OBJECT ? tree->first : NULL; c;
         c = c->next) {
        found = kd_str_eq(c->key, key) ? c : found;
    }
    return found;
}

static const char *const tree_keys[] = {
    "a",   "b", "c", "items", "name",           "x/y",
    "m~n", "",  "0", "1",     "with \"quote\"", "a-rather-long-key-of-a-label.example"
};
static const char *const tree_scalars[] = { "null",
                                            "true",
                                            "false",
                                            "0",
                                            "-1",
                                            "12.5e-3",
                                            "9223372036854775807",
                                            "1E+9",
                                            "\"\"",
                                            "\"{not a [bracket\"",
                                            "\"esc \\\" \\\\ \\u00e9 \\ud83d\\ude00 }\"",
                                            "\"plain text of some length\"",
                                            "\"\\\\\"",
                                            "\"ends with a backslash \\\\\"" };

static inline struct tree *tree_random(struct maker *maker, unsigned depth)
{
    uint64_t dice = maker_below(maker, 10);
    if (depth == 0 || dice < 3) {
        struct tree *scalar = tree_new(maker, KD_JSON_STRING);
        const char *text = tree_scalars[maker_below(maker, KD_ARRAY_LEN(tree_scalars))];
        scalar->text = kd_str_from(text);
        scalar->type = text[0] == '"'                     ? KD_JSON_STRING
                       : text[0] == 'n'                   ? KD_JSON_NULL
                       : text[0] == 't' || text[0] == 'f' ? KD_JSON_BOOL
                                                          : KD_JSON_NUMBER;
        return scalar;
    }
    struct tree *tree = tree_new(maker, dice < 8 ? KD_JSON_OBJECT : KD_JSON_ARRAY);
    struct tree **last = &tree->first;
    for (uint64_t n = maker_below(maker, 6); n > 0; n--) {
        struct kd_str key = kd_str_from(tree_keys[maker_below(maker, KD_ARRAY_LEN(tree_keys))]);
        if (tree->type == KD_JSON_OBJECT && !maker->twins && tree_member(tree, key)) {
            continue;
        }
        struct tree *child = tree_random(maker, depth - 1);
        child->key = key;
        *last = child;
        last = &child->next;
    }
    return tree;
}

static inline struct tree *tree_random_object(struct maker *maker, unsigned depth)
{
    struct tree *tree;
    do {
        tree = tree_random(maker, depth);
    } while (tree->type != KD_JSON_OBJECT);
    return tree;
}

static inline void put_space(struct maker *maker, struct kd_buf *out)
{
    static const char *const spaces[] = { "", "", "", " ", "\n", "\t\r\n ", "    " };
    if (!maker->plain) {
        const char *space = spaces[maker_below(maker, KD_ARRAY_LEN(spaces))];
        assert_int_equal(kd_buf_puts(out, space), 0);
    }
}

static inline void put_key(struct maker *maker, struct kd_str key, struct kd_buf *out)
{
    if (maker->plain || maker_below(maker, 4) != 0) {
        assert_int_equal(kd_buf_put_json(out, key), 0);
        return;
    }
    assert_int_equal(kd_buf_putc(out, '"'), 0);
    for (size_t i = 0; i < key.len; i++) {
        bool escape = key.ptr[i] == '"' || maker_below(maker, 2);
        assert_int_equal(escape ? kd_buf_printf(out, "\\u%04x", (unsigned)key.ptr[i])
                                : kd_buf_putc(out, key.ptr[i]),
                         0);
    }
    assert_int_equal(kd_buf_putc(out, '"'), 0);
}

static inline void tree_print(struct maker *maker, const struct tree *tree, struct kd_buf *out)
{
    if (tree->type < KD_JSON_ARRAY) {
        assert_int_equal(kd_buf_put_str(out, tree->text), 0);
        return;
    }
    bool object = tree->type == KD_JSON_OBJECT;
    assert_int_equal(kd_buf_putc(out, object ? '{' : '['), 0);
    put_space(maker, out);
    for (const struct tree *c = tree->first; c; c = c->next) {
        if (object) {
            put_key(maker, c->key, out);
            put_space(maker, out);
            assert_int_equal(kd_buf_putc(out, ':'), 0);
            put_space(maker, out);
        }
        tree_print(maker, c, out);
        put_space(maker, out);
        if (c->next) {
            assert_int_equal(kd_buf_putc(out, ','), 0);
            put_space(maker, out);
        }
    }
    assert_int_equal(kd_buf_putc(out, object ? '}' : ']'), 0);
}

/* Whether a value in the text is just what the tree says, order and all. */
static inline bool tree_matches(const struct tree *tree, struct kd_value value)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value child;
    if (tree->type != value.type) {
        return false;
    }
    if (tree->type < KD_JSON_ARRAY) {
        return kd_str_eq(tree->text, (struct kd_str){ value.ptr, value.len });
    }
    kd_json_iter_init(&iter, value);
    for (const struct tree *c = tree->first; c; c = c->next) {
        if (!kd_json_iter_next(&iter, &key, &child) || !tree_matches(c, child) ||
            (tree->type == KD_JSON_OBJECT ? !kd_json_string_is(key, c->key)
                                          : key.type != KD_JSON_NONE)) {
            return false;
        }
    }
    return !kd_json_iter_next(&iter, &key, &child);
}

static inline struct kd_value must_parse(const struct kd_buf *text)
{
    struct kd_value value = { 0 };
    struct kd_error err = { 0 };
    if (kd_json_parse(kd_buf_str(text), &value, &err) < 0) {
        fail_msg("%s in: %s", err.text, text->ptr);
    }
    return value;
}

#endif
