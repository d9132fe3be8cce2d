/* What the rules of an entry find in an object. */
#include "custom.h"

#define DEEPEST 16 /* "*" in one path */

/* One object, one rule. */
struct finding {
    const struct custom_rule *rule;
    const struct kd_object *obj;
    struct kd_relations *out;
};

static struct kd_str member(const struct finding *at, struct kd_value value, struct kd_str key)
{
    return kd_value_member_str(at->obj, value, key);
}

/* "apps/v1" into group and version. */
static void read_api_version(struct kd_ref *ref, struct kd_str text)
{
    const char *slash = text.len ? __builtin_memchr(text.ptr, '/', text.len) : 0;
    ref->version = text;
    if (slash) {
        ref->group = (struct kd_str){ text.ptr, (uint64_t)(slash - text.ptr) };
        ref->version = (struct kd_str){ slash + 1, text.len - ref->group.len - 1 };
    }
}

/* The rule leaves the kind to the value: apiVersion, or apiGroup where only the group is said. */
static void read_kind(const struct finding *at, struct kd_value value, struct kd_ref *ref)
{
    struct kd_str api = member(at, value, KD_STR("apiVersion"));
    struct kd_str group = member(at, value, KD_STR("apiGroup"));
    ref->kind = member(at, value, KD_STR("kind"));
    read_api_version(ref, api);
    if (api.len == 0) {
        ref->group = group.len ? group : member(at, value, KD_STR("group"));
    }
}

/* A text is the name; an object says it in its member `name`. */
static int32_t relate_value(const struct finding *at, struct kd_value value)
{
    const struct custom_rule *rule = at->rule;
    struct kd_ref ref = { .ns = at->obj->ref.ns };
    if (rule->kind) {
        ref = kd_ref_named(rule->group, rule->version, rule->kind, at->obj->ref.ns, ref.uid);
    } else {
        read_kind(at, value, &ref);
    }
    ref.name = value.type == KD_JSON_STRING ? kd_value_str(at->obj, value)
                                            : member(at, value, KD_STR("name"));
    if (rule->scope == CUSTOM_SCOPE_NONE) {
        ref.ns = (struct kd_str){ 0, 0 };
    } else if (rule->scope == CUSTOM_SCOPE_FIELD) {
        struct kd_str ns = member(at, value, rule->member);
        ref.ns = ns.len ? ns : ref.ns;
    }
    return ref.name.len && ref.kind.len ? kd_relations_link(at->out, rule->type, ref) : 0;
}

static struct kd_str cut(struct kd_str *path)
{
    const char *slash = path->len ? __builtin_memchr(path->ptr, '/', path->len) : 0;
    struct kd_str head = { path->ptr, slash ? (uint64_t)(slash - path->ptr) : path->len };
    uint64_t used = slash ? head.len + 1 : head.len;
    *path = (struct kd_str){ path->ptr + used, path->len - used };
    return head;
}

/* Follows members up to the next "*" or the end. Returns whether a "*" is next, which it takes. */
static int descend(const struct finding *at, struct kd_str *path, struct kd_value *value)
{
    while (path->len) {
        struct kd_str segment = cut(path);
        if (segment.len == 1 && segment.ptr[0] == '*') {
            return 1;
        }
        *value = kd_value_member(at->obj, *value, segment);
    }
    return 0;
}

/* A walk for each "*" under way, instead of a call for each. */
static int32_t relate_field(const struct finding *at, struct kd_value value)
{
    struct kd_iter walks[DEEPEST];
    struct kd_str paths[DEEPEST];
    struct kd_str path = at->rule->rest;
    uint32_t depth = 0;
    for (;;) {
        if (descend(at, &path, &value) && depth < DEEPEST) {
            walks[depth] = kd_value_iter(at->obj, value);
            paths[depth++] = path;
        } else {
            int32_t rc = relate_value(at, value);
            if (rc < 0) {
                return rc;
            }
        }
        while (depth && !kd_iter_next(at->obj, &walks[depth - 1], &value)) {
            depth--;
        }
        if (!depth) {
            return 0;
        }
        path = paths[depth - 1];
    }
}

int32_t custom_relate(void *self, struct kd_ctx *ctx, const struct kd_object *obj,
                      struct kd_relations *out)
{
    const struct custom *custom = self;
    int32_t rc = 0;
    (void)ctx;
    for (uint32_t i = 0; rc == 0 && i < custom->n_rules; i++) {
        struct finding at = { &custom->rules[i], obj, out };
        rc = relate_field(&at, kd_object_value(obj, i));
    }
    return rc;
}
