#include "json/plan.h"

#include "base/alloc.h"
#include "base/str.h"
#include "json/plan_node.h"
#include "json/pointer.h"

#define PLAN_MEMORY (4 * KD_MIB)

/* A node while the plan is made: lists instead of arrays. */
struct draft {
    struct kd_str key;
    struct draft *children; /* named, in the order of the paths */
    struct draft **last;
    struct draft *next;
    struct draft *wild;
    uint32_t path;
};

struct compiler {
    struct kd_json_plan *plan;
    struct kd_arena drafts;
    struct draft *root;
    uint32_t n; /* drafts that the root reaches */
};

static struct draft *new_draft(struct compiler *self, struct kd_str key)
{
    if (self->n == KD_MAX_PLAN_NODES) {
        return NULL;
    }
    struct draft *draft = kd_arena_alloc(&self->drafts, sizeof(*draft));
    if (draft) {
        *draft = (struct draft){ .key = key, .path = KD_PLAN_NO_PATH };
        draft->last = &draft->children;
        self->n++;
    }
    return draft;
}

/* The named child, made when it is not there; NULL: over the limit. */
static struct draft *named_child(struct compiler *self, struct draft *draft, struct kd_str key)
{
    for (struct draft *child = draft->children; child; child = child->next) {
        if (kd_str_eq(child->key, key)) {
            return child;
        }
    }
    struct draft *child = new_draft(self, key);
    if (child) {
        *draft->last = child;
        draft->last = &child->next;
    }
    return child;
}

static struct draft *wild_child(struct compiler *self, struct draft *draft)
{
    if (!draft->wild) {
        draft->wild = new_draft(self, (struct kd_str){ NULL, 0 });
    }
    return draft->wild;
}

static int add_segment(struct compiler *self, struct draft **draft, struct kd_str raw)
{
    if (kd_str_is(raw, "*")) {
        KD_ENSURE(self->plan->wild, KD_EINVAL);
        *draft = wild_child(self, *draft);
    } else {
        KD_ENSURE(kd_pointer_valid(raw), KD_EINVAL);
        char *key = kd_arena_alloc(&self->plan->arena, raw.len);
        KD_ENSURE(key, KD_ENOMEM);
        *draft = named_child(self, *draft, (struct kd_str){ key, kd_pointer_decode(raw, key) });
    }
    return *draft ? 0 : KD_ETOOBIG;
}

static int add_path(struct compiler *self, const char *path, uint32_t number)
{
    const char *pos = path;
    struct draft *draft = self->root;
    struct kd_str raw;
    KD_ENSURE(path[0] == '/', KD_EINVAL);
    for (uint32_t depth = 0; kd_pointer_next(&pos, &raw); depth++) {
        KD_ENSURE(depth < KD_MAX_PLAN_DEPTH, KD_ETOOBIG);
        KD_TRY(add_segment(self, &draft, raw));
    }
    if (draft->path == KD_PLAN_NO_PATH) {
        draft->path = number;
    } else {
        self->plan->same[number] = self->plan->same[draft->path];
        self->plan->same[draft->path] = number;
    }
    return 0;
}

/* Adds to `into` all that stands below `from`. Depth is that of the paths. */
static int merge(struct compiler *self, struct draft *into, const struct draft *from)
{
    if (from->path < into->path) {
        into->path = from->path;
    }
    for (const struct draft *child = from->children; child; child = child->next) {
        struct draft *same = named_child(self, into, child->key);
        KD_ENSURE(same, KD_ETOOBIG);
        KD_TRY(merge(self, same, child));
    }
    if (from->wild) {
        struct draft *wild = wild_child(self, into);
        KD_ENSURE(wild, KD_ETOOBIG);
        KD_TRY(merge(self, wild, from->wild));
    }
    return 0;
}

/* Folds each wildcard into its named neighbours, top down. */
static int fold_wild(struct compiler *self, struct draft *draft)
{
    for (struct draft *child = draft->children; child; child = child->next) {
        if (draft->wild) {
            KD_TRY(merge(self, child, draft->wild));
        }
        KD_TRY(fold_wild(self, child));
    }
    return draft->wild ? fold_wild(self, draft->wild) : 0;
}

static void flatten(struct compiler *self)
{
    struct kd_json_plan *plan = self->plan;
    const struct draft **order = kd_zalloc_array(self->n, sizeof(const struct draft *));
    plan->nodes = kd_zalloc_array(self->n, sizeof(*plan->nodes));
    order[0] = self->root;
    plan->n_nodes = 1;
    for (uint32_t i = 0; i < plan->n_nodes; i++) {
        struct kd_plan_node *node = &plan->nodes[i];
        node->key = order[i]->key;
        node->index = kd_pointer_index(node->key);
        node->path = order[i]->path;
        node->first_child = plan->n_nodes;
        for (const struct draft *child = order[i]->children; child; child = child->next) {
            node->key_lens |= UINT64_C(1) << child->key.len % 64;
            node->n_children++;
            order[plan->n_nodes++] = child;
        }
        if (order[i]->wild) {
            node->wild = plan->n_nodes;
            order[plan->n_nodes++] = order[i]->wild;
        }
    }
    kd_free(order);
}

static int add_paths(struct compiler *self, const char *const *paths, size_t n,
                     struct kd_error *reterr)
{
    for (size_t i = 0; i < n; i++) {
        self->plan->same[i] = KD_PLAN_NO_PATH;
    }
    for (size_t i = 0; i < n; i++) {
        int rc = add_path(self, paths[i], (uint32_t)i);
        if (rc < 0) {
            const char *why = rc == KD_EINVAL ? "is no path that can be read here"
                                              : "leads over the limit of a plan";
            return kd_fail(reterr, rc, "\"%s\" %s", paths[i], why);
        }
    }
    int rc = fold_wild(self, self->root);
    return rc < 0 ? kd_fail(reterr, rc, "these paths have too many wildcards") : rc;
}

int kd_json_plan_new(const char *const *paths, size_t n, bool allow_wild, struct kd_json_plan **ret,
                     struct kd_error *reterr)
{
    if (n > KD_MAX_PLAN_NODES) {
        return kd_fail(reterr, KD_ETOOBIG, "more than %d paths", KD_MAX_PLAN_NODES);
    }
    struct kd_json_plan *plan = kd_zalloc(sizeof(*plan));
    struct compiler self = { .plan = plan };
    *plan = (struct kd_json_plan){ .magic = KD_PLAN_MAGIC, .wild = allow_wild, .n_paths = n };
    plan->same = kd_zalloc_array(n, sizeof(*plan->same));
    kd_arena_init(&plan->arena, PLAN_MEMORY);
    kd_arena_init(&self.drafts, PLAN_MEMORY);
    self.root = new_draft(&self, (struct kd_str){ NULL, 0 });
    int rc = self.root ? add_paths(&self, paths, n, reterr)
                       : kd_fail(reterr, KD_ENOMEM, "no memory for a plan");
    if (rc == 0) {
        flatten(&self);
    }
    kd_arena_release(&self.drafts);
    if (rc < 0) {
        kd_json_plan_free(plan);
        return rc;
    }
    *ret = plan;
    return 0;
}

void kd_json_plan_free(struct kd_json_plan *plan)
{
    if (plan) {
        KD_CHECK(plan, KD_PLAN_MAGIC);
        kd_free(plan->nodes);
        kd_free(plan->same);
        kd_arena_release(&plan->arena);
        *plan = (struct kd_json_plan){ 0 };
        kd_free(plan);
    }
}

size_t kd_json_plan_size(const struct kd_json_plan *plan)
{
    return plan->n_paths;
}
