/* One key from the queue to its end: reconcile, then what the result asks for. */
#include "base/crash.h"
#include "base/log.h"
#include "base/str.h"
#include "controller/run.h"
#include "metrics/metrics.h"

#include <stdio.h>

#define REQUEUE_MIN_NS (10 * KD_MS_NS) /* a key that always comes again must leave others room */
#define SERVER_BUSY_NS (5 * KD_SEC_NS)
#define SCRATCH_KEEP (1024 * 1024) /* of a worker's scratch memory, between runs */

static void note_failure(struct kd_controller *controller, const char *key, const char *text)
{
    struct kd_failure *failure = &controller->failure;
    atomic_fetch_add(&controller->errors, 1);
    pthread_mutex_lock(&failure->lock);
    (void)snprintf(failure->key, sizeof(failure->key), "%s", key);
    (void)snprintf(failure->text, sizeof(failure->text), "%s", text);
    atomic_store(&failure->is_set, true);
    pthread_mutex_unlock(&failure->lock);
}

static void note_success(struct kd_controller *controller, struct kd_key key)
{
    struct kd_failure *failure = &controller->failure;
    char text[KD_KEY_TEXT_MAX];
    if (!atomic_load(&failure->is_set)) {
        return;
    }
    kd_key_text(key, text);
    pthread_mutex_lock(&failure->lock);
    if (strcmp(failure->key, text) == 0) {
        atomic_store(&failure->is_set, false);
    }
    pthread_mutex_unlock(&failure->lock);
}

/* One line for each failure; the key's back-off keeps them apart. */
static void tell_failure(struct kd_run *run, const struct kd_queue_item *item, int rc,
                         const struct kd_result *result)
{
    struct kd_controller *controller = run->controller;
    char key[KD_KEY_TEXT_MAX];
    char id[KD_RUN_ID_MAX];
    char why[KD_WHY_TEXT_MAX];
    kd_key_text(item->key, key);
    const char *text = run->error.code ? run->error.text : kd_errno_text(rc);
    note_failure(controller, key, text);
    KD_ERROR(rc == KD_ETERMINAL ? "reconcile failed for good" : "reconcile failed",
             KD_F("plugin", controller->kind->instance->name),
             KD_F("kind", controller->kind->def.kind), KD_F("key", key), KD_F("error", text),
             KD_FU("failures", item->failures), KD_F("reconcileID", kd_run_id_text(run, id)),
             KD_F("reason", kd_why_text(item->why, item->changed, why)));
    if (result->requeue_after_ns > 0) {
        KD_WARN("a requeue time together with an error has no effect",
                KD_F("plugin", controller->kind->instance->name),
                KD_F("kind", controller->kind->def.kind), KD_F("key", key));
    }
}

static enum kd_outcome fail(struct kd_run *run, const struct kd_queue_item *item, int rc,
                            const struct kd_result *result)
{
    struct kd_controller *controller = run->controller;
    kd_counter_add(controller->meter.errors, 1);
    tell_failure(run, item, rc, result);
    if (rc == KD_ETERMINAL) { /* the failures so far stay counted */
        kd_counter_add(controller->meter.terminal_errors, 1);
    } else {
        kd_queue_add_rate_limited(controller->queue, item->key);
    }
    return KD_OUTCOME_ERROR;
}

/* Told once for each kind: a plugin that asks for this does so for every key. */
static int64_t requeue_time(struct kd_run *run, int64_t asked_ns)
{
    struct kd_controller *controller = run->controller;
    char key[KD_KEY_TEXT_MAX];
    if (asked_ns >= REQUEUE_MIN_NS) {
        return asked_ns;
    }
    if (!atomic_exchange(&controller->told_requeue, true)) {
        KD_WARN("a requeue time below the least is raised to it",
                KD_F("plugin", controller->kind->instance->name),
                KD_F("kind", controller->kind->def.kind), KD_F("key", kd_key_text(run->key, key)),
                KD_FU("leastMs", REQUEUE_MIN_NS / KD_MS_NS));
    }
    return REQUEUE_MIN_NS;
}

static enum kd_outcome succeed(struct kd_run *run, const struct kd_queue_item *item,
                               const struct kd_result *result)
{
    struct kd_controller *controller = run->controller;
    note_success(controller, item->key);
    kd_queue_forget_item(controller->queue, item);
    if (result->requeue_after_ns > 0) {
        kd_queue_add_after(controller->queue, item->key,
                           requeue_time(run, result->requeue_after_ns), KD_WHY_REQUEUE);
        return KD_OUTCOME_REQUEUE_AFTER;
    }
    return KD_OUTCOME_SUCCESS;
}

/* The API server has no time now: that is no fault of the key, and no use to try at once. */
static bool is_busy_server(int rc)
{
    return rc == KD_ETIMEOUT || rc == KD_EAGAIN;
}

static enum kd_outcome wait_for_server(struct kd_run *run, const struct kd_queue_item *item)
{
    kd_queue_forget_item(run->controller->queue, item);
    kd_queue_add_after(run->controller->queue, item->key, SERVER_BUSY_NS, KD_WHY_REQUEUE);
    return KD_OUTCOME_REQUEUE_AFTER;
}

static enum kd_outcome finish(struct kd_run *run, const struct kd_queue_item *item, int rc,
                              const struct kd_result *result, enum kd_verdict *ret_verdict)
{
    if (is_busy_server(rc)) {
        *ret_verdict = KD_VERDICT_NONE;
        return wait_for_server(run, item);
    }
    *ret_verdict = rc < 0 ? KD_VERDICT_BAD : KD_VERDICT_GOOD;
    return rc < 0 ? fail(run, item, rc, result) : succeed(run, item, result);
}

static void tell_run(const struct kd_run *run, const struct kd_queue_item *item,
                     const struct kd_trace_row *row)
{
    char key[KD_KEY_TEXT_MAX];
    char id[KD_RUN_ID_MAX];
    char why[KD_WHY_TEXT_MAX];
    KD_DEBUG("reconciled", KD_F("plugin", run->controller->kind->instance->name),
             KD_F("kind", run->controller->kind->def.kind),
             KD_F("key", kd_key_text(item->key, key)), KD_F("result", row->result),
             KD_FU("microseconds", row->took_ns / 1000),
             KD_F("reconcileID", kd_run_id_text(run, id)),
             KD_F("reason", kd_why_text(item->why, item->changed, why)));
}

static void keep_trace(struct kd_run *run, const struct kd_queue_item *item, int rc,
                       enum kd_outcome outcome, struct kd_trace_row *row)
{
    const char *text = run->error.code ? run->error.text : kd_errno_text(rc);
    row->key = item->key;
    row->id = run->id;
    row->why = item->why;
    row->changed = item->changed;
    row->failures = item->failures;
    row->result = kd_outcome_name(outcome);
    row->error = rc < 0 ? kd_str_from(text) : (struct kd_str){ NULL, 0 };
    kd_trace_add(&run->controller->trace, row);
    tell_run(run, item, row);
}

/* The run is over, or none began: then the term is over, and what else is queued of it goes too. */
static void give_back(struct kd_controller *controller, const struct kd_queue_item *item)
{
    uint32_t why = item->why;
    kd_queue_done(controller->queue, item);
    kd_controller_ran(controller, why);
}

enum kd_verdict kd_controller_process(struct kd_controller *controller,
                                      const struct kd_queue_item *item,
                                      struct kd_run_scratch *scratch)
{
    struct kd_run run;
    struct kd_result result = { .struct_size = sizeof(result) };
    struct kd_trace_row row = { .started_ns = kd_wall_ns(controller->clock) };
    enum kd_verdict verdict = KD_VERDICT_NONE;
    if (!kd_controller_may_run(controller)) {
        give_back(controller, item);
        return verdict;
    }
    int64_t start_ns = kd_now_ns(controller->clock);
    kd_run_init(&run, controller, item, scratch);
    const struct kd_crash_place place = { .plugin = controller->kind->instance->name,
                                          .kind = controller->kind->def.kind,
                                          .ns = item->key.ns,
                                          .name = item->key.name };
    kd_crash_enter(&place);
    int rc = kd_run_reconcile(&run, &result);
    kd_crash_leave();
    row.took_ns = kd_now_ns(controller->clock) - start_ns;
    row.requeue_ns = result.requeue_after_ns;
    double seconds = (double)row.took_ns / 1e9;
    kd_histogram_observe(controller->meter.time_seconds, seconds);
    kd_histogram_observe(controller->meter.duration_seconds, seconds);
    enum kd_outcome outcome = finish(&run, item, rc, &result, &verdict);
    kd_counter_add(controller->meter.total[outcome], 1);
    keep_trace(&run, item, rc, outcome, &row);
    kd_arena_reset(&scratch->arena, SCRATCH_KEEP);
    give_back(controller, item);
    return verdict;
}
