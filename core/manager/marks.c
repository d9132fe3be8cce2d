#include "manager/marks.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "manager/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>

#define MARK_NS (2 * KD_SEC_NS)
#define ARENA_MAX (16 * KD_MIB)
#define SEED UINT64_C(0x6d61726b73636f70)

/* A kind as it was looked at last. */
struct kd_marked_kind {
    const struct kd_informer *informer;
    char *group;
    char *kind;
    char version[KD_VERSION_MAX]; /* of the last mark; "" when there is none */
    size_t pending;
    bool true_mark; /* what the store has is ours, or nothing */
};

static void release_kind(struct kd_marked_kind *kind)
{
    kd_free(kind->group);
    kd_free(kind->kind);
}

/* -- which kinds, and what their marks are about */

static bool is_markable(const struct kd_running_kind *running)
{
    const struct kd_kind *def = &running->owner->def;
    bool owned = !(def->flags & KD_KIND_OBSERVER) && !def->filter && !def->reconcile;
    return owned && running->n_members > 0 && running->members[0].kind == running->owner &&
           running->members[0].controller;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return kd_hash(text, strlen(text), kd_hash_mix(hash, strlen(text)));
}

static uint64_t mix_texts(uint64_t hash, const char *const *texts, size_t n)
{
    hash = kd_hash_mix(hash, n);
    for (size_t i = 0; i < n; i++) {
        hash = mix_text(hash, texts[i]);
    }
    return hash;
}

static uint64_t hash_spec(const struct kd_informer_spec *spec)
{
    uint64_t hash = mix_text(SEED, spec->version);
    hash = mix_text(mix_text(hash, spec->resource), spec->mode);
    hash = mix_text(mix_text(hash, spec->label_selector), spec->field_selector);
    hash = mix_texts(hash, (const char *const *)spec->namespaces.items, spec->namespaces.n);
    hash = mix_texts(hash, spec->fields, spec->n_fields);
    return mix_texts(hash, spec->noise, spec->n_noise);
}

void kd_marks_scope(const struct kd_marks *marks, const struct kd_running_kind *running,
                    char out[KD_SCOPE_TEXT_MAX])
{
    out[0] = '\0';
    if (marks->cluster[0] && is_markable(running)) {
        const struct kd_plugins *plugins = marks->kinds->view->plugins;
        (void)snprintf(out, KD_SCOPE_TEXT_MAX, "%016" PRIx64 " %016" PRIx64 " %s",
                       hash_spec(kd_informer_spec_of(running->informer)),
                       (uint64_t)kd_fingerprint(plugins, running->owner),
                       marks->cluster); /* fits */
    }
}

/* -- what the store has */

static struct kd_marked_kind *find(struct kd_marks *marks, const struct kd_informer *informer)
{
    for (size_t i = 0; i < marks->n; i++) {
        if (marks->items[i].informer == informer) {
            return &marks->items[i];
        }
    }
    return NULL;
}

static struct kd_marked_kind *find_or_add(struct kd_marks *marks,
                                          const struct kd_running_kind *running)
{
    struct kd_marked_kind *kind = find(marks, running->informer);
    if (!kind) {
        marks->items = kd_realloc_array(marks->items, marks->n + 1, sizeof(*marks->items));
        kind = &marks->items[marks->n++];
        *kind = (struct kd_marked_kind){ .informer = running->informer,
                                         .group = kd_strdup(running->owner->def.group),
                                         .kind = kd_strdup(running->owner->def.kind) };
    }
    return kind;
}

void kd_marks_trust(struct kd_marks *marks, const struct kd_running_kind *running)
{
    find_or_add(marks, running)->true_mark = true;
}

/* False: it could not be said now. */
static bool take_back(struct kd_marks *marks, struct kd_marked_kind *kind)
{
    const struct kd_mark none = { .group = kd_cstr(kind->group), .kind = kd_cstr(kind->kind) };
    kind->version[0] = '\0';
    return kd_store_mark(marks->store, &none) == 0;
}

static bool still_runs(const struct kd_view *view, const struct kd_informer *informer)
{
    for (size_t i = 0; i < view->n; i++) {
        if (view->items[i].informer == informer) {
            return true;
        }
    }
    return false;
}

static void forget_gone(struct kd_marks *marks, const struct kd_view *view)
{
    for (size_t i = marks->n; i-- > 0;) {
        if (!still_runs(view, marks->items[i].informer) && take_back(marks, &marks->items[i])) {
            release_kind(&marks->items[i]);
            marks->items[i] = marks->items[--marks->n];
        }
    }
}

void kd_marks_align(struct kd_marks *marks)
{
    const struct kd_view *view = kd_kinds_hold(marks->kinds);
    if (atomic_load(&marks->kinds->leading)) { /* else the store takes nothing, and changes not */
        forget_gone(marks, view);
        for (size_t i = 0; i < view->n; i++) {
            struct kd_marked_kind *kind = find_or_add(marks, &view->items[i]);
            kind->true_mark = kind->true_mark || take_back(marks, kind);
        }
    }
    kd_kinds_drop(marks->kinds, view);
}

/* -- writing */

/* Keys under way in any controller of the kind. False: too many. */
static bool find_pending(const struct kd_running_kind *running, struct kd_arena *arena,
                         struct kd_key *keys, size_t *ret_n)
{
    size_t n = 0;
    for (size_t i = 0; i < running->n_members; i++) {
        struct kd_key *more = NULL;
        size_t n_more = 0;
        if (!running->members[i].controller) {
            continue;
        }
        if (kd_controller_pending(running->members[i].controller, KD_MARK_PENDING_MAX - n, arena,
                                  &more, &n_more) < 0) {
            return false;
        }
        for (size_t k = 0; k < n_more; k++) {
            keys[n++] = more[k];
        }
    }
    *ret_n = n;
    return true;
}

static void write_mark(struct kd_marks *marks, const struct kd_running_kind *running,
                       struct kd_marked_kind *kind, const struct kd_informer_status *status)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_key keys[KD_MARK_PENDING_MAX];
    char scope[KD_SCOPE_TEXT_MAX];
    size_t n = 0;
    kd_arena_init(&arena, ARENA_MAX);
    kd_marks_scope(marks, running, scope);
    bool known = scope[0] && find_pending(running, &arena, keys, &n);
    bool same = strcmp(kind->version, status->version) == 0 && n == 0 && kind->pending == 0;
    if (!known || same) {
        return;
    }
    const struct kd_mark mark = { .group = kd_cstr(kind->group),
                                  .kind = kd_cstr(kind->kind),
                                  .scope = kd_cstr(scope),
                                  .version = kd_cstr(status->version),
                                  .pending = keys,
                                  .n_pending = n };
    if (kd_store_mark(marks->store, &mark) == 0) {
        memcpy(kind->version, status->version, sizeof(kind->version));
        kind->pending = n;
    }
}

/*
 * Version and keys are taken between two pieces of input: what the cache has seen up to the version
 * is then either in the store's queue, or among the keys.
 */
static void write_marks(struct kd_marks *marks)
{
    const struct kd_view *view = kd_kinds_hold(marks->kinds);
    for (size_t i = 0; i < view->n && atomic_load(&marks->kinds->leading); i++) {
        const struct kd_running_kind *running = &view->items[i];
        struct kd_marked_kind *kind = find(marks, running->informer);
        struct kd_informer_status status;
        kd_informer_get_status(running->informer, &status);
        if (kind && kind->true_mark && atomic_load(&running->written) && status.version[0]) {
            write_mark(marks, running, kind, &status);
        }
    }
    kd_kinds_drop(marks->kinds, view);
}

static void on_time(void *arg)
{
    struct kd_marks *marks = arg;
    kd_marks_align(marks); /* what could not be said before */
    write_marks(marks);
    kd_timer_start(&marks->timer, MARK_NS);
}

void kd_marks_init(struct kd_marks *marks, struct kd_kinds *kinds, struct kd_store *store,
                   struct kd_loop *loop)
{
    *marks = (struct kd_marks){ .kinds = kinds, .store = store };
    kd_timer_init(&marks->timer, loop, on_time, marks);
}

void kd_marks_release(struct kd_marks *marks)
{
    if (!marks->kinds) {
        return;
    }
    for (size_t i = 0; i < marks->n; i++) {
        release_kind(&marks->items[i]);
    }
    kd_free(marks->items);
    kd_timer_release(&marks->timer);
    *marks = (struct kd_marks){ 0 };
}

void kd_marks_start(struct kd_marks *marks)
{
    marks->runs = true;
    kd_timer_start(&marks->timer, MARK_NS);
}

void kd_marks_stop(struct kd_marks *marks)
{
    if (marks->runs) {
        kd_timer_stop(&marks->timer);
        write_marks(marks);
    }
    marks->runs = false;
}
