/* One run of a key on a worker: what callbacks of the plugin see, and where scratch comes from. */
#ifndef KD_CONTROLLER_RUN_H
#define KD_CONTROLLER_RUN_H

#include "controller/state.h"

#define KD_RUN_ID_MAX 17

struct kd_run {
    struct kd_ctx ctx; /* given to the plugin; its host is the run */
    struct kd_controller *controller;
    struct kd_key key;
    const struct kd_queue_item *item;
    uint64_t id; /* unique, in every log line of the run */
    struct kd_run_scratch *scratch;
    struct kd_error error; /* what failed, when something did */
};

/* context.c */
void kd_run_init(struct kd_run *run, struct kd_controller *controller,
                 const struct kd_queue_item *item, struct kd_run_scratch *scratch);
/* The id as text. Returns out. */
char *kd_run_id_text(const struct kd_run *run, char out[KD_RUN_ID_MAX]);
/* The record's object, in scratch memory. */
int kd_run_bind(struct kd_run *run, const struct kd_record *record,
                struct kd_object **ret) KD_MUST_USE;
/* Sets the run's error: the step, and the code's text. Returns rc when negative, else 0. */
int kd_run_check(struct kd_run *run, const char *step, int32_t rc);

/* resource.c: the resource that the graph is to hold. Fills labels ... data of `put`. */
int kd_run_convert(struct kd_run *run, const struct kd_object *object,
                   struct kd_put *put) KD_MUST_USE;

/* owners.c: a relation for each owner reference that can be read. */
int kd_run_relate_owners(struct kd_run *run, const struct kd_object *object) KD_MUST_USE;

/* reconcile.c: brings the graph up to date with the cache for the run's key. */
int kd_run_reconcile(struct kd_run *run, struct kd_result *result) KD_MUST_USE;

#endif
