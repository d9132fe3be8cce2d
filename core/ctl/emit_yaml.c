#include "ctl/emit.h"

#include "json/json.h"

#define KEY_MAX 500 /* a longer one, quoted, may be no simple key: it is marked by "? " */

static void put_members(struct kd_buf *out, struct kd_value map, unsigned column,
                        bool first_inline);
static void put_elements(struct kd_buf *out, struct kd_value list, unsigned column,
                         bool first_inline);

static bool is_filled(struct kd_value value)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value member;
    kd_json_iter_init(&iter, value);
    return kd_json_iter_next(&iter, &key, &member);
}

static void put_column(struct kd_buf *out, unsigned column)
{
    (void)kd_buf_printf(out, "%*s", (int)column, ""); /* remembered by the buffer, as all here */
}

/* Decodes a string value and writes it as a key, or as a scalar whose lines begin at column. */
static void put_string(struct kd_buf *out, struct kd_value string, unsigned column, bool is_key)
{
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&text, string.len + 1);
    if (kd_json_string_put(string, &text) < 0) {
        out->failed = true;
        return;
    }
    if (is_key) {
        kd_ctl_yaml_put_key(out, kd_buf_str(&text));
    } else {
        kd_ctl_yaml_put_text(out, kd_buf_str(&text), column);
    }
}

static void put_scalar(struct kd_buf *out, struct kd_value value, unsigned column)
{
    if (value.type == KD_JSON_STRING) {
        put_string(out, value, column, false);
    } else if (value.type == KD_JSON_OBJECT || value.type == KD_JSON_ARRAY) {
        (void)kd_buf_puts(out, value.type == KD_JSON_OBJECT ? "{}" : "[]"); /* an empty one */
    } else {
        (void)kd_buf_put(out, value.ptr, value.len);
    }
    (void)kd_buf_putc(out, '\n');
}

/* Behind "key:". The elements of a list stand in the column of their key. */
static void put_member_value(struct kd_buf *out, struct kd_value value, unsigned column)
{
    if (!is_filled(value)) {
        (void)kd_buf_putc(out, ' ');
        put_scalar(out, value, column + 2);
        return;
    }
    (void)kd_buf_putc(out, '\n');
    if (value.type == KD_JSON_OBJECT) {
        put_members(out, value, column + 2, false);
    } else {
        put_elements(out, value, column, false);
    }
}

static void put_members(struct kd_buf *out, struct kd_value map, unsigned column, bool first_inline)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value value;
    kd_json_iter_init(&iter, map);
    while (kd_json_iter_next(&iter, &key, &value)) {
        put_column(out, first_inline ? 0 : column);
        first_inline = false;
        bool simple = key.len <= KEY_MAX;
        (void)kd_buf_puts(out, simple ? "" : "? ");
        put_string(out, key, 0, true);
        if (!simple) {
            (void)kd_buf_putc(out, '\n');
            put_column(out, column);
        }
        (void)kd_buf_putc(out, ':');
        put_member_value(out, value, column);
    }
}

/* Behind "- ", which makes the first line of what follows begin two columns further in. */
static void put_element_value(struct kd_buf *out, struct kd_value value, unsigned column)
{
    if (!is_filled(value)) {
        put_scalar(out, value, column + 2);
    } else if (value.type == KD_JSON_OBJECT) {
        put_members(out, value, column + 2, true);
    } else {
        put_elements(out, value, column + 2, true);
    }
}

static void put_elements(struct kd_buf *out, struct kd_value list, unsigned column,
                         bool first_inline)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value value;
    kd_json_iter_init(&iter, list);
    while (kd_json_iter_next(&iter, &key, &value)) {
        put_column(out, first_inline ? 0 : column);
        first_inline = false;
        (void)kd_buf_puts(out, "- ");
        put_element_value(out, value, column);
    }
}

void kd_ctl_yaml_put(struct kd_buf *out, struct kd_value value)
{
    if (!is_filled(value)) {
        put_scalar(out, value, 2);
    } else if (value.type == KD_JSON_OBJECT) {
        put_members(out, value, 0, false);
    } else {
        put_elements(out, value, 0, false);
    }
}

void kd_ctl_yaml_put_element(struct kd_buf *out, struct kd_value value)
{
    (void)kd_buf_puts(out, "- ");
    put_element_value(out, value, 0);
}
