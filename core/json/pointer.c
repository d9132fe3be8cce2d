#include "json/pointer.h"

#include "base/str.h"

bool kd_pointer_next(const char **pos, struct kd_str *ret)
{
    if (**pos != '/') {
        return false;
    }
    const char *start = *pos + 1;
    *ret = (struct kd_str){ start, strcspn(start, "/") };
    *pos = start + ret->len;
    return true;
}

bool kd_pointer_valid(struct kd_str segment)
{
    for (uint64_t i = 0; i < segment.len; i++) {
        bool last = i + 1 == segment.len;
        if (segment.ptr[i] == '~' &&
            (last || (segment.ptr[i + 1] != '0' && segment.ptr[i + 1] != '1'))) {
            return false;
        }
    }
    return true;
}

uint64_t kd_pointer_decode(struct kd_str segment, char *out)
{
    uint64_t len = 0;
    for (uint64_t i = 0; i < segment.len; i++) {
        char c = segment.ptr[i];
        if (c == '~' && i + 1 < segment.len) {
            i++;
            c = segment.ptr[i] == '1' ? '/' : '~';
        }
        out[len++] = c;
    }
    return len;
}

uint64_t kd_pointer_index(struct kd_str segment)
{
    uint64_t index = 0;
    bool leading_zero = segment.len > 1 && segment.ptr[0] == '0';
    return leading_zero || !kd_str_to_u64(segment, &index) ? UINT64_MAX : index;
}
