#include "json/scan.h"

static const uint8_t value_types[256] = {
    ['{'] = KD_JSON_OBJECT, ['['] = KD_JSON_ARRAY,  ['"'] = KD_JSON_STRING, ['n'] = KD_JSON_NULL,
    ['t'] = KD_JSON_BOOL,   ['f'] = KD_JSON_BOOL,   ['-'] = KD_JSON_NUMBER, ['0'] = KD_JSON_NUMBER,
    ['1'] = KD_JSON_NUMBER, ['2'] = KD_JSON_NUMBER, ['3'] = KD_JSON_NUMBER, ['4'] = KD_JSON_NUMBER,
    ['5'] = KD_JSON_NUMBER, ['6'] = KD_JSON_NUMBER, ['7'] = KD_JSON_NUMBER, ['8'] = KD_JSON_NUMBER,
    ['9'] = KD_JSON_NUMBER,
};

uint32_t kd_scan_type(char c)
{
    return value_types[(unsigned char)c];
}

/* The builtin is a call into libgcc unless the build targets a newer CPU. */
static uint64_t count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return bits * KD_WORD_ONES >> 56;
}

/* Bytes that a backslash before them robs of their meaning; *carry goes from block to block. */
static uint64_t find_escaped(uint64_t backslash, size_t n, uint64_t *carry)
{
    uint64_t escaped = *carry;
    *carry = 0;
    backslash &= ~escaped;
    while (backslash) {
        unsigned at = (unsigned)__builtin_ctzll(backslash);
        if (at + 1 == n) {
            *carry = 1;
            break;
        }
        uint64_t next = UINT64_C(2) << at;
        escaped |= next;
        backslash &= ~(next | next >> 1);
    }
    return escaped;
}

/* Bit i of the result is the parity of bits 0..i. */
static uint64_t running_parity(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2) {
        bits ^= bits << shift;
    }
    return bits;
}

static void load_last(const char *pos, size_t n, struct kd_block *ret)
{
    char padded[KD_BLOCK];
    memset(padded, ' ', sizeof(padded));
    memcpy(padded, pos, n);
    kd_block_load(padded, ret);
}

/* Length up to the bracket that closes the last open one, 0 when it is not in these masks. */
static size_t find_close(struct kd_scan *scan, uint64_t open, uint64_t close)
{
    uint64_t closed = 0;
    for (uint64_t left = close; left; left &= left - 1) {
        uint64_t before = (left & -left) - 1;
        closed++;
        if (scan->depth + count_bits(open & before) == closed) {
            scan->depth = 0;
            return (size_t)__builtin_ctzll(left) + 1;
        }
    }
    scan->depth += count_bits(open) - closed;
    return 0;
}

const char *kd_scan_close(struct kd_scan *scan, const char *pos, const char *end)
{
    while (pos < end) {
        struct kd_block block;
        size_t n = (size_t)(end - pos);
        if (n >= KD_BLOCK) {
            n = KD_BLOCK;
            kd_block_load(pos, &block);
        } else {
            load_last(pos, n, &block);
        }
        uint64_t escaped = find_escaped(block.backslash, n, &scan->escaped);
        uint64_t in_string = running_parity(block.quote & ~escaped) ^ scan->in_string;
        uint64_t open = block.open & ~in_string;
        uint64_t close = block.close & ~in_string;
        scan->in_string = 0 - (in_string >> 63);
        uint64_t n_close = count_bits(close);
        if (n_close < scan->depth) { /* cannot come down to zero in here */
            scan->depth += count_bits(open) - n_close;
        } else {
            size_t len = find_close(scan, open, close);
            if (len) {
                return pos + len;
            }
        }
        pos += n;
    }
    return NULL;
}
