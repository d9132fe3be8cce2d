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

