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

/* How a block is looked at; the walk is compiled once for each way, with all of it inlined. */
struct way {
    void (*load)(const char *ptr, struct kd_block *ret);
    uint64_t (*count)(uint64_t bits);
    uint64_t (*parity)(uint64_t bits);
};

#define INLINED static inline __attribute__((always_inline))

/* Bytes that a backslash before them robs of their meaning; *carry goes from block to block. */
INLINED uint64_t find_escaped(uint64_t backslash, size_t n, uint64_t *carry)
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

INLINED void load_last(const struct way *way, const char *pos, size_t n, struct kd_block *ret)
{
    char padded[KD_BLOCK];
    memset(padded, ' ', sizeof(padded));
    memcpy(padded, pos, n);
    way->load(padded, ret);
}

/* Length up to the bracket that closes the last open one, 0 when it is not in these masks. */
INLINED size_t find_close(const struct way *way, struct kd_scan *scan, uint64_t open,
                          uint64_t close)
{
    uint64_t closed = 0;
    for (uint64_t left = close; left; left &= left - 1) {
        uint64_t before = (left & -left) - 1;
        closed++;
        if (scan->depth + way->count(open & before) == closed) {
            scan->depth = 0;
            return (size_t)__builtin_ctzll(left) + 1;
        }
    }
    scan->depth += way->count(open) - closed;
    return 0;
}

INLINED const char *walk(const struct way *way, struct kd_scan *scan, const char *pos,
                         const char *end)
{
    while (pos < end) {
        struct kd_block block;
        size_t n = (size_t)(end - pos);
        if (n >= KD_BLOCK) {
            n = KD_BLOCK;
            way->load(pos, &block);
        } else {
            load_last(way, pos, n, &block);
        }
        uint64_t escaped = find_escaped(block.backslash, n, &scan->escaped);
        uint64_t in_string = way->parity(block.quote & ~escaped) ^ scan->in_string;
        uint64_t open = block.open & ~in_string;
        uint64_t close = block.close & ~in_string;
        scan->in_string = 0 - (in_string >> 63);
        uint64_t n_close = way->count(close);
        if (n_close < scan->depth) { /* cannot come down to zero in here */
            scan->depth += way->count(open) - n_close;
        } else {
            size_t len = find_close(way, scan, open, close);
            if (len) {
                return pos + len;
            }
        }
        pos += n;
    }
    return NULL;
}

const char *kd_scan_close_plain(struct kd_scan *scan, const char *pos, const char *end)
{
    static const struct way way = { kd_block_load, kd_word_count, kd_word_parity };
    return walk(&way, scan, pos, end);
}

#if defined(KD_HAVE_WIDE)

KD_WIDE static const char *close_wide(struct kd_scan *scan, const char *pos, const char *end)
{
    static const struct way way = { kd_wide_block, kd_wide_count, kd_wide_parity };
    return walk(&way, scan, pos, end);
}

bool kd_scan_has_wide(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("pclmul");
}

static const char *(*close_best)(struct kd_scan *scan, const char *pos,
                                 const char *end) = kd_scan_close_plain;

/* Before main, so that no thread sees it change. */
static void __attribute__((constructor)) choose(void)
{
    __builtin_cpu_init();
    if (kd_scan_has_wide()) {
        close_best = close_wide;
    }
}

const char *kd_scan_close(struct kd_scan *scan, const char *pos, const char *end)
{
    return close_best(scan, pos, end);
}

#else

bool kd_scan_has_wide(void)
{
    return false;
}

const char *kd_scan_close(struct kd_scan *scan, const char *pos, const char *end)
{
    return kd_scan_close_plain(scan, pos, end);
}

#endif
