#include "ctl/names.h"

#include "ctl/text_table.h"

void kd_ctl_place_put(struct kd_buf *out, const struct kd_ref *ref)
{
    if (ref->ns.len > 0) {
        kd_ctl_clean_put(out, ref->ns);
        (void)kd_buf_putc(out, '/'); /* remembered, as all here */
    }
    kd_ctl_clean_put(out, ref->name);
}

void kd_ctl_ref_put(struct kd_buf *out, const struct kd_ref *ref)
{
    kd_ctl_clean_put(out, ref->kind);
    (void)kd_buf_putc(out, ' ');
    kd_ctl_place_put(out, ref);
}

void kd_ctl_relation_put(struct kd_buf *out, struct kd_str type, const struct kd_ref *subject,
                         const struct kd_ref *object)
{
    kd_ctl_clean_put(out, type);
    (void)kd_buf_putc(out, ' ');
    kd_ctl_ref_put(out, subject);
    (void)kd_buf_puts(out, " -> ");
    kd_ctl_ref_put(out, object);
}

void kd_ctl_ref_put_json(struct kd_buf *out, const struct kd_ref *ref)
{
    const struct {
        const char *key;
        struct kd_str text;
    } members[] = { { "group", ref->group },  { "version", ref->version }, { "kind", ref->kind },
                    { "namespace", ref->ns }, { "name", ref->name },       { "uid", ref->uid } };
    for (size_t i = 0; i < KD_ARRAY_LEN(members); i++) {
        (void)kd_buf_printf(out, "%s\"%s\":", i ? "," : "{", members[i].key);
        (void)kd_buf_put_json(out, members[i].text);
    }
    (void)kd_buf_putc(out, '}');
}
