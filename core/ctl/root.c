#include "ctl/root.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/places.h"
#include "ctl/resources.h"

#define REFERENCE_MAX (64 * KD_KIB)

struct root {
    const char *ns; /* NULL: any */
    struct kd_buf reference;
    struct kd_ctl_places places;
    struct kd_arena arena;
};

/* "Kind.group/namespace/name"; for the core group "Kind.", so that no other group answers. */
static void put_reference(struct kd_buf *out, const struct kd_ref *ref)
{
    (void)kd_buf_printf(out, KD_STR_FMT "." KD_STR_FMT "/" KD_STR_FMT "/" KD_STR_FMT, /* has room */
                        KD_STR_ARG(ref->kind), KD_STR_ARG(ref->group), KD_STR_ARG(ref->ns),
                        KD_STR_ARG(ref->name));
}

/* A namespace beside an object of cluster scope is passed over, as everywhere. */
static int on_candidate(void *arg, struct kd_value item, struct kd_error *reterr)
{
    struct root *root = arg;
    (void)reterr;
    kd_arena_reset(&root->arena, 64 * KD_KIB);
    struct kd_ref ref = kd_ctl_ref_of(item, "ref", &root->arena);
    if (ref.ns.len == 0 || !root->ns || kd_str_is(ref.ns, root->ns)) {
        kd_buf_clear(&root->reference, REFERENCE_MAX);
        put_reference(&root->reference, &ref);
        kd_ctl_places_add(&root->places, &ref);
    }
    return 0;
}

static int find_root(struct kd_ctl_session *session, struct root *root,
                     const struct kd_ctl_place *place, struct kd_error *reterr)
{
    const struct kd_ctl_query query = { .kind = place->kind, .name = place->name };
    KD_TRY(kd_ctl_resources(session, &query, on_candidate, root, reterr));
    if (root->places.n == 0) {
        return kd_fail(reterr, KD_ENOENT, "no %s \"%s\" is in the graph%s%s", place->kind,
                       place->name, root->ns && root->ns[0] ? ", in namespace " : "",
                       root->ns ? root->ns : "");
    }
    return kd_ctl_places_check(&root->places, place->kind, place->name, reterr);
}

int kd_ctl_root_add(struct kd_ctl_session *session, struct kd_buf *target, const char *param,
                    const struct kd_ctl_place *place, struct kd_error *reterr)
{
    struct root root = { .ns = place->ns };
    kd_buf_init(&root.reference, REFERENCE_MAX);
    kd_ctl_places_init(&root.places);
    kd_arena_init(&root.arena, KD_MAX_SCRATCH);
    int rc = find_root(session, &root, place, reterr);
    if (rc == 0) {
        kd_ctl_query_add(target, param, root.reference.ptr);
    }
    kd_buf_release(&root.reference);
    kd_ctl_places_release(&root.places);
    kd_arena_release(&root.arena);
    return rc;
}
