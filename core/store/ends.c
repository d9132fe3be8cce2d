#include "store/ends.h"

#include "base/str.h"

int kd_end_ref(struct kd_reader *reader, const struct kd_end *end, struct kd_arena *arena,
               struct kd_ref *ret)
{
    struct kd_kind_term *kind = NULL;
    struct kd_str version;
    KD_TRY(kd_terms_kind_by_id(&reader->terms, &reader->db, end->kind, &kind));
    KD_TRY(kd_terms_text(&reader->terms, &reader->db,
                         end->said_version ? end->said_version : end->version, &version));
    *ret = (struct kd_ref){
        .group = kd_arena_copy(arena, kind->group),
        .version = kd_arena_copy(arena, version),
        .kind = kd_arena_copy(arena, kind->name),
        .ns = kd_arena_copy(arena, end->ns),
        .name = kd_arena_copy(arena, end->name),
        .uid = kd_arena_copy(arena, end->said_uid.len ? end->said_uid : end->uid),
    };
    return ret->group.ptr && ret->version.ptr && ret->kind.ptr && ret->ns.ptr && ret->name.ptr &&
                   ret->uid.ptr
               ? 0
               : KD_ENOMEM;
}

bool kd_end_differs(const struct kd_end *end)
{
    return end->said_uid.len && end->uid.len && !kd_str_eq(end->said_uid, end->uid);
}
