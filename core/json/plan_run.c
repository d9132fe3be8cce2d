/* Walks that read: run and each. Recursion goes as deep as the paths, not as the document. */
#include "base/error.h"
#include "base/str.h"
#include "json/plan_node.h"

static bool is_key(const struct kd_plan_node *node, const struct kd_members *at)
{
    if (at->key_escaped) {
        return kd_json_string_is(kd_scan_slice(at->key, at->key + at->key_len), node->key);
    }
    return node->key.len + 2 == at->key_len &&
           memcmp(node->key.ptr, at->key + 1, node->key.len) == 0;
}

uint32_t kd_plan_child(const struct kd_json_plan *plan, const struct kd_plan_node *node,
                       const struct kd_members *at)
{
    uint64_t lens = node->key_lens;
    bool possible = !at->object || at->key_escaped || (lens >> (at->key_len - 2) % 64 & 1);
    for (uint32_t i = 0; possible && i < node->n_children; i++) {
        const struct kd_plan_node *child = &plan->nodes[node->first_child + i];
        if (at->object ? is_key(child, at) : child->index == at->n - 1) {
            return node->first_child + i;
        }
    }
    return node->wild;
}

struct run {
    const struct kd_json_plan *plan;
    struct kd_value *slots;
    struct kd_plan_marks marks;
};

static void fill_slots(struct run *run, uint32_t path, struct kd_value value)
{
    for (; path != KD_PLAN_NO_PATH; path = run->plan->same[path]) {
        run->slots[path] = value;
    }
}

/* The key came before: what was found below it does not count any more. */
static void forget(struct run *run, uint32_t id)
{
    const struct kd_plan_node *node = &run->plan->nodes[id];
    kd_plan_unmark(&run->marks, id);
    fill_slots(run, node->path, (struct kd_value){ 0 });
    for (uint32_t i = 0; i < node->n_children; i++) {
        forget(run, node->first_child + i);
    }
}

static const char *run_container(struct run *run, const struct kd_plan_node *node, const char *pos,
                                 const char *end)
{
    struct kd_members members = kd_members_open(pos, end);
    while (kd_members_next(&members)) {
        uint32_t id = kd_plan_child(run->plan, node, &members);
        if (!id) {
            members.pos = kd_scan_value(members.value, end);
            continue;
        }
        if (kd_plan_is_marked(&run->marks, id)) {
            forget(run, id);
        }
        kd_plan_mark(&run->marks, id);
        const struct kd_plan_node *child = &run->plan->nodes[id];
        if (kd_plan_is_inner(child) && kd_plan_opens(members.value, end)) {
            members.pos = run_container(run, child, members.value, end);
        } else {
            members.pos = kd_scan_value(members.value, end);
        }
        fill_slots(run, child->path, kd_scan_slice(members.value, members.pos));
    }
    return members.pos;
}

void kd_json_plan_run(const struct kd_json_plan *plan, struct kd_value root, struct kd_value *slots)
{
    KD_CHECK(plan, KD_PLAN_MAGIC);
    KD_ASSERT(!plan->wild);
    struct run run = { .plan = plan, .slots = slots };
    for (size_t i = 0; i < plan->n_paths; i++) {
        slots[i] = (struct kd_value){ 0 };
    }
    if (kd_plan_opens(root.ptr, root.ptr + root.len)) {
        (void)run_container(&run, &plan->nodes[0], root.ptr, root.ptr + root.len);
    }
}

struct each {
    const struct kd_json_plan *plan;
    void (*fn)(void *arg, size_t path, struct kd_value value);
    void *arg;
};

static const char *each_container(const struct each *each, const struct kd_plan_node *node,
                                  const char *pos, const char *end)
{
    struct kd_members members = kd_members_open(pos, end);
    while (kd_members_next(&members)) {
        uint32_t id = kd_plan_child(each->plan, node, &members);
        const struct kd_plan_node *child = &each->plan->nodes[id];
        if (id && child->path == KD_PLAN_NO_PATH && kd_plan_opens(members.value, end)) {
            members.pos = each_container(each, child, members.value, end);
            continue;
        }
        members.pos = kd_scan_value(members.value, end);
        if (id && child->path != KD_PLAN_NO_PATH) {
            each->fn(each->arg, child->path, kd_scan_slice(members.value, members.pos));
        }
    }
    return members.pos;
}

void kd_json_plan_each(const struct kd_json_plan *plan, struct kd_value root,
                       void (*fn)(void *arg, size_t path, struct kd_value value), void *arg)
{
    KD_CHECK(plan, KD_PLAN_MAGIC);
    struct each each = { plan, fn, arg };
    if (kd_plan_opens(root.ptr, root.ptr + root.len)) {
        (void)each_container(&each, &plan->nodes[0], root.ptr, root.ptr + root.len);
    }
}
