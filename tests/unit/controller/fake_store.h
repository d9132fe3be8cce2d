/* A store that remembers what it was told; fake_store_calls.h puts it in the real one's place. */
#ifndef KD_UNIT_CONTROLLER_FAKE_STORE_H
#define KD_UNIT_CONTROLLER_FAKE_STORE_H

#include "base/alloc.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "store/store.h"

#include <pthread.h>

struct told {
    struct told *next;
    char *key; /* "Kind ns/name" */
    char *instance;
    char *text; /* the resource's parts and its relations, one a line */
    char *version;
    char *uid;
    int64_t created_ns;
    bool owner;
    size_t n_relations;
};

struct fake_store {
    pthread_mutex_t lock; /* guards all below */
    struct told *items;
    uint64_t puts, removes;
    int fail_with;  /* answer of put and remove, when not 0 */
    int64_t number; /* the one that it keeps */
    bool has_number;
};

static inline char *told_key(const struct kd_ref *ref)
{
    return kd_asprintf(KD_STR_FMT " " KD_STR_FMT "/" KD_STR_FMT, KD_STR_ARG(ref->kind),
                       KD_STR_ARG(ref->ns), KD_STR_ARG(ref->name));
}

static inline struct told *told_free(struct told *told)
{
    struct told *next = told->next;
    kd_free(told->key);
    kd_free(told->instance);
    kd_free(told->text);
    kd_free(told->version);
    kd_free(told->uid);
    kd_free(told);
    return next;
}

static inline void put_ref(struct kd_buf *out, const struct kd_ref *ref)
{
    (void)kd_buf_printf(
        out, KD_STR_FMT "." KD_STR_FMT "." KD_STR_FMT "/" KD_STR_FMT "/" KD_STR_FMT "#" KD_STR_FMT,
        KD_STR_ARG(ref->kind), KD_STR_ARG(ref->version), KD_STR_ARG(ref->group),
        KD_STR_ARG(ref->ns), KD_STR_ARG(ref->name), KD_STR_ARG(ref->uid));
}

static inline void put_relation(struct kd_buf *out, const struct kd_relation *relation)
{
    (void)kd_buf_put_str(out, relation->type);
    for (uint32_t i = 0; i < relation->n_attrs; i++) {
        const struct kd_attr *attr = &relation->attrs[i];
        (void)kd_buf_printf(out, " " KD_STR_FMT "=", KD_STR_ARG(attr->key));
        if (attr->type == KD_ATTR_STRING) {
            (void)kd_buf_put_str(out, attr->text);
        } else {
            (void)kd_buf_printf(out, "%lld", (long long)attr->number);
        }
    }
    (void)kd_buf_puts(out, ": ");
    put_ref(out, &relation->subject);
    (void)kd_buf_puts(out, " -> ");
    put_ref(out, &relation->object);
    (void)kd_buf_puts(out, "\n");
}

static inline char *told_text(const struct kd_put *put)
{
    struct kd_buf out;
    kd_buf_init(&out, 64 * KD_MIB);
    if (put->owner) {
        (void)kd_buf_printf(
            &out, "labels " KD_STR_FMT " annotations " KD_STR_FMT " data " KD_STR_FMT "\n",
            KD_STR_ARG(put->labels), KD_STR_ARG(put->annotations), KD_STR_ARG(put->data));
    }
    for (size_t i = 0; i < put->n_relations; i++) {
        put_relation(&out, &put->relations[i]);
    }
    return kd_buf_steal(&out);
}

/* Takes the key's entry out; NULL when there is none. */
static inline struct told *told_take_locked(struct fake_store *store, const char *key)
{
    struct told **link = &store->items;
    while (*link && strcmp((*link)->key, key) != 0) {
        link = &(*link)->next;
    }
    struct told *told = *link;
    if (told) {
        *link = told->next;
        told->next = NULL;
    }
    return told;
}

/* Something that an instance of an earlier process has left. */
static inline void store_leave_all(struct fake_store *store, const char *key, const char *instance,
                                   const char *uid, const char *version)
{
    struct told *told = kd_zalloc(sizeof(*told));
    told->key = kd_strdup(key);
    told->instance = kd_strdup(instance);
    told->text = kd_strdup("left");
    told->version = kd_strdup(version);
    told->uid = kd_strdup(uid);
    pthread_mutex_lock(&store->lock);
    told->next = store->items;
    store->items = told;
    pthread_mutex_unlock(&store->lock);
}

static inline void store_leave(struct fake_store *store, const char *key)
{
    store_leave_all(store, key, "another", "", "1");
}

static inline void store_leave_version(struct fake_store *store, const char *key, const char *uid,
                                       const char *version)
{
    store_leave_all(store, key, "another", uid, version);
}

static inline void store_leave_by(struct fake_store *store, const char *key, const char *instance)
{
    store_leave_all(store, key, instance, "", "1");
}

static inline int64_t store_number(struct fake_store *store)
{
    pthread_mutex_lock(&store->lock);
    int64_t number = store->number;
    pthread_mutex_unlock(&store->lock);
    return number;
}

static inline void store_release(struct fake_store *store)
{
    while (store->items) {
        store->items = told_free(store->items);
    }
    pthread_mutex_destroy(&store->lock);
}

/* The entry's version or text, copied, "" when the key is not there. The caller frees. */
static inline char *store_look(struct fake_store *store, const char *key, bool version)
{
    char *found = NULL;
    pthread_mutex_lock(&store->lock);
    for (struct told *told = store->items; told && !found; told = told->next) {
        if (strcmp(told->key, key) == 0) {
            found = kd_strdup(version ? told->version : told->text);
        }
    }
    pthread_mutex_unlock(&store->lock);
    return found ? found : kd_strdup("");
}

static inline uint64_t store_puts(struct fake_store *store)
{
    pthread_mutex_lock(&store->lock);
    uint64_t puts = store->puts;
    pthread_mutex_unlock(&store->lock);
    return puts;
}

static inline bool store_has(struct fake_store *store, const char *key)
{
    bool has = false;
    pthread_mutex_lock(&store->lock);
    for (struct told *told = store->items; told && !has; told = told->next) {
        has = strcmp(told->key, key) == 0;
    }
    pthread_mutex_unlock(&store->lock);
    return has;
}

#endif
