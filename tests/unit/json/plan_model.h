/*
 * Random plans and what they ought to do, worked out on the tree: the model of the tests of
 * json/plan.h.
 */
#ifndef TESTS_UNIT_JSON_PLAN_MODEL_H
#define TESTS_UNIT_JSON_PLAN_MODEL_H

#include "tree.h"

#include "json/plan.h"

#define MAX_PATHS 6
#define MAX_SEGMENTS 4

/* A path as the model knows it; a segment of NULL is the wildcard. */
struct path {
    const char *segments[MAX_SEGMENTS];
    size_t n;
    char text[256];
};

static inline void path_random(struct maker *maker, bool wild, struct path *path)
{
    size_t used = 0;
    path->n = 1 + maker_below(maker, MAX_SEGMENTS);
    for (size_t i = 0; i < path->n; i++) {
        const char *key = tree_keys[maker_below(maker, KD_ARRAY_LEN(tree_keys))];
        path->segments[i] = wild && maker_below(maker, 3) == 0 ? NULL : key;
        path->text[used++] = '/';
        if (!path->segments[i]) {
            path->text[used++] = '*';
            continue;
        }
        for (; *key; key++) {
            if (*key == '/' || *key == '~') {
                path->text[used++] = '~';
                path->text[used++] = *key == '/' ? '1' : '0';
            } else {
                path->text[used++] = *key;
            }
        }
    }
    path->text[used] = '\0';
}

/* Whether child number `index` of a tree is what a segment names. */
static inline bool segment_fits(const struct tree *parent, const struct tree *child, uint64_t index,
                                const char *segment)
{
    char number[24];
    if (!segment) {
        return true;
    }
    if (parent->type == KD_JSON_OBJECT) {
        return kd_str_is(child->key, segment);
    }
    (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)index);
    return strcmp(number, segment) == 0;
}

static inline const struct tree *model_find(const struct tree *tree, const struct path *path)
{
    for (size_t i = 0; tree && i < path->n; i++) {
        const struct tree *found = NULL;
        uint64_t index = 0;
        const struct tree *child = tree->type >= KD_JSON_ARRAY ? tree->first : NULL;
        for (; child; child = child->next, index++) {
            found = segment_fits(tree, child, index, path->segments[i]) ? child : found;
        }
        tree = found;
    }
    return tree;
}

/* Paths that still fit a place in the tree, each with its first `depth` segments used up. */
struct front {
    const struct path *paths;
    size_t n_paths;
    unsigned set;
    size_t depth;
};

static inline struct front step(const struct front *front, const struct tree *parent,
                                const struct tree *child, uint64_t index)
{
    struct front next = { front->paths, front->n_paths, 0, front->depth + 1 };
    for (size_t i = 0; i < front->n_paths; i++) {
        const struct path *path = &front->paths[i];
        if ((front->set >> i & 1) && path->n > front->depth &&
            segment_fits(parent, child, index, path->segments[front->depth])) {
            next.set |= 1u << i;
        }
    }
    return next;
}

/* Lowest path that ends here, or -1. */
static inline int ending(const struct front *front)
{
    for (size_t i = 0; i < front->n_paths; i++) {
        if ((front->set >> i & 1) && front->paths[i].n == front->depth) {
            return (int)i;
        }
    }
    return -1;
}

static inline struct tree *copy_head(struct maker *maker, const struct tree *tree)
{
    struct tree *copy = tree_new(maker, tree->type);
    *copy = *tree;
    copy->next = NULL;
    return copy;
}

static inline struct tree *model_strip(struct maker *maker, const struct tree *tree,
                                       struct front front)
{
    struct tree *copy = copy_head(maker, tree);
    struct tree **last = &copy->first;
    uint64_t index = 0;
    copy->first = NULL;
    for (const struct tree *c = tree->first; c; c = c->next, index++) {
        struct front next = step(&front, tree, c, index);
        if (ending(&next) < 0) {
            *last = model_strip(maker, c, next);
            last = &(*last)->next;
        }
    }
    return copy;
}

static inline struct tree *new_null(struct maker *maker)
{
    struct tree *null = tree_new(maker, KD_JSON_NULL);
    null->text = KD_STR("null");
    return null;
}

/* NULL: nothing of this is matched. */
static inline struct tree *model_keep(struct maker *maker, const struct tree *tree,
                                      struct front front)
{
    if (ending(&front) >= 0) {
        return copy_head(maker, tree);
    }
    struct tree *copy = copy_head(maker, tree);
    struct tree **last = &copy->first;
    struct tree **behind = &copy->first; /* behind the last match */
    uint64_t index = 0;
    copy->first = NULL;
    for (const struct tree *c = tree->first; c; c = c->next, index++) {
        struct tree *child = model_keep(maker, c, step(&front, tree, c, index));
        if (!child && tree->type == KD_JSON_OBJECT) {
            continue;
        }
        *last = child ? child : new_null(maker);
        last = &(*last)->next;
        behind = child ? last : behind;
    }
    *behind = NULL;
    return copy->first ? copy : NULL;
}

struct round {
    struct maker maker;
    struct kd_buf text;
    struct kd_buf out;
    struct path paths[MAX_PATHS];
    const char *texts[MAX_PATHS];
    size_t n;
    struct kd_json_plan *plan;
    const struct tree *tree;
    struct kd_value root;
    struct front front;
};

static inline void round_init(struct round *r)
{
    *r = (struct round){ 0 };
    maker_init(&r->maker, test_seed());
    kd_buf_init(&r->text, 16 * KD_MIB);
    kd_buf_init(&r->out, 16 * KD_MIB);
}

static inline void round_release(struct round *r)
{
    kd_json_plan_free(r->plan);
    kd_buf_release(&r->text);
    kd_buf_release(&r->out);
    kd_arena_release(&r->maker.arena);
}

static inline void round_begin(struct round *r, bool wild, bool twins)
{
    kd_json_plan_free(r->plan);
    kd_arena_reset(&r->maker.arena, KD_MIB);
    kd_buf_clear(&r->text, KD_MIB);
    kd_buf_clear(&r->out, KD_MIB);
    r->maker.twins = twins;
    r->maker.plain = maker_below(&r->maker, 2);
    r->n = 1 + maker_below(&r->maker, MAX_PATHS);
    for (size_t i = 0; i < r->n; i++) {
        path_random(&r->maker, wild, &r->paths[i]);
        r->texts[i] = r->paths[i].text;
    }
    assert_int_equal(kd_json_plan_new(r->texts, r->n, wild, &r->plan, NULL), 0);
    assert_int_equal(kd_json_plan_size(r->plan), r->n);
    r->tree = tree_random(&r->maker, 5);
    tree_print(&r->maker, r->tree, &r->text);
    r->root = must_parse(&r->text);
    r->front = (struct front){ r->paths, r->n, (1u << r->n) - 1, 0 };
}

static inline void round_fail(const struct round *r, const char *what)
{
    for (size_t i = 0; i < r->n; i++) {
        print_message("path %zu: %s\n", i, r->texts[i]);
    }
    fail_msg("%s\ndocument: %s\nresult: %s", what, r->text.ptr, r->out.ptr);
}

#endif
