#include "plugin/object.h"

#include "plugin/fields.h"

struct bound {
    struct kd_object object;
    struct kd_arena *arena;
    struct kd_value *slots; /* fixed metadata first, then the kind's fields */
    uint64_t n_fields;
};

static void op_field(const struct kd_object *obj, uint32_t field, struct kd_value *ret)
{
    const struct bound *bound = (const struct bound *)(const void *)obj;
    if (field < bound->n_fields) {
        *ret = bound->slots[KD_FIXED_FIELDS + field];
    } else {
        *ret = (struct kd_value){ 0 };
    }
}

static void op_member(const struct kd_object *obj, const struct kd_value *value, struct kd_str key,
                      struct kd_value *ret)
{
    (void)obj;
    if (!kd_json_get(*value, key, ret)) {
        *ret = (struct kd_value){ 0 };
    }
}

static void op_string(const struct kd_object *obj, const struct kd_value *value, struct kd_str *ret)
{
    const struct bound *bound = (const struct bound *)(const void *)obj;
    struct kd_str text = { NULL, 0 };
    if (value->type == KD_JSON_STRING && kd_json_string(*value, bound->arena, &text) < 0) {
        text = (struct kd_str){ NULL, 0 }; /* no scratch memory left reads as empty */
    }
    *ret = text;
}

static uint32_t op_integer(const struct kd_value *value, int64_t *ret)
{
    return kd_json_int(*value, ret) == 0;
}

static void op_iter_init(struct kd_iter *iter, const struct kd_value *value)
{
    kd_json_iter_init(iter, *value);
}

static uint32_t op_iter_next(struct kd_iter *iter, struct kd_value *ret_key,
                             struct kd_value *ret_value)
{
    return kd_json_iter_next(iter, ret_key, ret_value);
}

static const struct kd_object_ops object_ops = {
    .struct_size = sizeof(struct kd_object_ops),
    .field = op_field,
    .member = op_member,
    .string = op_string,
    .integer = op_integer,
    .iter_init = op_iter_init,
    .iter_next = op_iter_next,
};

static struct kd_str slot_text(const struct bound *bound, enum kd_fixed_field field)
{
    struct kd_str text;
    op_string(&bound->object, &bound->slots[field], &text);
    return text;
}

static struct kd_value slot_of_type(const struct bound *bound, enum kd_fixed_field field,
                                    uint32_t type)
{
    struct kd_value value = bound->slots[field];
    return value.type == type ? value : (struct kd_value){ 0 };
}

static void fill_head(struct bound *bound, const struct kd_kind *def, struct kd_value root)
{
    struct kd_object *object = &bound->object;
    object->ops = &object_ops;
    object->root = root;
    object->ref = (struct kd_ref){
        .group = kd_cstr(def->group),
        .version = kd_cstr(def->version),
        .kind = kd_cstr(def->kind),
        .ns = slot_text(bound, KD_FIXED_NAMESPACE),
        .name = slot_text(bound, KD_FIXED_NAME),
        .uid = slot_text(bound, KD_FIXED_UID),
    };
    object->resource_version = slot_text(bound, KD_FIXED_VERSION);
    object->labels = slot_of_type(bound, KD_FIXED_LABELS, KD_JSON_OBJECT);
    object->annotations = slot_of_type(bound, KD_FIXED_ANNOTATIONS, KD_JSON_OBJECT);
    object->owners = slot_of_type(bound, KD_FIXED_OWNERS, KD_JSON_ARRAY);
    object->created = bound->slots[KD_FIXED_CREATED];
}

int kd_object_bind(const struct kd_instance_kind *kind, struct kd_str json, struct kd_arena *arena,
                   struct kd_object **ret, struct kd_error *reterr)
{
    struct kd_value root;
    KD_TRY(kd_json_parse(json, &root, reterr));
    return kd_object_bind_value(kind, root, arena, ret, reterr);
}

int kd_object_bind_value(const struct kd_instance_kind *kind, struct kd_value root,
                         struct kd_arena *arena, struct kd_object **ret, struct kd_error *reterr)
{
    if (root.type != KD_JSON_OBJECT) {
        return kd_fail(reterr, KD_EPARSE, "the object is no JSON object");
    }
    size_t n = kd_json_plan_size(kind->fields);
    struct bound *bound = kd_arena_alloc(arena, sizeof(*bound));
    struct kd_value *slots = kd_arena_alloc(arena, n * sizeof(*slots));
    if (!bound || !slots) {
        return kd_fail(reterr, KD_ENOMEM, "no scratch memory for the object's fields");
    }
    *bound = (struct bound){ .arena = arena, .slots = slots, .n_fields = n - KD_FIXED_FIELDS };
    kd_json_plan_run(kind->fields, root, slots);
    fill_head(bound, &kind->def, root);
    if (bound->object.ref.name.len == 0) {
        return kd_fail(reterr, KD_EPARSE, "the object has no metadata.name");
    }
    *ret = &bound->object;
    return 0;
}
