/*
 * The mock host behind <kindred/test.h>: what it remembers of objects, keys and calls. One thread;
 * everything belongs to the kd_test. A test is short, so nothing here is made for speed.
 */
#ifndef KD_KIT_KIT_H
#define KD_KIT_KIT_H

#include "base/arena.h"
#include "base/buf.h"
#include "plugin/loader.h"
#include "plugin/plugins.h"

#include <kindred/test.h>

#define KD_KIT_TEXT_MAX (64 * 1024 * 1024)
#define KD_KIT_FAULTS 2

/* One object that is or was there. Texts are owned. */
struct kd_kit_object {
    struct kd_kit_object *next; /* in the order of their first event */
    char *group, *kind, *ns, *name, *uid;
    char *json;  /* NULL: gone */
    char *grave; /* the last state, for `deleted`; NULL: none is owed */
    bool queued;
    int64_t due_ns;
    uint32_t failures;
    char *relations; /* of the last run that went well; NULL: none */
    char *resource;
};

struct kd_kit_setting {
    struct kd_kit_setting *next;
    char *key, *value;
};

struct kd_test {
    struct kd_loaded loaded;
    struct kd_instance instance;
    struct kd_kind_entry entry;
    struct kd_host host;
    struct kd_arena settings_memory; /* lives as long as the instance */
    struct kd_arena scratch;         /* of one call */
    struct kd_kit_setting *given;
    struct kd_kit_object *objects;
    struct kd_buf journal;
    struct kd_buf answer; /* of kd_test_relations over all objects */
    int32_t result;       /* of the last run */
    int64_t now_ns;
    uint32_t fail_at[KD_KIT_FAULTS]; /* 0: never */
    uint32_t calls[KD_KIT_FAULTS];   /* of this run */
    bool started;
};

/* One run's place to write to. */
struct kd_kit_run {
    struct kd_test *test;
    const struct kd_instance_kind *kind;
    struct kd_kit_object *object;
    struct kd_buf relations;
    int rc;                                  /* of a relation that the host would not take */
    struct kd_str labels, annotations, data; /* what convert left, in scratch */
};

/* Settings as the config stage would give them. */
int kd_kit_fill_settings(struct kd_test *test, void **ret, struct kd_refusal *refusal) KD_MUST_USE;
void kd_kit_release_settings(struct kd_test *test);

/* Objects. Names may be NULL for "" in a search. */
struct kd_kit_object *kd_kit_find(struct kd_test *test, struct kd_str group, struct kd_str kind,
                                  struct kd_str ns, struct kd_str name);
void kd_kit_free_objects(struct kd_test *test);
/* The instance's kind of that object; NULL when it is only watched. */
const struct kd_instance_kind *kd_kit_kind_of(const struct kd_test *test, struct kd_str group,
                                              struct kd_str kind);
void kd_kit_queue(struct kd_test *test, struct kd_kit_object *object, int64_t due_ns);

/* KD_CHANGED_* bits between two texts of one object, as the host's section hashes would say. */
uint32_t kd_kit_changed(const struct kd_kind *kind, const char *before, const char *after);

/* Tells filter or map of an event; `before` is NULL for an add, `after` for a delete. */
void kd_kit_tell(struct kd_test *test, struct kd_kit_object *object, const char *before,
                 const char *after, uint32_t flags);

/* What the plugin is handed. */
extern const struct kd_ctx_ops kd_kit_ctx_ops;
extern const struct kd_relations_ops kd_kit_relations_ops;
extern const struct kd_resource_ops kd_kit_resource_ops;
/* Counts a call that kd_test_fail may have an eye on; true when it is to fail. */
bool kd_kit_fails(struct kd_test *test, uint32_t what);

/* Texts. */
void kd_kit_put_ref(struct kd_buf *buf, const struct kd_ref *ref);
void kd_kit_note(struct kd_test *test, const char *fmt, ...) KD_PRINTF(2, 3);
/* "Pod/shop/web" of an object, for the journal. */
#define KD_KIT_OBJECT_FMT "%s/%s/%s"
#define KD_KIT_OBJECT_ARG(object) (object)->kind, (object)->ns, (object)->name

#endif
