/* The host's default resource, and the parts that convert puts in its place. */
#include "base/str.h"
#include "controller/run.h"

struct conversion {
    struct kd_run *run;
    struct kd_put *put;
};

/* Every part is a JSON object; the text is copied, since the caller's memory is its own. */
static int32_t set_part(struct kd_resource *res, struct kd_str json, struct kd_str *part)
{
    const struct conversion *conversion = res->host;
    struct kd_value value;
    KD_TRY(kd_json_parse(json, &value, NULL));
    KD_ENSURE(value.type == KD_JSON_OBJECT, KD_EPARSE);
    struct kd_str copy =
        kd_arena_copy(&conversion->run->scratch->arena, (struct kd_str){ value.ptr, value.len });
    KD_ENSURE(copy.ptr, KD_ENOMEM);
    *part = copy;
    return 0;
}

static int32_t set_labels(struct kd_resource *res, struct kd_str json)
{
    const struct conversion *conversion = res->host;
    return set_part(res, json, &conversion->put->labels);
}

static int32_t set_annotations(struct kd_resource *res, struct kd_str json)
{
    const struct conversion *conversion = res->host;
    return set_part(res, json, &conversion->put->annotations);
}

static int32_t set_data(struct kd_resource *res, struct kd_str json)
{
    const struct conversion *conversion = res->host;
    return set_part(res, json, &conversion->put->data);
}

static const struct kd_resource_ops resource_ops = {
    .struct_size = sizeof(resource_ops),
    .set_labels = set_labels,
    .set_annotations = set_annotations,
    .set_data = set_data,
};

static struct kd_str text_of(struct kd_value value)
{
    return (struct kd_str){ value.ptr, value.type == KD_JSON_OBJECT ? value.len : 0 };
}

int kd_run_convert(struct kd_run *run, const struct kd_object *object, struct kd_put *put)
{
    const struct kd_instance_kind *kind = run->controller->kind;
    put->version_text = object->resource_version;
    put->labels = text_of(object->labels);
    put->annotations = text_of(object->annotations);
    if (kd_rfc3339_parse(kd_value_str(object, object->created), &put->created_ns) < 0) {
        put->created_ns = 0; /* unknown */
    }
    if (!kind->def.convert) {
        return 0;
    }
    struct conversion conversion = { run, put };
    struct kd_resource resource = { &resource_ops, &conversion };
    return kd_run_check(run, "convert",
                        kind->def.convert(kind->instance->self, &run->ctx, object, &resource));
}
