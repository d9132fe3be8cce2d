#include "ctl/commands.h"

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
    if (options->name && get->showing.n == 0) {
        return kd_fail(reterr, KD_ENOENT, "no %s \"%s\" is in the graph%s%s", options->kind,
                       options->name, options->ns ? ", in namespace " : "",
                       options->ns ? options->ns : "");
    }
    if (get->showing.single) {
        KD_TRY(kd_ctl_places_check(&get->places, options->kind, options->name, reterr));
    }
    return kd_ctl_showing_end(&get->showing, reterr);
}

static int list(struct get *get, const struct kd_ctl_query *query, struct kd_error *reterr)
{
    struct kd_ctl_session *session = get->showing.session;
    KD_TRY(kd_ctl_resources(session, query, on_item, get, reterr));
    return finish(get, reterr);
}

int kd_ctl_run_get(struct kd_ctl_session *session, struct kd_error *reterr)
{
    const struct kd_ctl_options *options = session->options;
    bool many = options->format == KD_CTL_TABLE || options->format == KD_CTL_NAME;
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
    get.showing.single = options->name && !many && !options->watch;
    kd_arena_init(&get.arena, KD_MAX_SCRATCH);
    kd_ctl_places_init(&get.places);
    if (rc == 0) {
        rc = options->watch ? kd_ctl_watch(&get.showing, &query, reterr)
                            : list(&get, &query, reterr);
    }
    kd_ctl_showing_release(&get.showing);
    kd_ctl_places_release(&get.places);
    kd_arena_release(&get.arena);
    return rc;
}
