#include "ctl/commands.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/emit.h"
#include "ctl/places.h"
#include "ctl/resources.h"
#include "ctl/view.h"
#include "json/json.h"

#include <stdio.h>

struct get {
    struct kd_ctl_session *session;
    const struct kd_ctl_view *view; /* of the first item; NULL before */
    bool namespaced;
    bool single; /* NAME was given and the format shows one object, not a list */
    uint64_t n;
    struct kd_ctl_table table;
    struct kd_ctl_places places;
    struct kd_arena arena; /* of one item */
};

static void put_name(struct kd_buf *out, const struct kd_ref *ref)
{
    (void)kd_buf_put_str(out, ref->kind); /* out is looked at when it is written, here and below */
    (void)kd_buf_puts(out, ref->group.len > 0 ? "." : "");
    (void)kd_buf_put_str(out, ref->group);
    (void)kd_buf_printf(out, "/" KD_STR_FMT "/" KD_STR_FMT "\n", KD_STR_ARG(ref->ns),
                        KD_STR_ARG(ref->name));
}

static void put_json_item(struct get *get, struct kd_value item)
{
    struct kd_buf *out = &get->session->out;
    if (!get->single) {
        (void)kd_buf_puts(out, get->n == 0 ? "{\n  \"items\": [\n    " : ",\n    ");
    }
    kd_ctl_json_put(out, item, get->single ? 0 : 2);
}

static void put_yaml_item(struct get *get, struct kd_value item)
{
    struct kd_buf *out = &get->session->out;
    if (get->single) {
        kd_ctl_yaml_put(out, item);
    } else {
        (void)kd_buf_puts(out, get->n == 0 ? "items:\n" : "");
        kd_ctl_yaml_put_element(out, item);
    }
}

static void put_row(struct get *get, const struct kd_ref *ref, struct kd_value item)
{
    if (!get->view) {
        bool mixed = !get->session->options->kind;
        get->view = mixed ? kd_ctl_view_mixed() : kd_ctl_view_of(ref);
        get->namespaced = mixed || ref->ns.len > 0;
        kd_ctl_view_begin(get->view, get->namespaced, &get->table);
    }
    kd_ctl_view_row(get->view, get->namespaced, item, kd_wall_ns(get->session->clock), &get->table);
}

static int on_item(void *arg, struct kd_value item, struct kd_error *reterr)
{
    struct get *get = arg;
    kd_arena_reset(&get->arena, 64 * KD_KIB);
    struct kd_ref ref = kd_ctl_ref_of(item, "ref", &get->arena);
    if (get->single) {
        kd_ctl_places_add(&get->places, &ref);
        if (get->n > 0) {
            return 0; /* one too many: the end says so */
        }
    }
    switch (get->session->options->format) {
    case KD_CTL_JSON:
        put_json_item(get, item);
        break;
    case KD_CTL_YAML:
        put_yaml_item(get, item);
        break;
    case KD_CTL_NAME:
        put_name(&get->session->out, &ref);
        break;
    case KD_CTL_TABLE:
    case KD_CTL_TREE:
    case KD_CTL_DOT:
    case KD_CTL_FORMATS:
        put_row(get, &ref, item);
        break;
    }
    get->n++;
    return get->single ? 0 : kd_ctl_flush_some(get->session, reterr);
}

static int end_list(struct get *get)
{
    struct kd_buf *out = &get->session->out;
    enum kd_ctl_format format = get->session->options->format;
    if (format == KD_CTL_JSON && get->single) {
        (void)kd_buf_puts(out, "\n");
    } else if (format == KD_CTL_JSON) {
        (void)kd_buf_puts(out, get->n > 0 ? "\n  ]\n}\n" : "{\n  \"items\": []\n}\n");
    } else if (format == KD_CTL_YAML) {
        (void)kd_buf_puts(out, get->n > 0 ? "" : "items: []\n");
    } else if (get->n == 0) {
        (void)fputs("nothing found\n", stderr);
    } else if (format == KD_CTL_TABLE) {
        kd_ctl_table_put(&get->table, out);
    }
    return 0;
}

static int finish(struct get *get, struct kd_error *reterr)
{
    const struct kd_ctl_options *options = get->session->options;
    if (options->name && get->n == 0) {
        return kd_fail(reterr, KD_ENOENT, "no %s \"%s\" is in the graph%s%s", options->kind,
                       options->name, options->ns ? ", in namespace " : "",
                       options->ns ? options->ns : "");
    }
    if (get->single) {
        KD_TRY(kd_ctl_places_check(&get->places, options->kind, options->name, reterr));
    }
    return end_list(get);
}

int kd_ctl_run_get(struct kd_ctl_session *session, struct kd_error *reterr)
{
    const struct kd_ctl_options *options = session->options;
    bool list = options->format == KD_CTL_TABLE || options->format == KD_CTL_NAME;
    struct get get = { .session = session, .single = options->name && !list };
    const struct kd_ctl_query query = {
        .kind = options->kind,
        .ns = options->ns,
        .name = options->name,
        .labels = options->labels,
        .fields = options->fields,
        .orphans = options->command == KD_CTL_ORPHANS,
    };
    kd_arena_init(&get.arena, KD_MAX_SCRATCH);
    kd_ctl_places_init(&get.places);
    int rc = kd_ctl_resources(session, &query, on_item, &get, reterr);
    if (rc == 0) {
        rc = finish(&get, reterr);
    }
    kd_ctl_table_release(&get.table);
    kd_ctl_places_release(&get.places);
    kd_arena_release(&get.arena);
    return rc;
}
