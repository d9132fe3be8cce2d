/* Labels that an entry takes from fields. */
#include "custom.h"

#include <string.h>

/* JSON text under way; `to` has room for all of it. */
struct writing {
    char *to;
    uint64_t n;
};

static void put(struct writing *out, const char *text, uint64_t len)
{
    if (len) {
        memcpy(out->to + out->n, text, len);
        out->n += len;
    }
}

static int is_scalar(struct kd_value value)
{
    return value.type == KD_JSON_STRING || value.type == KD_JSON_NUMBER ||
           value.type == KD_JSON_BOOL;
}

/* A label that the object has by itself beats one that a field gives. */
static int is_given(const struct custom_label *label, const struct kd_object *obj,
                    struct kd_value value)
{
    return is_scalar(value) &&
           kd_value_member(obj, obj->labels, kd_cstr(label->key)).type == KD_JSON_NONE;
}

static void put_label(struct writing *out, const char *key, struct kd_value value)
{
    const char *quote = value.type == KD_JSON_STRING ? "" : "\"";
    if (out->n > 1) {
        put(out, ",", 1);
    }
    put(out, "\"", 1);
    put(out, key, strlen(key)); /* letters that need no escape */
    put(out, "\":", 2);
    put(out, quote, strlen(quote));
    put(out, value.ptr, value.len);
    put(out, quote, strlen(quote));
}

static uint64_t room_for(const struct custom *custom, const struct kd_object *obj)
{
    uint64_t room = obj->labels.len + 2;
    for (uint32_t i = 0; i < custom->n_labels; i++) {
        room += CUSTOM_TEXT + kd_object_value(obj, custom->n_rules + i).len;
    }
    return room;
}

/* The object's own labels without the bracket at their end. */
static void begin(struct writing *out, const struct kd_object *obj)
{
    struct kd_iter members = kd_value_iter(obj, obj->labels);
    struct kd_str key;
    struct kd_value value;
    put(out, "{", 1);
    if (kd_iter_next_member(obj, &members, &key, &value)) {
        put(out, obj->labels.ptr + 1, obj->labels.len - 2);
    }
}

int32_t custom_convert(void *self, struct kd_ctx *ctx, const struct kd_object *obj,
                       struct kd_resource *res)
{
    const struct custom *custom = self;
    struct writing out = { 0 };
    if (custom->n_labels == 0) {
        return 0;
    }
    out.to = kd_ctx_alloc(ctx, room_for(custom, obj));
    if (!out.to) {
        return KD_ENOMEM;
    }
    begin(&out, obj);
    for (uint32_t i = 0; i < custom->n_labels; i++) {
        struct kd_value value = kd_object_value(obj, custom->n_rules + i);
        if (is_given(&custom->labels[i], obj, value)) {
            put_label(&out, custom->labels[i].key, value);
        }
    }
    put(&out, "}", 1);
    return res->ops->set_labels(res, (struct kd_str){ out.to, out.n });
}
