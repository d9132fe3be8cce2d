/*
 * libkindred-test: a mock host for the tests of a plugin. It loads the plugin from its .so with the
 * checks of the real host, feeds it objects and events, and keeps what the plugin converts,
 * relates, filters and asks for. There is no cluster, no store and no thread, and time passes only
 * when the test says so. It is no part of the plugin ABI.
 *
 *     struct kd_error err;
 *     struct kd_test *test = kd_test_open("build/widget.so", &err);
 *     if (!test || kd_test_start(test, &err) < 0) { ... err.text ... }
 *     kd_test_apply_file(test, "tests/widget.json", &err);
 *     kd_test_run(test);
 *     assert(strcmp(kd_test_relations(test, "Widget", "shop", "a"), "...") == 0);
 *     kd_test_close(test);
 *
 * Thread: a kd_test belongs to one thread; nothing blocks but for reading files.
 * Ownership: a kd_test owns all that its functions return. A text is valid until the next call with
 * the same test. Arguments are borrowed for the call.
 * Errors: 0 or a negative KD_E*, with the reason in *err, which may be NULL.
 */
#ifndef KINDRED_TEST_H
#define KINDRED_TEST_H

#include <kindred/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kd_test;

/*
 * Opens NAME.so and checks what it declares, as the host does; neither describe nor init is called.
 * NULL with the rule that refuses it: KD_EPLUGIN when the dynamic linker refuses the file, KD_EABI
 * for a plugin that this version cannot serve.
 */
struct kd_test *kd_test_open(const char *path, struct kd_error *err);
/*
 * Before the start: one setting, written as in the config file but without quotes: "5s", "true",
 * "3". A list gets one element by each call. What is wrong with it shows at the start.
 */
void kd_test_set(struct kd_test *test, const char *key, const char *value);
/*
 * Fills in the settings, takes over the kinds and calls init. KD_ECONFIG for a bad setting, KD_EABI
 * for a bad kind, KD_EPLUGIN when describe or init fails. After a failure only close is left.
 */
int32_t kd_test_start(struct kd_test *test, struct kd_error *err);
/* Calls fini of what was started and frees all; the plugin's code stays. Accepts NULL. */
void kd_test_close(struct kd_test *test);

/* What the plugin declares, checked and filled up to this version's structs. */
const struct kd_plugin *kd_test_plugin(const struct kd_test *test);
/* Kind number i of those that run, NULL past the last. After the start. */
const struct kd_kind *kd_test_kind(const struct kd_test *test, uint32_t i);

/*
 * The object is there now in this state: an event ADDED or MODIFIED with the sections that changed
 * against the state before. The filter says whether its key is queued; where the kind is watched,
 * map says which keys are. `json` is one object or a list with "items"; without apiVersion and kind
 * it is of the plugin's first kind. A kind that the plugin neither serves nor watches is KD_ENOENT,
 * text that is no object KD_EPARSE.
 */
int32_t kd_test_apply(struct kd_test *test, const char *json, struct kd_error *err);
/* The same with a file's text. KD_ENOENT, KD_EIO. */
int32_t kd_test_apply_file(struct kd_test *test, const char *path, struct kd_error *err);
/* The object is gone: an event DELETED. ns is "" for cluster scope. KD_ENOENT: it was not there. */
int32_t kd_test_delete(struct kd_test *test, const char *kind, const char *ns, const char *name,
                       struct kd_error *err);

/*
 * Works on every key that is due, as a worker would: deleted, then reconcile or convert and relate.
 * Keys that come due by this are worked on too. Returns how many runs there were.
 */
uint32_t kd_test_run(struct kd_test *test);
/* Lets time pass. The clock starts at 2000-01-01T00:00:00Z. */
void kd_test_advance(struct kd_test *test, int64_t ns);
/* The wall clock, as kd_ctx_ops.now shows it. */
int64_t kd_test_now(const struct kd_test *test);
/* What the last run came to: 0, or the code that the plugin or the host gave. */
int32_t kd_test_result(const struct kd_test *test);
/* When the next key is due on that clock; INT64_MAX: never. */
int64_t kd_test_next(const struct kd_test *test);

/*
 * What the last run of an object's key said, one line for each relation, in the order of the calls
 * and each once; "" when it said nothing:
 *
 *     PodNodeBinding Pod/shop/web-0@UID -> Node//node-1 nodeName="node-1"
 *
 * A reference is Kind/namespace/name, with .group:version behind a kind of another group than the
 * core's and @uid where one is known. A flag (KD_ATTR_ANY) has a question mark: ready=1?
 * Flags stand last. Owner references are the host's own work and not shown. kind NULL: of all
 * objects, in the order of their first events.
 */
const char *kd_test_relations(struct kd_test *test, const char *kind, const char *ns,
                              const char *name);
/*
 * The resource that convert made of the object: {"labels":{},"annotations":{},"data":{}}, in which
 * data is the object itself unless convert put something else there. "" when there is none.
 */
const char *kd_test_resource(struct kd_test *test, const char *kind, const char *ns,
                             const char *name);
/*
 * All that happened since the last kd_test_forget, one line each:
 *
 *     event added Pod/shop/web: queued            or dropped, or nothing but noise
 *     event modified Pod/shop/web labels,spec: queued
 *     map Node//n1: Pod/shop/web                  one line for each key that map names
 *     run Pod/shop/web: done                      or: requeue after 5s
 *     run Pod/shop/web: not found, again after 10ms
 *     run Pod/shop/web: terminal error, no retry
 *     get Pod/shop/db: found                      or: not found
 *     list spec.nodeName=n1: 2
 *     relation 3 refused: over the limit          by kd_test_fail
 *     log warn some text
 */
const char *kd_test_journal(struct kd_test *test);
void kd_test_forget(struct kd_test *test);

/* What kd_test_fail makes fail. */
#define KD_TEST_SCRATCH 0u  /* kd_ctx_ops.alloc gives NULL */
#define KD_TEST_RELATION 1u /* kd_relations_ops.add gives KD_ETOOBIG */

/* From now on call number `nth` (from 1) of each run fails, and those after it; 0: none. */
void kd_test_fail(struct kd_test *test, uint32_t what, uint32_t nth);

#ifdef __cplusplus
}
#endif

#endif
