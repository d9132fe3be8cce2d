/*
 * The functions of the store that a controller calls, on the fake one. A test that includes this is
 * linked without the real store.
 */
#ifndef KD_UNIT_CONTROLLER_FAKE_STORE_CALLS_H
#define KD_UNIT_CONTROLLER_FAKE_STORE_CALLS_H

#include "unit/controller/fake_store.h"

int kd_store_put(struct kd_store *real, const struct kd_put *put)
{
    struct fake_store *store = (struct fake_store *)(void *)real;
    struct told *told = kd_zalloc(sizeof(*told));
    told->key = told_key(&put->ref);
    told->instance = kd_str_dup(put->instance);
    told->text = told_text(put);
    told->version = kd_str_dup(put->version_text);
    told->uid = kd_str_dup(put->ref.uid);
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

int kd_store_remove(struct kd_store *real, const struct kd_ref *ref)
{
    struct fake_store *store = (struct fake_store *)(void *)real;
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
int kd_store_each_key(struct kd_store *real, const char *group, const char *kind,
                      int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str version_text),
                      void *arg)
{
    struct fake_store *store = (struct fake_store *)(void *)real;
    int rc = 0;
    (void)group;
    pthread_mutex_lock(&store->lock);
    for (struct told *told = store->items; told && rc == 0; told = told->next) {
        struct kd_str rest = kd_str_from(told->key);
        struct kd_ref ref = { .kind = kd_str_cut(&rest, ' ') };
        ref.ns = kd_str_cut(&rest, '/');
        ref.name = rest;
        ref.uid = kd_str_from(told->uid);
        if (kd_str_is(ref.kind, kind)) {
            rc = fn(arg, &ref, kd_str_from(told->version));
        }
    }
    pthread_mutex_unlock(&store->lock);
    return rc;
}

int kd_store_get_number(struct kd_store *real, const char *name, int64_t *ret)
{
    struct fake_store *store = (struct fake_store *)(void *)real;
    (void)name;
    pthread_mutex_lock(&store->lock);
    *ret = store->number;
    bool known = store->has_number;
    pthread_mutex_unlock(&store->lock);
    return known ? 0 : KD_ENOENT;
}

int kd_store_set_number(struct kd_store *real, const char *name, int64_t number)
{
    struct fake_store *store = (struct fake_store *)(void *)real;
    (void)name;
    pthread_mutex_lock(&store->lock);
    store->number = number;
    store->has_number = true;
    pthread_mutex_unlock(&store->lock);
    return 0;
}

int kd_store_each_said(struct kd_store *real, const char *group, const char *kind,
                       const char *instance,
                       int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str version_text),
                       void *arg)
{
    struct fake_store *store = (struct fake_store *)(void *)real;
    int rc = 0;
    (void)group;
    pthread_mutex_lock(&store->lock);
    for (struct told *told = store->items; told && rc == 0; told = told->next) {
        struct kd_str rest = kd_str_from(told->key);
        struct kd_ref ref = { .kind = kd_str_cut(&rest, ' ') };
        ref.ns = kd_str_cut(&rest, '/');
        ref.name = rest;
        if (kd_str_is(ref.kind, kind) && strcmp(told->instance, instance) == 0) {
            rc = fn(arg, &ref, KD_STR(""));
        }
    }
    pthread_mutex_unlock(&store->lock);
    return rc;
}

uint64_t kd_store_count(struct kd_store *real, const char *group, const char *kind)
{
    struct fake_store *store = (struct fake_store *)(void *)real;
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

#endif
