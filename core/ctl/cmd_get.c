#include "ctl/commands.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"
#include "ctl/places.h"
#include "ctl/resources.h"
#include "ctl/showing.h"
#include "ctl/watch.h"

struct get {
    struct kd_ctl_showing showing;
    struct kd_ctl_places places;
    struct kd_arena arena; /* of one item */
};

static int on_item(void *arg, struct kd_value item, struct kd_error *reterr)
{
    struct get *get = arg;
    struct kd_ctl_showing *showing = &get->showing;
    kd_arena_reset(&get->arena, 64 * KD_KIB);
    struct kd_ref ref = kd_ctl_ref_of(item, "ref", &get->arena);
    if (showing->single) {
        kd_ctl_places_add(&get->places, &ref);
        if (showing->n > 0) {
            return 0; /* one too many: the end says so */
        }
    }
    kd_ctl_showing_add(showing, NULL, &ref, item);
    return showing->single ? 0 : kd_ctl_flush_some(showing->session, reterr);
}

static int finish(struct get *get, struct kd_error *reterr)
{
    const struct kd_ctl_options *options = get->showing.session->options;
    if (get->showing.single) {
        KD_TRY(kd_ctl_places_check(&get->places, options->kind, options->name, reterr));
    }
    return kd_ctl_showing_end(&get->showing, reterr);
}

/* Something has the name, or it is an error. */
static int list_name(struct get *get, const struct kd_ctl_query *query, struct kd_error *reterr)
{
    uint64_t before = get->showing.n;
    KD_TRY(kd_ctl_resources(get->showing.session, query, on_item, get, reterr));
    if (query->name && get->showing.n == before) {
        return kd_fail(reterr, KD_ENOENT, "no %s \"%s\" is in the graph%s%s", query->kind,
                       query->name, query->ns ? ", in namespace " : "", query->ns ? query->ns : "");
    }
    return 0;
}

static int list_kind(struct get *get, struct kd_ctl_query query, struct kd_error *reterr)
{
    const struct kd_ctl_options *options = get->showing.session->options;
    KD_TRY(list_name(get, &query, reterr));
    for (size_t i = 0; i < options->n_more; i++) {
        query.name = options->more_names[i];
        KD_TRY(list_name(get, &query, reterr));
    }
    return 0;
}

/* A kind after the other; NULL is all of them at once. */
static int list(struct get *get, struct kd_ctl_query query, struct kd_error *reterr)
{
    KD_AUTO_FREE char *kinds = query.kind ? kd_strdup(query.kind) : NULL;
    char *next = kinds;
    do {
        query.kind = next;
        next = next ? strchr(next, ',') : NULL;
        if (next) {
            *next++ = '\0';
        }
        KD_TRY(list_kind(get, query, reterr));
        if (next) {
            kd_ctl_showing_next(&get->showing);
        }
    } while (next);
    return finish(get, reterr);
}

int kd_ctl_run_get(struct kd_ctl_session *session, struct kd_error *reterr)
{
    const struct kd_ctl_options *options = session->options;
    bool many = options->format == KD_CTL_TABLE || options->format == KD_CTL_NAME ||
                options->watch || options->n_more > 0 ||
                (options->kind && strchr(options->kind, ','));
    struct get get;
    const struct kd_ctl_query query = {
        .kind = options->kind,
        .ns = options->ns,
        .name = options->name,
        .labels = options->labels,
        .fields = options->fields,
        .orphans = options->command == KD_CTL_ORPHANS,
    };
    int rc = kd_ctl_showing_init(&get.showing, session, reterr);
    get.showing.single = options->name && !many;
    kd_arena_init(&get.arena, KD_MAX_SCRATCH);
    kd_ctl_places_init(&get.places);
    if (rc == 0) {
        rc =
            options->watch ? kd_ctl_watch(&get.showing, &query, reterr) : list(&get, query, reterr);
    }
    kd_ctl_showing_release(&get.showing);
    kd_ctl_places_release(&get.places);
    kd_arena_release(&get.arena);
    return rc;
}
