#include "ctl/differences.h"

#include "base/limits.h"
#include "base/ref.h"
#include "base/str.h"
#include "ctl/names.h"
#include "json/json.h"

#define PARTS_MAX (64 * KD_KIB)

/* Appends are looked at when the output is written. */
#define PUT(call) ((void)(call))

void kd_ctl_differences_init(struct kd_ctl_differences *differences, struct kd_ctl_session *session)
{
    *differences = (struct kd_ctl_differences){ .session = session };
    kd_buf_init(&differences->parts, PARTS_MAX); /* what is longer is cut */
    kd_arena_init(&differences->arena, KD_MIB);
}

void kd_ctl_differences_release(struct kd_ctl_differences *differences)
{
    kd_buf_release(&differences->parts);
    kd_arena_release(&differences->arena);
}

static void add_part(struct kd_ctl_differences *differences, struct kd_str name)
{
    PUT(kd_buf_puts(&differences->parts, differences->parts.len ? "," : ""));
    PUT(kd_buf_put_json(&differences->parts, name));
}

static bool same_value(struct kd_value a, struct kd_value b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static struct kd_value parse(struct kd_str json)
{
    struct kd_value value = { 0 };
    int rc = kd_json_parse(json, &value, NULL);
    return rc < 0 ? (struct kd_value){ 0 } : value; /* what is none has no members */
}

/* Members of metadata that are compared by themselves, or mean nothing. */
static bool is_set_aside(struct kd_str name)
{
    static const char *const names[] = { "labels", "annotations", "resourceVersion" };
    for (size_t i = 0; i < KD_ARRAY_LEN(names); i++) {
        if (kd_str_is(name, names[i])) {
            return true;
        }
    }
    return false;
}

static bool metadata_differs(struct kd_ctl_differences *differences, struct kd_value a,
                             struct kd_value b);

/* Members of two objects that are not alike; at the top they are told. */
static bool members_differ(struct kd_ctl_differences *differences, struct kd_value a,
                           struct kd_value b, bool top)
{
    const struct kd_value sides[] = { a, b };
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        struct kd_iter iter;
        struct kd_value key;
        struct kd_value value;
        kd_json_iter_init(&iter, sides[i]);
        while (kd_json_iter_next(&iter, &key, &value)) {
            struct kd_value other = { 0 };
            struct kd_str name = kd_str_from("");
            int rc = kd_json_string(key, &differences->arena, &name);
            (void)rc; /* a key of a megabyte is none of Kubernetes': it differs by itself */
            bool seen = kd_json_get(sides[1 - i], name, &other) && i == 1;
            bool differs = !seen && !is_set_aside(name) && !same_value(value, other);
            if (differs && top && kd_str_is(name, "metadata")) {
                differs = metadata_differs(differences, value, other);
            }
            if (differs && top) {
                add_part(differences, name);
            }
            any = any || differs;
        }
    }
    return any;
}

static bool metadata_differs(struct kd_ctl_differences *differences, struct kd_value a,
                             struct kd_value b)
{
    return members_differ(differences, a, b, false);
}

/* The state that is to be told: added, deleted, or changed in the parts that were found. */
static void begin_line(struct kd_ctl_differences *differences, bool old, bool new)
{
    struct kd_buf *out = &differences->session->out;
    differences->n++;
    if (differences->session->options->format == KD_CTL_JSON) {
        PUT(kd_buf_printf(out, "{\"change\":\"%s\",",
                          old && new ? "changed"
                          : new      ? "added"
                                     : "deleted"));
    } else {
        PUT(kd_buf_puts(out, old && new ? "~ " : new ? "+ " : "- "));
    }
}

/* `"labels","spec"` as "labels, spec". */
static void put_parts(struct kd_buf *out, struct kd_str parts)
{
    for (size_t i = 0; i < parts.len; i++) {
        if (parts.ptr[i] != '"') {
            PUT(kd_buf_putc(out, parts.ptr[i]));
            PUT(kd_buf_puts(out, parts.ptr[i] == ',' ? " " : ""));
        }
    }
}

static void end_line(struct kd_ctl_differences *differences)
{
    struct kd_buf *out = &differences->session->out;
    struct kd_str parts = kd_buf_str(&differences->parts);
    bool json = differences->session->options->format == KD_CTL_JSON;
    if (json && parts.len > 0) {
        PUT(kd_buf_printf(out, ",\"parts\":[" KD_STR_FMT "]", KD_STR_ARG(parts)));
    } else if (parts.len > 0) {
        PUT(kd_buf_puts(out, "  ("));
        put_parts(out, parts);
        PUT(kd_buf_putc(out, ')'));
    }
    PUT(kd_buf_puts(out, json ? "}\n" : "\n"));
}

static void begin(struct kd_ctl_differences *differences)
{
    kd_buf_clear(&differences->parts, PARTS_MAX);
    kd_arena_reset(&differences->arena, KD_MIB);
}

static void compare_text(struct kd_ctl_differences *differences, const char *part, struct kd_str a,
                         struct kd_str b)
{
    if (!kd_str_eq(a, b)) {
        add_part(differences, kd_str_from(part));
    }
}

void kd_ctl_differ_resource(struct kd_ctl_differences *differences,
                            const struct kd_archive_resource *old,
                            const struct kd_archive_resource *new)
{
    struct kd_buf *out = &differences->session->out;
    const struct kd_ref *ref = new ? &new->ref : &old->ref;
    begin(differences);
    if (old && new) {
        compare_text(differences, "uid", old->ref.uid, new->ref.uid);
        compare_text(differences, "labels", old->labels, new->labels);
        compare_text(differences, "annotations", old->annotations, new->annotations);
        (void)members_differ(differences, parse(old->data), parse(new->data), true);
        if (differences->parts.len == 0) {
            return;
        }
    }
    begin_line(differences, old, new);
    if (differences->session->options->format == KD_CTL_JSON) {
        PUT(kd_buf_puts(out, "\"resource\":"));
        kd_ref_put_json(out, ref);
    } else {
        kd_ctl_ref_put(out, ref);
    }
    end_line(differences);
}

void kd_ctl_differ_relation(struct kd_ctl_differences *differences,
                            const struct kd_archive_relation *old,
                            const struct kd_archive_relation *new)
{
    struct kd_buf *out = &differences->session->out;
    const struct kd_archive_relation *relation = new ? new : old;
    begin(differences);
    if (old && new) {
        (void)members_differ(differences, parse(old->attrs), parse(new->attrs), true);
        if (old->resolved != new->resolved) {
            add_part(differences, KD_STR("resolved"));
        }
        if (differences->parts.len == 0) {
            return;
        }
    }
    begin_line(differences, old, new);
    if (differences->session->options->format == KD_CTL_JSON) {
        PUT(kd_buf_puts(out, "\"type\":"));
        PUT(kd_buf_put_json(out, relation->type));
        PUT(kd_buf_printf(
            out, ",\"attributes\":" KD_STR_FMT ",\"subject\":", KD_STR_ARG(relation->attrs)));
        kd_ref_put_json(out, &relation->subject);
        PUT(kd_buf_puts(out, ",\"object\":"));
        kd_ref_put_json(out, &relation->object);
    } else {
        kd_ctl_relation_put(out, relation->type, &relation->subject, &relation->object);
    }
    end_line(differences);
}
