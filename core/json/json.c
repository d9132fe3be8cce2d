#include "json/json.h"

#include "base/limits.h"
#include "base/str.h"
#include "json/pointer.h"
#include "json/scan.h"

static bool is_container(struct kd_value value)
{
    return value.type == KD_JSON_OBJECT || value.type == KD_JSON_ARRAY;
}

bool kd_json_get(struct kd_value object, struct kd_str key, struct kd_value *ret)
{
    bool found = false;
    if (object.type != KD_JSON_OBJECT) {
        return false;
    }
    struct kd_members members = kd_members_open(object.ptr, object.ptr + object.len);
    while (kd_members_next(&members)) {
        struct kd_value name = kd_scan_slice(members.key, members.key + members.key_len);
        members.pos = kd_scan_value(members.value, members.end);
        if (kd_json_string_is(name, key)) {
            *ret = kd_scan_slice(members.value, members.pos); /* the last one of a name counts */
            found = true;
        }
    }
    return found;
}

static bool get_element(struct kd_value array, uint64_t index, struct kd_value *ret)
{
    struct kd_members members = kd_members_open(array.ptr, array.ptr + array.len);
    while (kd_members_next(&members)) {
        members.pos = kd_scan_value(members.value, members.end);
        if (members.n - 1 == index) {
            *ret = kd_scan_slice(members.value, members.pos);
            return true;
        }
    }
    return false;
}

static bool get_segment(struct kd_value value, struct kd_str segment, struct kd_value *ret)
{
    char decoded[KD_MAX_POINTER_KEY];
    if (value.type == KD_JSON_ARRAY) {
        return get_element(value, kd_pointer_index(segment), ret);
    }
    if (segment.len && memchr(segment.ptr, '~', segment.len)) {
        if (segment.len > sizeof(decoded) || !kd_pointer_valid(segment)) {
            return false;
        }
        segment = (struct kd_str){ decoded, kd_pointer_decode(segment, decoded) };
    }
    return kd_json_get(value, segment, ret);
}

bool kd_json_at(struct kd_value root, const char *pointer, struct kd_value *ret)
{
    struct kd_value value = root;
    struct kd_str segment;
    while (kd_pointer_next(&pointer, &segment)) {
        if (!get_segment(value, segment, &value)) {
            return false;
        }
    }
    if (*pointer || value.type == KD_JSON_NONE) { /* a path that does not begin with "/" */
        return false;
    }
    *ret = value;
    return true;
}

void kd_json_iter_init(struct kd_iter *iter, struct kd_value value)
{
    *iter = (struct kd_iter){ 0 };
    if (is_container(value)) {
        struct kd_members members = kd_members_open(value.ptr, value.ptr + value.len);
        iter->pos = members.pos;
        iter->end = members.end;
        iter->opaque[0] = members.object;
    }
}

bool kd_json_iter_next(struct kd_iter *iter, struct kd_value *ret_key, struct kd_value *ret_value)
{
    struct kd_members members = { .pos = iter->pos,
                                  .end = iter->end,
                                  .object = iter->opaque[0] != 0 };
    if (iter->pos == iter->end || !kd_members_next(&members)) {
        iter->pos = iter->end;
        return false;
    }
    iter->pos = kd_scan_value(members.value, members.end);
    *ret_key = members.object ? kd_scan_slice(members.key, members.key + members.key_len)
                              : (struct kd_value){ 0 };
    *ret_value = kd_scan_slice(members.value, iter->pos);
    return true;
}

int kd_json_int(struct kd_value value, int64_t *ret)
{
    KD_ENSURE(value.type == KD_JSON_NUMBER, KD_EINVAL);
    bool negative = value.ptr[0] == '-';
    uint64_t size = 0;
    struct kd_str digits = { value.ptr + negative, value.len - negative };
    KD_ENSURE(kd_str_to_u64(digits, &size), KD_EINVAL);
    KD_ENSURE(size <= (uint64_t)INT64_MAX + negative, KD_EINVAL);
    *ret = negative ? (int64_t)(0 - size) : (int64_t)size;
    return 0;
}

bool kd_json_true(struct kd_value value)
{
    return value.type == KD_JSON_BOOL && value.ptr[0] == 't';
}

struct kd_str kd_json_get_str(struct kd_value object, struct kd_str key, struct kd_arena *arena)
{
    struct kd_value value;
    struct kd_str text = { NULL, 0 };
    if (kd_json_get(object, key, &value) && kd_json_string(value, arena, &text) < 0) {
        text = (struct kd_str){ NULL, 0 };
    }
    return text;
}
