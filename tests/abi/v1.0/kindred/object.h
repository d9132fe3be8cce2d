/*
 * Reading an object in place. A kd_object is one Kubernetes object as the API server sent it,
 * without managedFields. Its text lies decompressed in the worker's scratch memory; a read neither
 * builds a tree nor allocates, but for a string that holds escapes, which is decoded into scratch.
 *
 * Ownership: everything read from an object is borrowed and valid until the callback that received
 * the object returns.
 * Thread: the one that received the object. Nothing here blocks.
 * Errors: a field that is missing or of another type reads as empty, zero or the fallback; a bad
 * object never fails a read.
 */
#ifndef KINDRED_OBJECT_H
#define KINDRED_OBJECT_H

#include <kindred/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kd_object;

/* Walks the elements of an array or the members of an object, in text order. Opaque. */
struct kd_iter {
    const char *pos;
    const char *end;
    uint64_t opaque[2];
};

/* The host's table of readers. Append only; struct_size tells how much of it the host has. */
struct kd_object_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* The value of declared field number `field`; type KD_JSON_NONE when it is not there. */
    void (*field)(const struct kd_object *obj, uint32_t field, struct kd_value *ret);
    /* Member `key` of an object value; KD_JSON_NONE when absent or when value is no object. */
    void (*member)(const struct kd_object *obj, const struct kd_value *value, struct kd_str key,
                   struct kd_value *ret);
    /* Decoded text of a string value; empty for any other type. */
    void (*string)(const struct kd_object *obj, const struct kd_value *value, struct kd_str *ret);
    /* Integer of a number value: 1 and *ret set when it is a whole number that fits, else 0. */
    uint32_t (*integer)(const struct kd_value *value, int64_t *ret);
    /* Starts a walk over an array or object; any other type gives an empty walk. */
    void (*iter_init)(struct kd_iter *iter, const struct kd_value *value);
    /* Next element: 1 and *ret_value (for an object also *ret_key, a string value) set, else 0. */
    uint32_t (*iter_next)(struct kd_iter *iter, struct kd_value *ret_key,
                          struct kd_value *ret_value);
};

struct kd_object {
    const struct kd_object_ops *ops;
    struct kd_ref ref; /* group, version and kind of the kind; ns, name and uid of the object */
    struct kd_str resource_version;
    struct kd_value root;        /* the whole object */
    struct kd_value labels;      /* /metadata/labels, an object or KD_JSON_NONE */
    struct kd_value annotations; /* /metadata/annotations */
    struct kd_value owners;      /* /metadata/ownerReferences, an array or KD_JSON_NONE */
    struct kd_value created;     /* /metadata/creationTimestamp */
    void *host;                  /* the host's own */
};

/* The value of field number `field` of the kind's `fields`. */
static inline struct kd_value kd_object_value(const struct kd_object *obj, uint32_t field)
{
    struct kd_value value;
    obj->ops->field(obj, field, &value);
    return value;
}

/* Decoded text of `value`, empty when it is no string. */
static inline struct kd_str kd_value_str(const struct kd_object *obj, struct kd_value value)
{
    struct kd_str text;
    obj->ops->string(obj, &value, &text);
    return text;
}

/* Decoded text of field number `field`, empty when it is missing or no string. */
static inline struct kd_str kd_object_str(const struct kd_object *obj, uint32_t field)
{
    return kd_value_str(obj, kd_object_value(obj, field));
}

/* Member `key` of an object value, KD_JSON_NONE when it is not there. */
static inline struct kd_value kd_value_member(const struct kd_object *obj, struct kd_value value,
                                              struct kd_str key)
{
    struct kd_value member;
    obj->ops->member(obj, &value, key, &member);
    return member;
}

/* Text of member `key` of an object value, empty when it is not there or no string. */
static inline struct kd_str kd_value_member_str(const struct kd_object *obj, struct kd_value value,
                                                struct kd_str key)
{
    return kd_value_str(obj, kd_value_member(obj, value, key));
}

/* Whole number of `value`, or `fallback`. */
static inline int64_t kd_value_int(const struct kd_object *obj, struct kd_value value,
                                   int64_t fallback)
{
    int64_t number;
    return obj->ops->integer(&value, &number) ? number : fallback;
}

/* 1 for true, 0 for false, `fallback` for anything else. */
static inline uint32_t kd_value_bool(struct kd_value value, uint32_t fallback)
{
    return value.type == KD_JSON_BOOL ? (uint32_t)(value.ptr[0] == 't') : fallback;
}

/* Starts a walk over the elements of an array or the members of an object. */
static inline struct kd_iter kd_value_iter(const struct kd_object *obj, struct kd_value value)
{
    struct kd_iter iter;
    obj->ops->iter_init(&iter, &value);
    return iter;
}

/* Next element of an array: 1 and *ret set, 0 at the end. */
static inline uint32_t kd_iter_next(const struct kd_object *obj, struct kd_iter *iter,
                                    struct kd_value *ret)
{
    struct kd_value key;
    return obj->ops->iter_next(iter, &key, ret);
}

/* Next member of an object: 1, the decoded key and the value set, 0 at the end. */
static inline uint32_t kd_iter_next_member(const struct kd_object *obj, struct kd_iter *iter,
                                           struct kd_str *ret_key, struct kd_value *ret)
{
    struct kd_value key;
    if (!obj->ops->iter_next(iter, &key, ret)) {
        return 0;
    }
    *ret_key = kd_value_str(obj, key);
    return 1;
}

#ifdef __cplusplus
}
#endif

#endif
