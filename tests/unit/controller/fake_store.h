/*
 * A store that remembers what it was told, in place of the real one: it defines the functions that a
 * controller calls, so the linker takes these.
 */
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
    int64_t created_ns;
    bool owner;
    size_t n_relations;
};

struct kd_store {
    pthread_mutex_t lock; /* guards all below */
    struct told *items;
    uint64_t puts, removes;
    int fail_with; /* answer of put and remove, when not 0 */
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
    kd_free(told);
    return next;
}

static inline void put_ref(struct kd_buf *out, const struct kd_ref *ref)
{
    (void)kd_buf_printf(out, KD_STR_FMT "." KD_STR_FMT "." KD_STR_FMT "/" KD_STR_FMT "/" KD_STR_FMT
                        "#" KD_STR_FMT, KD_STR_ARG(ref->kind), KD_STR_ARG(ref->version),
                        KD_STR_ARG(ref->group), KD_STR_ARG(ref->ns), KD_STR_ARG(ref->name),
                        KD_STR_ARG(ref->uid));
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
        (void)kd_buf_printf(&out, "labels " KD_STR_FMT " annotations " KD_STR_FMT " data "
                            KD_STR_FMT "\n", KD_STR_ARG(put->labels),
                            KD_STR_ARG(put->annotations), KD_STR_ARG(put->data));
    }
    for (size_t i = 0; i < put->n_relations; i++) {
        put_relation(&out, &put->relations[i]);
    }
    return kd_buf_steal(&out);
}

/* Takes the key's entry out; NULL when there is none. */
static inline struct told *told_take_locked(struct kd_store *store, const char *key)
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

int kd_store_put(struct kd_store *store, const struct kd_put *put)
{
    struct told *told = kd_zalloc(sizeof(*told));
    told->key = told_key(&put->ref);
    told->instance = kd_str_dup(put->instance);
    told->text = told_text(put);
    told->version = kd_str_dup(put->version_text);
    told->created_ns = put->created_ns;
    told->owner = put->owner;
    told->n_relations = put->n_relations;
    pthread_mutex_lock(&store->lock);
    int rc = store->fail_with;
    struct told *old = rc ? NULL : told_take_locked(store, told->key);
    if (rc == 0) {
        told->next = store->items;
        store->items = told;
        store->puts++;
    }
    pthread_mutex_unlock(&store->lock);
    if (old) {
        told_free(old);
    }
    if (rc) {
        told_free(told);
    }
    return rc;
}

int kd_store_remove(struct kd_store *store, const struct kd_ref *ref)
{
    KD_AUTO_FREE char *key = told_key(ref);
    pthread_mutex_lock(&store->lock);
    int rc = store->fail_with;
    struct told *old = rc ? NULL : told_take_locked(store, key);
    store->removes += rc == 0;
    pthread_mutex_unlock(&store->lock);
    if (old) {
        told_free(old);
    }
    return rc;
}

/* The entries stay while this runs: the tests let no worker put at the same time. */
int kd_store_each_key(struct kd_store *store, const char *group, const char *kind,
                      int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str version_text),
                      void *arg)
{
    int rc = 0;
    (void)group;
    pthread_mutex_lock(&store->lock);
    for (struct told *told = store->items; told && rc == 0; told = told->next) {
        struct kd_str rest = kd_str_from(told->key);
        struct kd_ref ref = { .kind = kd_str_cut(&rest, ' ') };
        ref.ns = kd_str_cut(&rest, '/');
        ref.name = rest;
        if (kd_str_is(ref.kind, kind)) {
            rc = fn(arg, &ref, kd_str_from(told->version));
        }
    }
    pthread_mutex_unlock(&store->lock);
    return rc;
}

uint64_t kd_store_count(struct kd_store *store, const char *group, const char *kind)
{
    uint64_t n = 0;
    (void)group;
    pthread_mutex_lock(&store->lock);
    for (struct told *told = store->items; told; told = told->next) {
        struct kd_str rest = kd_str_from(told->key);
        n += kd_str_is(kd_str_cut(&rest, ' '), kind);
    }
    pthread_mutex_unlock(&store->lock);
    return n;
}

/* Something that an earlier process has left. */
static inline void store_leave(struct kd_store *store, const char *key)
{
    struct told *told = kd_zalloc(sizeof(*told));
    told->key = kd_strdup(key);
    told->instance = kd_strdup("");
    told->text = kd_strdup("");
    told->version = kd_strdup("1");
    pthread_mutex_lock(&store->lock);
    told->next = store->items;
    store->items = told;
    pthread_mutex_unlock(&store->lock);
}

static inline void store_release(struct kd_store *store)
{
    while (store->items) {
        store->items = told_free(store->items);
    }
    pthread_mutex_destroy(&store->lock);
}

/* The entry's version or text, copied, "" when the key is not there. The caller frees. */
static inline char *store_look(struct kd_store *store, const char *key, bool version)
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

static inline bool store_has(struct kd_store *store, const char *key)
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
