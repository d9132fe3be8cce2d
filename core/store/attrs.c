#include "store/attrs.h"

#include "base/str.h"

#define MAX_ATTRS 64 /* of one relation */

int kd_attrs_write(struct kd_buf *out, const struct kd_attr *attrs, uint32_t n_attrs, uint32_t any)
{
    const struct kd_attr *order[MAX_ATTRS];
    size_t n = 0;
    KD_ENSURE(n_attrs <= MAX_ATTRS, KD_ETOOBIG);
    for (uint32_t i = 0; i < n_attrs; i++) { /* few: insertion sort by key */
        if ((attrs[i].flags & KD_ATTR_ANY) != any) {
            continue;
        }
        size_t at = n++;
        for (; at > 0 && kd_str_cmp(order[at - 1]->key, attrs[i].key) > 0; at--) {
            order[at] = order[at - 1];
        }
        order[at] = &attrs[i];
    }
    for (size_t i = 0; i < n; i++) {
        const struct kd_attr *attr = order[i];
        KD_TRY(i ? kd_buf_putc(out, ',') : 0);
        KD_TRY(kd_buf_put_json(out, attr->key));
        KD_TRY(kd_buf_putc(out, ':'));
        if (attr->type == KD_ATTR_STRING) {
            KD_TRY(kd_buf_put_json(out, attr->text));
        } else if (attr->type == KD_ATTR_INT) {
            KD_TRY(kd_buf_printf(out, "%lld", (long long)attr->number));
        } else {
            KD_ENSURE(attr->type == KD_ATTR_BOOL, KD_EINVAL);
            KD_TRY(kd_buf_puts(out, attr->number ? "true" : "false"));
        }
    }
    return 0;
}

struct member {
    struct kd_str key; /* with its quotes */
    struct kd_str value;
};

static size_t string_end(struct kd_str text, size_t at)
{
    for (at++; at < text.len && text.ptr[at] != '"'; at++) {
        at += text.ptr[at] == '\\';
    }
    return at < text.len ? at + 1 : text.len;
}

/* Next member of a text of our own making; false at its end. */
static bool next_member(struct kd_str *rest, struct member *ret)
{
    if (rest->len == 0) {
        return false;
    }
    size_t key_end = string_end(*rest, 0);
    size_t start = key_end + 1;
    size_t end = start;
    if (end < rest->len && rest->ptr[end] == '"') {
        end = string_end(*rest, end);
    } else {
        while (end < rest->len && rest->ptr[end] != ',') {
            end++;
        }
    }
    if (end > rest->len || start > rest->len) {
        return false;
    }
    ret->key = (struct kd_str){ rest->ptr, key_end };
    ret->value = (struct kd_str){ rest->ptr + start, end - start };
    size_t used = end < rest->len ? end + 1 : end;
    *rest = (struct kd_str){ rest->ptr + used, rest->len - used };
    return true;
}

static bool find_member(struct kd_str text, struct kd_str key, struct kd_str *ret_value)
{
    struct member member;
    while (next_member(&text, &member)) {
        if (kd_str_eq(member.key, key)) {
            *ret_value = member.value;
            return true;
        }
    }
    return false;
}

static int put_member(struct kd_buf *out, struct kd_str key, struct kd_str value)
{
    KD_TRY(out->len ? kd_buf_putc(out, ',') : 0);
    KD_TRY(kd_buf_put_str(out, key));
    KD_TRY(kd_buf_putc(out, ':'));
    return kd_buf_put_str(out, value);
}

int kd_attrs_merge(struct kd_buf *out, struct kd_str extra)
{
    KD_AUTO_BUF struct kd_buf old;
    kd_buf_init(&old, out->max);
    KD_TRY(kd_buf_put_str(&old, kd_buf_str(out)));
    kd_buf_clear(out, out->cap);
    struct member member;
    struct kd_str other;
    struct kd_str rest = kd_buf_str(&old);
    while (next_member(&rest, &member)) {
        bool truer = find_member(extra, member.key, &other) && kd_str_is(member.value, "false") &&
                     kd_str_is(other, "true");
        KD_TRY(put_member(out, member.key, truer ? other : member.value));
    }
    rest = extra;
    while (next_member(&rest, &member)) {
        if (!find_member(kd_buf_str(&old), member.key, &other)) {
            KD_TRY(put_member(out, member.key, member.value));
        }
    }
    return 0;
}

int kd_attrs_object(struct kd_buf *out, struct kd_str attrs, struct kd_str extra)
{
    KD_TRY(kd_buf_putc(out, '{'));
    KD_TRY(kd_buf_put_str(out, attrs));
    KD_TRY(attrs.len && extra.len ? kd_buf_putc(out, ',') : 0);
    KD_TRY(kd_buf_put_str(out, extra));
    return kd_buf_putc(out, '}');
}
