#include "informer/informer.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/reflector.h"

static void make_indexes(struct kd_informer *informer)
{
    const struct kd_informer_spec *spec = &informer->spec;
    struct kd_index_list *list = &informer->table.indexes;
    list->items = kd_zalloc_array(spec->n_indexes + 1, sizeof(struct kd_value_index));
    list->n = spec->n_indexes + 1;
    kd_index_init(&list->items[KD_INDEX_NAMESPACE], "namespace");
    for (size_t i = 0; i < spec->n_indexes; i++) {
        kd_index_init(&list->items[i + 1], spec->indexes[i].name);
    }
}

static void make_reflectors(struct kd_informer *informer)
{
    const struct kd_strlist *namespaces = &informer->spec.namespaces;
    size_t n = namespaces->n ? namespaces->n : 1;
    informer->reflectors = kd_zalloc_array(n, sizeof(struct kd_reflector *));
    informer->n_reflectors = n;
    for (size_t i = 0; i < n; i++) {
        informer->reflectors[i] =
            kd_reflector_new(informer, namespaces->n ? namespaces->items[i] : NULL);
    }
}

int kd_informer_new_in(const struct kd_informer_env *env, struct kd_metrics *metrics,
                       const struct kd_informer_spec *spec, struct kd_informer **ret,
                       struct kd_error *reterr)
{
    struct kd_informer *informer = kd_zalloc(sizeof(*informer));
    informer->magic = KD_INFORMER_MAGIC;
    informer->env = *env;
    kd_informer_spec_copy(&informer->spec, spec);
    int rc = kd_shape_init(&informer->shape, &informer->spec, reterr);
    if (rc < 0) {
        kd_shape_release(&informer->shape);
        kd_informer_spec_release(&informer->spec);
        kd_free(informer);
        return rc;
    }
    KD_ASSERT(pthread_mutex_init(&informer->status_lock, NULL) == 0);
    kd_scratch_init(&informer->scratch, &informer->shape);
    kd_rand_init(&informer->rand, env->seed);
    kd_table_init(&informer->table);
    make_indexes(informer);
    kd_status_metrics(informer, metrics);
    informer->handover = env->timer_new(env->arg, kd_subscriptions_handover, informer);
    informer->recoding = env->timer_new(env->arg, kd_recode_some, informer);
    make_reflectors(informer);
    kd_status_publish(informer);
    *ret = informer;
    return 0;
}

int kd_informer_new(struct kd_loop *loop, struct kd_client *client, struct kd_metrics *metrics,
                    const struct kd_informer_spec *spec, struct kd_informer **ret,
                    struct kd_error *reterr)
{
    struct kd_informer_env env;
    kd_informer_env_real(loop, client, &env);
    int rc = kd_informer_new_in(&env, metrics, spec, ret, reterr);
    if (rc < 0) {
        env.release(env.arg);
    }
    return rc;
}

void kd_informer_free(struct kd_informer *informer)
{
    if (!informer) {
        return;
    }
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    KD_ASSERT(informer->subscriptions == NULL);
    struct kd_informer_env env = informer->env;
    kd_training_cancel(informer);
    for (size_t i = 0; i < informer->n_reflectors; i++) {
        kd_reflector_free(informer->reflectors[i]);
    }
    kd_free(informer->reflectors);
    env.timer_free(env.arg, informer->handover);
    env.timer_free(env.arg, informer->recoding);
    kd_status_withdraw(informer);
    kd_table_release(&informer->table);
    kd_dict_unref(informer->dict);
    kd_scratch_release(&informer->scratch);
    kd_shape_release(&informer->shape);
    kd_informer_spec_release(&informer->spec);
    (void)pthread_mutex_destroy(&informer->status_lock);
    informer->magic = 0;
    kd_free(informer);
    if (env.release) {
        env.release(env.arg);
    }
}

const struct kd_informer_spec *kd_informer_spec_of(const struct kd_informer *informer)
{
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    return &informer->spec;
}

void kd_informer_start(struct kd_informer *informer)
{
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    const struct kd_informer_env *env = &informer->env;
    for (size_t i = 0; i < informer->n_reflectors; i++) {
        kd_reflector_start(informer->reflectors[i]);
    }
    kd_subscriptions_resume(informer); /* this and recoding go on where a stop broke them off */
    if (informer->dict) {
        env->timer_start(env->arg, informer->recoding, 0);
    }
    kd_status_publish(informer);
}

void kd_informer_stop(struct kd_informer *informer)
{
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    for (size_t i = 0; i < informer->n_reflectors; i++) {
        kd_reflector_stop(informer->reflectors[i]);
        informer->reflectors[i]->state = KD_INFORMER_DISABLED;
    }
    informer->env.timer_stop(informer->env.arg, informer->handover);
    informer->env.timer_stop(informer->env.arg, informer->recoding);
    kd_status_publish(informer);
}

void kd_informer_list_done(struct kd_informer *informer)
{
    kd_status_publish(informer);
    if (informer->ever_synced) {
        kd_subscriptions_listed(informer);
        return;
    }
    for (size_t i = 0; i < informer->n_reflectors; i++) {
        if (!informer->reflectors[i]->listed) {
            return;
        }
    }
    informer->ever_synced = true;
    kd_status_publish(informer);
    KD_INFO("kind synced", KD_F("kind", informer->spec.kind), KD_F("group", informer->spec.group),
            KD_FU("objects", informer->table.n));
    kd_subscriptions_synced(informer);
}

struct kd_record *kd_informer_get(const struct kd_informer *informer, struct kd_key key)
{
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    return kd_table_get(&informer->table, key);
}
