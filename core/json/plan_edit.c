/* Walks that write: strip leaves matches out, keep leaves everything else out. */
#include "base/error.h"
#include "json/plan_node.h"

struct strip {
    const struct kd_json_plan *plan;
    struct kd_buf *out;
    const char *from; /* not copied yet from here on */
    int rc;
};

static void copy_until(struct strip *strip, const char *until)
{
    if (strip->rc == 0 && until > strip->from) {
        strip->rc = kd_buf_put(strip->out, strip->from, (size_t)(until - strip->from));
    }
}

/*
 * A member that goes takes one comma with it: the one before it when a member before it stays, else
 * the one behind it, which is passed over when the next member is met.
 */
static const char *strip_container(struct strip *strip, const struct kd_plan_node *node,
                                   const char *pos, const char *end)
{
    struct kd_members members = kd_members_open(pos, end);
    const char *before = NULL; /* end of the member before */
    bool kept = false;
    while (kd_members_next(&members)) {
        uint32_t id = kd_plan_child(strip->plan, node, &members);
        const struct kd_plan_node *child = &strip->plan->nodes[id];
        if (before && !kept) {
            strip->from = members.start;
        }
        if (id && child->path != KD_PLAN_NO_PATH) {
            copy_until(strip, kept ? before : members.start);
            members.pos = kd_scan_value(members.value, end);
            strip->from = members.pos;
        } else {
            kept = true;
            members.pos = id && kd_plan_opens(members.value, end)
                              ? strip_container(strip, child, members.value, end)
                              : kd_scan_value(members.value, end);
        }
        before = members.pos;
    }
    return members.pos;
}

static int undo_on_failure(struct kd_buf *out, size_t len, int rc)
{
    if (rc < 0 && out->ptr) {
        out->len = len;
        out->ptr[len] = '\0';
    }
    return rc;
}

int kd_json_plan_strip(const struct kd_json_plan *plan, struct kd_value root, struct kd_buf *out)
{
    KD_CHECK(plan, KD_PLAN_MAGIC);
    size_t len = out->len;
    const char *end = root.ptr + root.len;
    struct strip strip = { plan, out, root.ptr, 0 };
    if (kd_plan_opens(root.ptr, end)) {
        (void)strip_container(&strip, &plan->nodes[0], root.ptr, end);
    }
    copy_until(&strip, end);
    return undo_on_failure(out, len, strip.rc);
}

struct keep {
    const struct kd_json_plan *plan;
    struct kd_buf *out;
    struct kd_plan_marks marks;
    bool found; /* by the container walked last */
    int rc;
};

static void put(struct keep *keep, const char *pos, const char *end)
{
    if (keep->rc == 0) {
        keep->rc = kd_buf_put(keep->out, pos, (size_t)(end - pos));
    }
}

static void put_text(struct keep *keep, const char *text)
{
    put(keep, text, text + strlen(text));
}

static const char *keep_container(struct keep *keep, const struct kd_plan_node *node,
                                  const char *pos, const char *end);

/* Writes what a member's value holds of the paths; *ret_found says whether that is anything. */
static const char *keep_value(struct keep *keep, const struct kd_plan_node *child,
                              const char *value, const char *end, bool *ret_found)
{
    if (child->path == KD_PLAN_NO_PATH && kd_plan_opens(value, end)) {
        const char *behind = keep_container(keep, child, value, end);
        *ret_found = keep->found;
        return behind;
    }
    const char *behind = kd_scan_value(value, end);
    *ret_found = child->path != KD_PLAN_NO_PATH;
    if (*ret_found) {
        put(keep, value, behind);
    }
    return behind;
}

/*
 * Goes before a member: comma and key, or the elements left out before this one, which become null
 * so that array indexes still hold.
 */
static void put_lead(struct keep *keep, const struct kd_members *at, uint64_t n_written)
{
    if (n_written) {
        put_text(keep, ",");
    }
    if (at->object) {
        put(keep, at->key, at->key + at->key_len);
        put_text(keep, ":");
    }
    for (uint64_t i = n_written; !at->object && i + 1 < at->n; i++) {
        put_text(keep, "null,");
    }
}

static const char *keep_container(struct keep *keep, const struct kd_plan_node *node,
                                  const char *pos, const char *end)
{
    struct kd_members members = kd_members_open(pos, end);
    uint64_t n_written = 0;
    for (uint32_t i = 0; i < node->n_children; i++) {
        kd_plan_unmark(&keep->marks, node->first_child + i);
    }
    put_text(keep, members.object ? "{" : "[");
    while (kd_members_next(&members)) {
        uint32_t id = kd_plan_child(keep->plan, node, &members);
        if (!id) {
            members.pos = kd_scan_value(members.value, end);
            continue;
        }
        size_t len = keep->out->len;
        bool found = false;
        put_lead(keep, &members, n_written);
        size_t value_at = keep->out->len;
        members.pos = keep_value(keep, &keep->plan->nodes[id], members.value, end, &found);
        if (!found && id != node->wild && kd_plan_is_marked(&keep->marks, id)) {
            found = true; /* the key came before with a match, which counts no more */
            keep->out->len = value_at;
            put_text(keep, "null");
        }
        if (found) {
            kd_plan_mark(&keep->marks, id);
            n_written = members.object ? n_written + 1 : members.n;
        } else {
            keep->out->len = len;
        }
    }
    put_text(keep, members.object ? "}" : "]");
    keep->found = n_written > 0;
    return members.pos;
}

int kd_json_plan_keep(const struct kd_json_plan *plan, struct kd_value root, struct kd_buf *out)
{
    KD_CHECK(plan, KD_PLAN_MAGIC);
    size_t len = out->len;
    struct keep keep = { .plan = plan, .out = out };
    if (kd_plan_opens(root.ptr, root.ptr + root.len)) {
        (void)keep_container(&keep, &plan->nodes[0], root.ptr, root.ptr + root.len);
    } else {
        put_text(&keep, "null");
    }
    return undo_on_failure(out, len, keep.rc);
}
