/* What a plugin says of an object: relations as lines, and the parts of the resource. */
#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"
#include "kit/kit.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ATTRS 64

void kd_kit_put_ref(struct kd_buf *buf, const struct kd_ref *ref)
{
    (void)kd_buf_put_str(buf, ref->kind); /* the caller looks whether the buffer failed */
    if (ref->group.len > 0) {
        (void)kd_buf_printf(buf, "." KD_STR_FMT ":" KD_STR_FMT, KD_STR_ARG(ref->group),
                            KD_STR_ARG(ref->version));
    }
    (void)kd_buf_printf(buf, "/" KD_STR_FMT "/" KD_STR_FMT, KD_STR_ARG(ref->ns),
                        KD_STR_ARG(ref->name));
    if (ref->uid.len > 0) {
        (void)kd_buf_printf(buf, "@" KD_STR_FMT, KD_STR_ARG(ref->uid));
    }
}

static void put_attr(struct kd_buf *line, const struct kd_attr *attr)
{
    (void)kd_buf_printf(line, " " KD_STR_FMT "=", KD_STR_ARG(attr->key));
    if (attr->type == KD_ATTR_STRING) {
        (void)kd_buf_put_json(line, attr->text);
    } else {
        (void)kd_buf_printf(line, "%lld", (long long)attr->number);
    }
}

static bool is_flag(const struct kd_attr *attr)
{
    return (attr->flags & KD_ATTR_ANY) != 0;
}

/* One relation: what makes it what it is, then its flags. */
static void put_line(struct kd_buf *line, struct kd_str type, const struct kd_ref *subject,
                     const struct kd_ref *object, const struct kd_attr *attrs, uint32_t n_attrs)
{
    (void)kd_buf_printf(line, KD_STR_FMT " ", KD_STR_ARG(type));
    kd_kit_put_ref(line, subject);
    (void)kd_buf_puts(line, " -> ");
    kd_kit_put_ref(line, object);
    for (uint32_t i = 0; i < n_attrs; i++) {
        if (!is_flag(&attrs[i])) {
            put_attr(line, &attrs[i]);
        }
    }
}

/* The line of `all` that begins with these bytes and goes on with flags or ends; NULL: none. */
static char *find_line(const struct kd_buf *all, struct kd_str line)
{
    for (char *at = all->ptr; at && *at; at = strchr(at, '\n') + 1) {
        char end = strncmp(at, line.ptr, line.len) == 0 ? at[line.len] : 'x';
        const char *mark = end == ' ' ? strpbrk(at + line.len, "?\n") : NULL;
        if (end == '\n' || (mark && *mark == '?')) {
            return at;
        }
    }
    return NULL;
}

/* A flag that is set by any is set. */
static void join_flag(char *line, const struct kd_attr *flag)
{
    KD_AUTO_FREE char *unset = kd_asprintf(" " KD_STR_FMT "=0?", KD_STR_ARG(flag->key));
    char *found = strstr(line, unset);
    if (found && found < strchr(line, '\n') && flag->number) {
        found[strlen(unset) - 2] = '1';
    }
}

static bool is_valid(struct kd_str type, const struct kd_ref *subject, const struct kd_ref *object,
                     const struct kd_attr *attrs, uint32_t n_attrs)
{
    bool valid = type.len && subject && object && subject->kind.len && subject->name.len &&
                 object->kind.len && object->name.len && (attrs || !n_attrs);
    for (uint32_t i = 0; valid && i < n_attrs; i++) {
        valid = attrs[i].key.len && attrs[i].type <= KD_ATTR_BOOL;
    }
    return valid;
}

static int32_t add_relation(struct kd_relations *out, struct kd_str type,
                            const struct kd_ref *subject, const struct kd_ref *object,
                            const struct kd_attr *attrs, uint32_t n_attrs)
{
    struct kd_kit_run *run = out->host;
    KD_AUTO_BUF struct kd_buf line;
    kd_buf_init(&line, KD_MIB);
    KD_ENSURE(is_valid(type, subject, object, attrs, n_attrs), KD_EINVAL);
    if (n_attrs > MAX_ATTRS || kd_kit_fails(run->test, KD_TEST_RELATION)) {
        run->rc = KD_ETOOBIG;
        kd_kit_note(run->test, "relation %u refused: %s", run->test->calls[KD_TEST_RELATION],
                    kd_errno_text(KD_ETOOBIG));
        return KD_ETOOBIG;
    }
    put_line(&line, type, subject, object, attrs, n_attrs);
    char *known = find_line(&run->relations, kd_buf_str(&line));
    for (uint32_t i = 0; i < n_attrs; i++) {
        if (is_flag(&attrs[i]) && known) {
            join_flag(known, &attrs[i]);
        } else if (is_flag(&attrs[i])) {
            put_attr(&line, &attrs[i]);
            (void)kd_buf_putc(&line, '?');
        }
    }
    if (!known) {
        (void)kd_buf_putc(&line, '\n');
        KD_ENSURE(!kd_buf_failed(&line), KD_ETOOBIG);
        return kd_buf_put_str(&run->relations, kd_buf_str(&line));
    }
    return 0;
}

const struct kd_relations_ops kd_kit_relations_ops = {
    .struct_size = sizeof(struct kd_relations_ops),
    .add = add_relation,
};

/* As the host does it: each part is a JSON object, and copied. */
static int32_t set_part(struct kd_resource *res, struct kd_str json, size_t part)
{
    struct kd_kit_run *run = res->host;
    struct kd_str *const parts[] = { &run->labels, &run->annotations, &run->data };
    struct kd_value value;
    KD_TRY(kd_json_parse(json, &value, NULL));
    KD_ENSURE(value.type == KD_JSON_OBJECT, KD_EPARSE);
    struct kd_str copy =
        kd_arena_copy(&run->test->scratch, (struct kd_str){ value.ptr, value.len });
    KD_ENSURE(copy.ptr, KD_ENOMEM);
    *parts[part] = copy;
    return 0;
}

static int32_t set_labels(struct kd_resource *res, struct kd_str json)
{
    return set_part(res, json, 0);
}

static int32_t set_annotations(struct kd_resource *res, struct kd_str json)
{
    return set_part(res, json, 1);
}

static int32_t set_data(struct kd_resource *res, struct kd_str json)
{
    return set_part(res, json, 2);
}

const struct kd_resource_ops kd_kit_resource_ops = {
    .struct_size = sizeof(struct kd_resource_ops),
    .set_labels = set_labels,
    .set_annotations = set_annotations,
    .set_data = set_data,
};
