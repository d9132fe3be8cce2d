/*
 * What a plugin says about an object: relations, and for a kind of its own the resource. A relation
 * is (predicate type, subject, object, attributes). It belongs to the object that gave rise to it,
 * its origin: what one call of relate adds replaces what the same plugin instance added for that
 * object before, by difference.
 *
 * Ownership: arguments are borrowed for the call; the host copies what it keeps.
 * Thread: the worker that called relate or convert. Nothing here blocks.
 */
#ifndef KINDRED_RELATIONS_H
#define KINDRED_RELATIONS_H

#include <kindred/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KD_ATTR_STRING 0u
#define KD_ATTR_INT 1u
#define KD_ATTR_BOOL 2u
/*
 * As an attribute flag: not part of the relation's identity. The same relation from two origins is
 * one; such a boolean is true when any origin says so.
 */
#define KD_ATTR_ANY 1u

struct kd_attr {
    struct kd_str key;
    struct kd_str text; /* KD_ATTR_STRING */
    int64_t number;     /* KD_ATTR_INT, KD_ATTR_BOOL */
    uint32_t type;
    uint32_t flags;
};

#ifndef __cplusplus
#define KD_ATTR(key_lit, str)                                                                      \
    ((struct kd_attr){ KD_STR_INIT(key_lit), (str), 0, KD_ATTR_STRING, 0 })
#define KD_ATTR_NUM(key_lit, num)                                                                  \
    ((struct kd_attr){ KD_STR_INIT(key_lit), { 0, 0 }, (num), KD_ATTR_INT, 0 })
#define KD_ATTR_FLAG(key_lit, truth)                                                               \
    ((struct kd_attr){ KD_STR_INIT(key_lit), { 0, 0 }, (truth), KD_ATTR_BOOL, KD_ATTR_ANY })
#endif

/* Reference to a cluster-scoped object. Arguments but `name` are literals or NUL-terminated. */
static inline struct kd_str kd_cstr(const char *text)
{
    struct kd_str str = { text, text ? __builtin_strlen(text) : 0 };
    return str;
}

static inline struct kd_ref kd_ref_named(const char *group, const char *version, const char *kind,
                                         struct kd_str ns, struct kd_str name)
{
    struct kd_str none = { 0, 0 };
    struct kd_ref ref = { kd_cstr(group), kd_cstr(version), kd_cstr(kind), ns, name, none };
    return ref;
}

static inline struct kd_ref kd_ref_cluster(const char *group, const char *version, const char *kind,
                                           struct kd_str name)
{
    struct kd_str none = { 0, 0 };
    return kd_ref_named(group, version, kind, none, name);
}

struct kd_relations;

struct kd_relations_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /*
     * Adds one relation, which is copied; the same one twice in a call is one. 0; KD_EINVAL: type,
     * a kind, a name or the key of an attribute is empty, or a key is there twice; KD_ETOOBIG: past
     * the bound on attributes (64) or on relations of one object (100,000); KD_ENOMEM. After the
     * last two the run fails, whatever relate returns.
     */
    int32_t (*add)(struct kd_relations *out, struct kd_str type, const struct kd_ref *subject,
                   const struct kd_ref *object, const struct kd_attr *attrs, uint32_t n_attrs);
};

struct kd_relations {
    const struct kd_relations_ops *ops;
    struct kd_ref self; /* the object that relate was called for */
    void *host;
};

/* Adds subject -> object with attributes. */
static inline int32_t kd_relations_add_between(struct kd_relations *out, const char *type,
                                               struct kd_ref subject, struct kd_ref object,
                                               const struct kd_attr *attrs, uint32_t n_attrs)
{
    return out->ops->add(out, kd_cstr(type), &subject, &object, attrs, n_attrs);
}

/* Adds self -> object without attributes. */
static inline int32_t kd_relations_link(struct kd_relations *out, const char *type,
                                        struct kd_ref object)
{
    return out->ops->add(out, kd_cstr(type), &out->self, &object, 0, 0);
}

#ifndef __cplusplus
/* Adds self -> object with one or more attributes: KD_ATTR(...), KD_ATTR_NUM(...), ... */
#define kd_relations_add(out, type, object, ...)                                                   \
    kd_relations_add_between(                                                                      \
        (out), (type), (out)->self, (object), (const struct kd_attr[]){ __VA_ARGS__ },             \
        (uint32_t)(sizeof((const struct kd_attr[]){ __VA_ARGS__ }) / sizeof(struct kd_attr)))
#endif

struct kd_resource;

struct kd_resource_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /*
     * Each replaces one part by the given text, a JSON object, which is copied. 0; KD_EPARSE: it is
     * none; KD_ENOMEM: past the bound on scratch memory. After an error the part is as it was.
     */
    int32_t (*set_labels)(struct kd_resource *res, struct kd_str json);
    int32_t (*set_annotations)(struct kd_resource *res, struct kd_str json);
    int32_t (*set_data)(struct kd_resource *res, struct kd_str json);
};

/* A resource as convert receives it: the host's default is filled in, convert changes parts. */
struct kd_resource {
    const struct kd_resource_ops *ops;
    void *host;
};

#ifdef __cplusplus
}
#endif

#endif
