#include "ctl/emit.h"

#include "json/json.h"

static void new_line(struct kd_buf *out, unsigned level)
{
    (void)kd_buf_printf(out, "\n%*s", (int)(2 * level), ""); /* remembered by the buffer */
}

void kd_ctl_json_put(struct kd_buf *out, struct kd_value value, unsigned level)
{
    bool object = value.type == KD_JSON_OBJECT;
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value member;
    bool empty = true;
    if (!object && value.type != KD_JSON_ARRAY) {
        (void)kd_buf_put(out, value.ptr, value.len); /* remembered by the buffer, as all here */
        return;
    }
    (void)kd_buf_putc(out, object ? '{' : '[');
    kd_json_iter_init(&iter, value);
    while (kd_json_iter_next(&iter, &key, &member)) {
        (void)kd_buf_puts(out, empty ? "" : ",");
        empty = false;
        new_line(out, level + 1);
        if (object) {
            (void)kd_buf_put(out, key.ptr, key.len);
            (void)kd_buf_puts(out, ": ");
        }
        kd_ctl_json_put(out, member, level + 1);
    }
    if (!empty) {
        new_line(out, level);
    }
    (void)kd_buf_putc(out, object ? '}' : ']');
}
