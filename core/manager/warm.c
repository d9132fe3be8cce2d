#include "manager/warm.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "json/json.h"
#include "manager/ask.h"

#include <stdio.h>

#define CLUSTER_PATH "/api/v1/namespaces/kube-system"
#define NAMESPACE_TEMPLATE "/api/v1/namespaces/{name}"
#define ASK_NS (5 * KD_SEC_NS)
#define ARENA_MAX (16 * KD_MIB)
#define PATH_MAX_BYTES (16 * KD_KIB)
#define AS_PARTIAL "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

/* A cluster is known by the uid of its namespace kube-system, which lives as long as it does. */
static void identify(struct kd_marks *marks)
{
    const struct kd_kinds_deps *deps = &marks->kinds->deps;
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_ask_reply reply;
    struct kd_value root;
    struct kd_value meta;
    kd_arena_init(&arena, KD_MIB);
    kd_ask(deps->loop, deps->client, CLUSTER_PATH, AS_PARTIAL, NAMESPACE_TEMPLATE, ASK_NS, &reply);
    if (reply.error == 0 && kd_json_parse(kd_buf_str(&reply.body), &root, NULL) == 0 &&
        kd_json_get(root, KD_STR("metadata"), &meta)) {
        struct kd_str uid = kd_json_get_str(meta, KD_STR("uid"), &arena);
        (void)snprintf(marks->cluster, sizeof(marks->cluster), KD_STR_FMT,
                       KD_STR_ARG(uid)); /* one that is cut serves as well */
    }
    if (!marks->cluster[0]) {
        KD_WARN("the cluster does not say who it is: this start begins with lists, and so will the "
                "next one",
                KD_F("path", CLUSTER_PATH), KD_F("error", reply.text));
    }
    kd_buf_release(&reply.body);
}

struct loading {
    struct kd_informer *informer;
    uint64_t n;
};

static int load_one(void *arg, const struct kd_kept *kept)
{
    struct loading *loading = arg;
    loading->n++;
    return kd_informer_load(loading->informer, kept);
}

/* Every resource of the kind has a record, or the cache would lack what the graph has. */
static int load_records(struct kd_marks *marks, const struct kd_running_kind *running)
{
    const struct kd_kind *def = &running->owner->def;
    struct loading loading = { .informer = running->informer };
    KD_TRY(kd_store_each_kept(marks->store, def->group, def->kind, load_one, &loading));
    return loading.n == kd_store_count(marks->store, def->group, def->kind) ? 0 : KD_ESTORE;
}

static int renew_key(struct kd_marks *marks, struct kd_informer *informer, struct kd_key key)
{
    const struct kd_kinds_deps *deps = &marks->kinds->deps;
    KD_AUTO_BUF struct kd_buf path;
    struct kd_ask_reply reply;
    kd_buf_init(&path, PATH_MAX_BYTES);
    KD_TRY(kd_informer_object_path(informer, key, &path));
    kd_ask(deps->loop, deps->client, path.ptr, kd_informer_accept(informer), "pending", ASK_NS,
           &reply);
    int rc = reply.error;
    if (rc == 0) {
        rc = kd_informer_renew(informer, kd_buf_str(&reply.body));
    } else if (reply.http_code == 404) {
        kd_informer_forget(informer, key);
        rc = 0;
    }
    kd_buf_release(&reply.body);
    return rc;
}

/* With a selector, what is asked for by name may be none of ours any more: then a list it is. */
static int renew_pending(struct kd_marks *marks, struct kd_informer *informer,
                         const struct kd_mark *mark)
{
    const struct kd_informer_spec *spec = kd_informer_spec_of(informer);
    bool selects = spec->label_selector[0] || spec->field_selector[0];
    KD_ENSURE(mark->n_pending == 0 || !selects, KD_EUNSUPPORTED);
    for (size_t i = 0; i < mark->n_pending; i++) {
        KD_TRY(renew_key(marks, informer, mark->pending[i]));
    }
    return 0;
}

static int resume(struct kd_marks *marks, const struct kd_running_kind *running,
                  const struct kd_mark *mark)
{
    KD_TRY(load_records(marks, running));
    KD_TRY(renew_pending(marks, running->informer, mark));
    kd_informer_resume(running->informer, mark->version);
    return 0;
}

static void try_kind(struct kd_marks *marks, const struct kd_running_kind *running)
{
    const struct kd_kind *def = &running->owner->def;
    KD_AUTO_ARENA struct kd_arena arena;
    char scope[KD_SCOPE_TEXT_MAX];
    struct kd_mark mark = { 0 };
    kd_arena_init(&arena, ARENA_MAX);
    kd_marks_scope(marks, running, scope);
    if (!scope[0] || kd_store_read_mark(marks->store, def->group, def->kind, &arena, &mark) < 0 ||
        !kd_str_is(mark.scope, scope)) {
        return;
    }
    int rc = resume(marks, running, &mark);
    if (rc == 0) {
        kd_marks_trust(marks, running);
    } else {
        kd_informer_empty(running->informer);
        KD_WARN("the stored cache cannot be used, so the kind begins with a list",
                KD_F("kind", def->kind), KD_F("error", kd_errno_text(rc)));
    }
}

void kd_warm_start(struct kd_marks *marks)
{
    const struct kd_view *view = marks->kinds->view; /* the main thread's to change */
    identify(marks);
    for (size_t i = 0; i < view->n; i++) {
        try_kind(marks, &view->items[i]);
    }
}
