#include "ctl/watch.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/hmap.h"
#include "base/limits.h"
#include "base/ref.h"
#include "base/str.h"
#include "json/json.h"
#include "json/splitter.h"

#include <unistd.h>

#define TARGET_MAX (64 * KD_KIB)
#define CHANGE_MAX (64 * KD_MIB)
#define KEEP (64 * KD_KIB)
#define GONE 410
#define UNAVAILABLE 503
#define RETRY_SECONDS 1u
#define RETRIES 60u

/* A resource as it was shown last. */
struct shown {
    struct kd_hnode hash; /* of its key */
    struct kd_ref ref;    /* texts are owned, in one block: kind, group, ns, name */
    char *texts;
    uint64_t content; /* a hash of the item */
    uint64_t round;   /* of the list that had it last */
};

struct watch {
    struct kd_ctl_showing *showing;
    struct kd_ctl_session *session; /* for the feed */
    struct kd_ctl_session looking;  /* for single objects, while the feed goes on */
    const struct kd_ctl_query *query;
    struct kd_hmap all;
    uint64_t round;
    uint64_t seq;
    bool found; /* the object that is looked at is selected */
    struct kd_arena arena;
};

static struct shown *find(const struct watch *watch, const struct kd_ref *ref)
{
    struct kd_hnode *node = kd_hmap_first(&watch->all, kd_ref_hash(ref));
    for (; node; node = kd_hmap_next_same(node)) {
        struct shown *shown = KD_CONTAINER_OF(node, struct shown, hash);
        if (kd_ref_same(&shown->ref, ref)) {
            return shown;
        }
    }
    return NULL;
}

static struct shown *add(struct watch *watch, const struct kd_ref *ref)
{
    const struct kd_str parts[] = { ref->kind, ref->group, ref->ns, ref->name };
    struct shown *shown = kd_zalloc(sizeof(*shown));
    struct kd_str *const copies[] = { &shown->ref.kind, &shown->ref.group, &shown->ref.ns,
                                      &shown->ref.name };
    size_t size = ref->kind.len + ref->group.len + ref->ns.len + ref->name.len;
    char *at = shown->texts = kd_alloc(size + 1);
    for (size_t i = 0; i < KD_ARRAY_LEN(parts); i++) {
        if (parts[i].len) {
            memcpy(at, parts[i].ptr, parts[i].len);
        }
        *copies[i] = (struct kd_str){ at, parts[i].len };
        at += parts[i].len;
    }
    kd_hmap_add(&watch->all, &shown->hash, kd_ref_hash(&shown->ref));
    return shown;
}

static void free_shown(struct shown *shown)
{
    kd_free(shown->texts);
    kd_free(shown);
}

/* An item that is selected now. */
static void show(struct watch *watch, const struct kd_ref *ref, struct kd_value item)
{
    struct shown *shown = find(watch, ref);
    uint64_t content = kd_hash_str((struct kd_str){ item.ptr, item.len });
    const char *event = shown ? "MODIFIED" : "ADDED";
    bool same = shown && shown->content == content;
    shown = shown ? shown : add(watch, ref);
    shown->content = content;
    shown->round = watch->round;
    if (!same) {
        kd_ctl_showing_add(watch->showing, event, ref, item);
    }
}

/* One that is selected no more: all that is left of it is its name. */
static void show_gone(struct watch *watch, struct shown *shown)
{
    KD_AUTO_BUF struct kd_buf json;
    struct kd_value item = { 0 };
    kd_buf_init(&json, KD_MIB);
    (void)kd_buf_puts(&json, "{\"ref\":"); /* names are short: it fits */
    kd_ref_put_json(&json, &shown->ref);
    (void)kd_buf_putc(&json, '}');
    if (kd_json_parse(kd_buf_str(&json), &item, NULL) == 0) {
        kd_ctl_showing_add(watch->showing, "DELETED", &shown->ref, item);
    }
    kd_hmap_remove(&watch->all, &shown->hash);
    free_shown(shown);
}

static int on_item(void *arg, struct kd_value item, struct kd_error *reterr)
{
    struct watch *watch = arg;
    (void)reterr;
    kd_arena_reset(&watch->arena, KEEP);
    struct kd_ref ref = kd_ctl_ref_of(item, "ref", &watch->arena);
    show(watch, &ref, item);
    return 0;
}

/* What the list of this round had not is gone. Collected first: a removal moves nodes about. */
static void show_all_gone(struct watch *watch)
{
    struct shown **gone = kd_zalloc_array(watch->all.n + 1, sizeof(struct shown *));
    size_t n = 0;
    struct kd_hnode *node = kd_hmap_begin(&watch->all);
    for (; node; node = kd_hmap_step(&watch->all, node)) {
        struct shown *shown = KD_CONTAINER_OF(node, struct shown, hash);
        if (shown->round != watch->round) {
            gone[n++] = shown;
        }
    }
    for (size_t i = 0; i < n; i++) {
        show_gone(watch, gone[i]);
    }
    kd_free(gone);
}

static int take_list(struct watch *watch, struct kd_error *reterr)
{
    struct kd_ctl_query query = *watch->query;
    query.ret_seq = &watch->seq;
    watch->round++;
    KD_TRY(kd_ctl_resources(watch->session, &query, on_item, watch, reterr));
    show_all_gone(watch);
    return kd_ctl_showing_end(watch->showing, reterr);
}

/* The object that was looked for, and no other one of its name. */
struct look {
    struct watch *watch;
    const struct kd_ref *ref;
};

static int on_looked(void *arg, struct kd_value item, struct kd_error *reterr)
{
    const struct look *look = arg;
    struct watch *watch = look->watch;
    (void)reterr;
    struct kd_ref ref = kd_ctl_ref_of(item, "ref", &watch->arena);
    if (kd_ref_same(&ref, look->ref)) {
        watch->found = true;
        show(watch, &ref, item);
    }
    return 0;
}

/* Whatever happened to it: how is it now? */
static int look_at(struct watch *watch, const struct kd_ref *ref, struct kd_error *reterr)
{
    struct look look = { watch, ref };
    struct kd_ctl_query query = *watch->query;
    struct kd_str name = kd_arena_copy(&watch->arena, ref->name);
    struct kd_str ns = kd_arena_copy(&watch->arena, ref->ns);
    KD_ENSURE(name.ptr && ns.ptr, kd_fail(reterr, KD_ETOOBIG, "a name is too long"));
    query.name = name.ptr;
    query.ns = ns.len ? ns.ptr : NULL;
    watch->found = false;
    KD_TRY(kd_ctl_resources(&watch->looking, &query, on_looked, &look, reterr));
    struct shown *shown = find(watch, ref);
    if (!watch->found && shown) {
        show_gone(watch, shown);
    }
    return kd_ctl_showing_end(watch->showing, reterr);
}

struct feed {
    struct watch *watch;
    struct kd_splitter *splitter;
    struct kd_error error; /* of what was looked at */
};

static int on_change(void *arg, struct kd_str text)
{
    struct feed *feed = arg;
    struct watch *watch = feed->watch;
    struct kd_value change = { 0 };
    KD_TRY(kd_json_parse(text, &change, &feed->error));
    kd_arena_reset(&watch->arena, KEEP);
    struct kd_ref ref = kd_ctl_ref_of(change, "resource", &watch->arena);
    if (ref.name.len == 0 || (watch->query->name && !kd_str_is(ref.name, watch->query->name))) {
        return 0;
    }
    return look_at(watch, &ref, &feed->error);
}

static void on_skipped(void *arg, struct kd_str head, uint64_t size)
{
    (void)arg; /* a change is a reference: one over the limit is none of ours */
    (void)head;
    (void)size;
}

static int on_bytes(void *arg, const char *ptr, size_t len, struct kd_error *reterr)
{
    struct feed *feed = arg;
    int rc = kd_splitter_feed(feed->splitter, ptr, len, reterr);
    if (feed->error.code < 0) {
        return kd_fail(reterr, feed->error.code, "%s", feed->error.text);
    }
    return rc;
}

static int follow(struct watch *watch, struct kd_error *reterr)
{
    struct feed feed = { .watch = watch };
    const struct kd_split_sink lines = { &feed, on_change, on_skipped };
    const struct kd_ctl_sink sink = { &feed, on_bytes };
    KD_AUTO_BUF struct kd_buf target;
    kd_buf_init(&target, TARGET_MAX);
    (void)kd_buf_printf(&target, "/api/v1/changes?follow=1&since=%llu", /* it has room */
                        (unsigned long long)watch->seq);
    kd_ctl_query_add(&target, "kind", watch->query->kind);
    kd_ctl_query_add(&target, "namespace", watch->query->ns);
    if (kd_buf_failed(&target)) {
        return kd_fail(reterr, KD_ETOOBIG, "the question is too long");
    }
    feed.splitter = kd_splitter_new(KD_SPLIT_LINES, &lines, CHANGE_MAX);
    int rc = kd_ctl_http_get(watch->session->http, target.ptr, true, &sink, reterr);
    kd_splitter_free(feed.splitter);
    return rc;
}

/* A feed that broke off, or whose beginning is gone, is begun again behind a new list. */
static bool may_go_on(const struct watch *watch, int rc)
{
    long status = kd_ctl_http_status(watch->session->http);
    return rc == 0 || (rc == KD_ENET && status == 200) || (rc == KD_EHTTP && status == GONE);
}

/* A server that starts again is away for a moment, and catches up for another one. */
static int take_list_again(struct watch *watch, struct kd_error *reterr)
{
    int rc = KD_ENET;
    for (unsigned i = 0; i < RETRIES && rc < 0; i++) {
        (void)sleep(RETRY_SECONDS);
        rc = take_list(watch, reterr);
        if (rc < 0 && rc != KD_ENET && kd_ctl_http_status(watch->session->http) != UNAVAILABLE) {
            break;
        }
    }
    return rc;
}

static int run(struct watch *watch, struct kd_error *reterr)
{
    KD_TRY(take_list(watch, reterr));
    for (;;) {
        int rc = follow(watch, reterr);
        if (!may_go_on(watch, rc)) {
            return rc;
        }
        KD_TRY(take_list_again(watch, reterr));
    }
}

static void release(struct watch *watch)
{
    struct kd_hnode *node = kd_hmap_begin(&watch->all);
    while (node) {
        struct shown *shown = KD_CONTAINER_OF(node, struct shown, hash);
        node = kd_hmap_step(&watch->all, node);
        free_shown(shown);
    }
    kd_hmap_release(&watch->all);
    kd_arena_release(&watch->arena);
    kd_ctl_http_free(watch->looking.http);
}

int kd_ctl_watch(struct kd_ctl_showing *showing, const struct kd_ctl_query *query,
                 struct kd_error *reterr)
{
    struct watch watch = { .showing = showing, .session = showing->session, .query = query };
    watch.looking = *showing->session;
    watch.looking.http = kd_ctl_http_new(showing->session->address);
    kd_arena_init(&watch.arena, KD_MAX_SCRATCH);
    showing->events = true;
    int rc = run(&watch, reterr);
    release(&watch);
    return rc;
}
