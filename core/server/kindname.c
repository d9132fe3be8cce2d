#include "server/kindname.h"

#include "base/str.h"

static bool has_name(const struct kd_kind_row *row, struct kd_str name)
{
    bool found = kd_str_eq_nocase(row->kind, name) || kd_str_eq_nocase(row->resource, name);
    for (size_t i = 0; !found && i < row->n_short_names; i++) {
        found = kd_str_is(name, row->short_names[i]); /* as kubectl: case counts here alone */
    }
    return found;
}

/* "apps", or with the version in front, as kubectl takes it too: "v1.apps", "v1" for the core. */
static bool has_group(const struct kd_kind_row *row, struct kd_str group)
{
    if (!group.ptr || kd_str_eq(row->group, group)) {
        return true;
    }
    struct kd_str rest = group;
    struct kd_str version = kd_str_cut(&rest, '.');
    return kd_str_eq(row->version, version) && kd_str_eq(row->group, rest);
}

int kd_kind_find(const struct kd_context *context, struct kd_str text, struct kd_arena *arena,
                 struct kd_kind_name *ret)
{
    const struct kd_kind_row *rows;
    size_t n = context->source.kinds(context->source.arg, arena, &rows);
    struct kd_str group = text;
    struct kd_str name = kd_str_cut(&group, '.');
    for (size_t i = 0; i < n; i++) {
        if (has_group(&rows[i], group) && has_name(&rows[i], name)) {
            struct kd_str kind_copy = kd_arena_copy(arena, rows[i].kind);
            struct kd_str group_copy = kd_arena_copy(arena, rows[i].group);
            KD_ENSURE(kind_copy.ptr && group_copy.ptr, KD_ENOMEM);
            *ret = (struct kd_kind_name){ group_copy.ptr, kind_copy.ptr };
            return 0;
        }
    }
    return KD_ENOENT;
}

static int take_kind(const struct kd_context *context, struct kd_str text, struct kd_arena *arena,
                     struct kd_kind_name *ret)
{
    int rc = kd_kind_find(context, text, arena, ret);
    if (rc != KD_ENOENT) {
        return rc;
    }
    struct kd_str group = text;
    struct kd_str name = kd_str_cut(&group, '.');
    struct kd_str kind_copy = kd_arena_copy(arena, name);
    struct kd_str group_copy = kd_arena_copy(arena, group);
    KD_ENSURE(kind_copy.ptr && group_copy.ptr, KD_ENOMEM);
    *ret = (struct kd_kind_name){ group.ptr ? group_copy.ptr : NULL, kind_copy.ptr };
    return 0;
}

int kd_reference_parse(const struct kd_context *context, struct kd_str text, struct kd_arena *arena,
                       struct kd_match *ret, struct kd_error *reterr)
{
    struct kd_str rest = text;
    struct kd_str kind = kd_str_cut(&rest, '/');
    bool has_ns = rest.ptr != NULL;
    struct kd_str ns = kd_str_cut(&rest, '/');
    bool has_name = rest.ptr != NULL;
    struct kd_kind_name found;
    struct kd_str *parts = kd_arena_alloc(arena, 2 * sizeof(*parts));
    if (kind.len == 0 || !has_ns || !has_name || rest.len == 0 || memchr(rest.ptr, '/', rest.len)) {
        return kd_fail(reterr, KD_EINVAL,
                       "\"" KD_STR_FMT "\" is no reference: write Kind/namespace/name, or "
                       "Kind//name for cluster scope",
                       KD_STR_ARG(text));
    }
    if (!parts || take_kind(context, kind, arena, &found) < 0) {
        return kd_fail(reterr, KD_ENOMEM, "no memory for the query");
    }
    parts[0] = ns.len ? ns : (struct kd_str){ "", 0 };
    parts[1] = rest;
    *ret = (struct kd_match){
        .group = found.group, .kind = found.kind, .ns = &parts[0], .name = &parts[1]
    };
    return 0;
}
