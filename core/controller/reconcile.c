/* The host's own way for one key: missing: remove from the graph; else convert, relate, put. */
#include "controller/run.h"
#include "metrics/metrics.h"

static struct kd_ref ref_of(const struct kd_run *run)
{
    const struct kd_kind *def = &run->controller->kind->def;
    return (struct kd_ref){ .group = kd_cstr(def->group),
                            .version = kd_cstr(def->version),
                            .kind = kd_cstr(def->kind),
                            .ns = run->key.ns,
                            .name = run->key.name };
}

static int remove_object(struct kd_run *run)
{
    struct kd_controller *controller = run->controller;
    struct kd_ref ref = ref_of(run);
    if (!kd_controller_is_owner(controller)) {
        struct kd_put nothing = { .ref = ref,
                                  .instance = kd_cstr(controller->kind->instance->name) };
        return kd_run_check(run, "store", kd_store_put(controller->store, &nothing));
    }
    return kd_run_check(run, "store", kd_store_remove(controller->store, &ref));
}

static int relate(struct kd_run *run, const struct kd_object *object)
{
    const struct kd_instance_kind *kind = run->controller->kind;
    struct kd_relation_set *set = &run->scratch->relations;
    if (kind->def.relate) {
        struct kd_relations out;
        kd_relations_bind(&out, set, &object->ref);
        KD_TRY(kd_run_check(run, "relate",
                            kind->def.relate(kind->instance->self, &run->ctx, object, &out)));
    }
    if (kd_controller_is_owner(run->controller)) {
        KD_TRY(kd_run_relate_owners(run, object));
    }
    /* A part of the relations in place of all would look like the truth. */
    return kd_run_check(run, "relations", set->rc);
}

static int put_bound(struct kd_run *run, struct kd_record *record, const struct kd_object *object)
{
    struct kd_controller *controller = run->controller;
    struct kd_relation_set *set = &run->scratch->relations;
    struct kd_put put = { .ref = object->ref,
                          .instance = kd_cstr(controller->kind->instance->name),
                          .owner = kd_controller_is_owner(controller) };
    if (put.owner) {
        put.record = record;
        KD_TRY(kd_run_convert(run, object, &put));
    }
    KD_TRY(relate(run, object));
    put.relations = set->items;
    put.n_relations = set->n;
    return kd_run_check(run, "store", kd_store_put(controller->store, &put));
}

static int put_object(struct kd_run *run, struct kd_record *record)
{
    struct kd_object *object = NULL;
    int rc = kd_run_bind(run, record, &object);
    if (rc < 0) {
        return rc == KD_EPARSE ? KD_ETERMINAL : rc; /* another try reads the same text */
    }
    kd_relation_set_begin(&run->scratch->relations, &run->scratch->arena);
    rc = put_bound(run, record, object);
    kd_relation_set_end(&run->scratch->relations);
    return rc;
}

/* Shows the plugin the last state of what is gone. A failure that is not final keeps that state. */
static int tell_deleted(struct kd_run *run)
{
    struct kd_controller *controller = run->controller;
    const struct kd_instance_kind *kind = controller->kind;
    if (!kind->def.deleted) {
        return 0;
    }
    struct kd_tombstone *tombstone = kd_tombstones_take(&controller->tombstones, run->key);
    if (!tombstone) {
        return 0;
    }
    struct kd_object *object = NULL;
    int rc = kd_run_bind(run, tombstone->record, &object);
    if (rc < 0) {
        rc = KD_ETERMINAL; /* it cannot be shown, now or later */
    } else {
        rc = kd_run_check(
            run, "deleted",
            kind->def.deleted(kind->instance->self, &run->ctx, object, tombstone->flags));
    }
    if (rc < 0 && rc != KD_ETERMINAL) {
        kd_tombstones_put_back(&controller->tombstones, tombstone);
    } else {
        kd_tombstone_free(tombstone);
    }
    return rc;
}

static int bring_up_to_date(struct kd_run *run, struct kd_record *record, struct kd_result *result)
{
    const struct kd_instance_kind *kind = run->controller->kind;
    if (kind->def.reconcile) {
        return kd_run_check(
            run, "reconcile",
            kind->def.reconcile(kind->instance->self, &run->ctx, &run->key, result));
    }
    return record ? put_object(run, record) : remove_object(run);
}

int kd_run_reconcile(struct kd_run *run, struct kd_result *result)
{
    struct kd_record *record = kd_informer_get(run->controller->informer, run->key);
    int deleted_rc = tell_deleted(run);
    int rc = bring_up_to_date(run, record, result); /* the graph does not wait for `deleted` */
    kd_record_unref(record);
    if (rc == 0 || (rc == KD_ETERMINAL && deleted_rc < 0)) {
        return deleted_rc;
    }
    return rc;
}
