/* OwnerReference relations, which the host makes for every kind that it keeps. */
#include "base/str.h"
#include "controller/run.h"

static const char owner_type[] = "OwnerReference";

struct owner {
    struct kd_str api_version, kind, name, uid;
};

static bool read_text(const struct kd_object *object, struct kd_value element, const char *key,
                      struct kd_str *ret)
{
    *ret = kd_value_member_str(object, element, kd_cstr(key));
    return ret->len > 0;
}

/* False for an element that is no proper reference; it is passed over. */
static bool read_owner(const struct kd_object *object, struct kd_value element, struct owner *ret)
{
    return read_text(object, element, "apiVersion", &ret->api_version) &&
           read_text(object, element, "kind", &ret->kind) &&
           read_text(object, element, "name", &ret->name) &&
           read_text(object, element, "uid", &ret->uid);
}

/* "apps/v1" is group and version, "v1" a version of the core group. */
static void split_api_version(struct kd_str api_version, struct kd_ref *ref)
{
    struct kd_str rest = api_version;
    struct kd_str first = kd_str_cut(&rest, '/');
    if (rest.ptr) {
        ref->group = first;
        ref->version = rest;
    } else {
        ref->version = first;
    }
}

/* An owner lives in its dependent's namespace, or in none. */
static struct kd_str namespace_of(const struct kd_controller *controller,
                                  const struct kd_ref *owner, struct kd_str dependent_ns)
{
    const struct kd_scopes *scopes = &controller->scopes;
    if (dependent_ns.len && scopes->is_cluster &&
        scopes->is_cluster(scopes->arg, owner->group, owner->kind) == 1) {
        return (struct kd_str){ NULL, 0 };
    }
    return dependent_ns;
}

static int add_owner(struct kd_run *run, const struct kd_object *object, const struct owner *owner)
{
    struct kd_ref subject = { .kind = owner->kind, .name = owner->name, .uid = owner->uid };
    split_api_version(owner->api_version, &subject);
    subject.ns = namespace_of(run->controller, &subject, object->ref.ns);
    const struct kd_attr attrs[] = {
        KD_ATTR("apiVersion", owner->api_version),
        KD_ATTR("kind", owner->kind),
        KD_ATTR("name", owner->name),
        KD_ATTR("uid", owner->uid),
    };
    struct kd_relation relation = { kd_cstr(owner_type), subject, object->ref, attrs,
                                    KD_ARRAY_LEN(attrs) };
    return kd_relation_set_add(&run->scratch->relations, &relation);
}

int kd_run_relate_owners(struct kd_run *run, const struct kd_object *object)
{
    struct kd_iter iter = kd_value_iter(object, object->owners);
    struct kd_value element;
    struct owner owner;
    while (kd_iter_next(object, &iter, &element)) {
        if (read_owner(object, element, &owner)) {
            KD_TRY(kd_run_check(run, owner_type, add_owner(run, object, &owner)));
        }
    }
    return 0;
}
