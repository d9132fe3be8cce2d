#include "informer/packed.h"

#include "base/str.h"

static const char hex[] = "0123456789abcdef";

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Whether a dash stands before byte number i. */
static bool dash_before(size_t i)
{
    return i == 4 || i == 6 || i == 8 || i == 10;
}

bool kd_uuid_pack(struct kd_str text, unsigned char out[KD_UUID_LEN])
{
    if (text.len != KD_UUID_TEXT) {
        return false;
    }
    const char *at = text.ptr;
    for (size_t i = 0; i < KD_UUID_LEN; i++) {
        if (dash_before(i) && *at++ != '-') {
            return false;
        }
        int high = hex_digit(at[0]);
        int low = hex_digit(at[1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (unsigned char)(high << 4 | low);
        at += 2;
    }
    return true;
}

struct kd_str kd_uuid_unpack(const unsigned char in[KD_UUID_LEN], char *out)
{
    char *at = out;
    for (size_t i = 0; i < KD_UUID_LEN; i++) {
        if (dash_before(i)) {
            *at++ = '-';
        }
        *at++ = hex[in[i] >> 4];
        *at++ = hex[in[i] & 15];
    }
    return (struct kd_str){ out, KD_UUID_TEXT };
}

bool kd_version_pack(struct kd_str text, uint64_t *ret)
{
    return text.len && (text.ptr[0] != '0' || text.len == 1) && kd_str_to_u64(text, ret);
}

struct kd_str kd_version_unpack(uint64_t version, char *out)
{
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + version % 10);
        version /= 10;
    } while (version);
    memcpy(out, digits + at, sizeof(digits) - at);
    return (struct kd_str){ out, sizeof(digits) - at };
}
