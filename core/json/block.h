/*
 * Looking at many bytes at once: which of them are quotes, backslashes or brackets. Bit i of a mask
 * stands for byte i. There are three ways: plain 64-bit words, SSE2 where the compiler has it, and
 * AVX2 with what came with it, which only a processor that has it may run (KD_HAVE_WIDE says
 * whether it was compiled at all). All give the same masks; a test compares them.
 */
#ifndef KD_JSON_BLOCK_H
#define KD_JSON_BLOCK_H

#include <endian.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#define KD_HAVE_WIDE 1
#define KD_WIDE __attribute__((target("avx2,popcnt,bmi,pclmul")))
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define KD_BLOCK 64 /* bytes that kd_block_load reads */
#define KD_STRIP 16 /* bytes that kd_text_stops reads */

struct kd_block {
    uint64_t quote;
    uint64_t backslash;
    uint64_t open;  /* { and [ */
    uint64_t close; /* } and ] */
};

#define KD_WORD_ONES UINT64_C(0x0101010101010101)
#define KD_WORD_LOW7 UINT64_C(0x7f7f7f7f7f7f7f7f)

/* 0x80 in every byte of word that is c. Exact: no carry passes from one byte to the next. */
static inline uint64_t kd_word_equal(uint64_t word, unsigned char c)
{
    uint64_t diff = word ^ (KD_WORD_ONES * c);
    return ~(((diff & KD_WORD_LOW7) + KD_WORD_LOW7) | diff | KD_WORD_LOW7);
}

/* 0x80 in every byte below 0x20. */
static inline uint64_t kd_word_control(uint64_t word)
{
    uint64_t at_least = (word & KD_WORD_LOW7) + KD_WORD_ONES * 0x60;
    return ~(at_least | word | KD_WORD_LOW7);
}

/* The eight 0x80 marks of a word as eight neighbouring bits. */
static inline uint64_t kd_word_bits(uint64_t marks)
{
    return (marks >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t kd_word_load(const char *ptr)
{
    uint64_t word;
    memcpy(&word, ptr, sizeof(word));
    return le64toh(word);
}

/* The builtin is a call into libgcc unless the build targets a newer processor. */
static inline uint64_t kd_word_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return bits * KD_WORD_ONES >> 56;
}

/* Bit i of the result is the parity of bits 0..i. */
static inline uint64_t kd_word_parity(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2) {
        bits ^= bits << shift;
    }
    return bits;
}

static inline void kd_word_block(const char *ptr, struct kd_block *ret)
{
    *ret = (struct kd_block){ 0 };
    for (unsigned i = 0; i < KD_BLOCK; i += 8) {
        uint64_t word = kd_word_load(ptr + i);
        uint64_t folded = word | KD_WORD_ONES * 0x20; /* makes [ a { and ] a } */
        ret->quote |= kd_word_bits(kd_word_equal(word, '"')) << i;
        ret->backslash |= kd_word_bits(kd_word_equal(word, '\\')) << i;
        ret->open |= kd_word_bits(kd_word_equal(folded, '{')) << i;
        ret->close |= kd_word_bits(kd_word_equal(folded, '}')) << i;
    }
}

/* Bytes that end a plain run within a string: quote, backslash, control characters. */
static inline uint32_t kd_word_stops(const char *ptr)
{
    uint64_t stops = 0;
    for (unsigned i = 0; i < KD_STRIP; i += 8) {
        uint64_t word = kd_word_load(ptr + i);
        uint64_t marks =
            kd_word_equal(word, '"') | kd_word_equal(word, '\\') | kd_word_control(word);
        stops |= kd_word_bits(marks) << i;
    }
    return (uint32_t)stops;
}

#if defined(__SSE2__)

static inline __m128i kd_sse2_load(const char *ptr)
{
    return _mm_loadu_si128((const __m128i *)(const void *)ptr);
}

static inline uint64_t kd_sse2_equal(__m128i bytes, char c)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

static inline void kd_sse2_block(const char *ptr, struct kd_block *ret)
{
    struct kd_block block = { 0 };
    for (unsigned i = 0; i < KD_BLOCK; i += 16) {
        __m128i bytes = kd_sse2_load(ptr + i);
        __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        block.quote |= kd_sse2_equal(bytes, '"') << i;
        block.backslash |= kd_sse2_equal(bytes, '\\') << i;
        block.open |= kd_sse2_equal(folded, '{') << i;
        block.close |= kd_sse2_equal(folded, '}') << i;
    }
    *ret = block;
}

static inline uint32_t kd_sse2_stops(const char *ptr)
{
    __m128i bytes = kd_sse2_load(ptr);
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash)));
}

#define kd_block_load kd_sse2_block
#define kd_text_stops kd_sse2_stops
#else
#define kd_block_load kd_word_block
#define kd_text_stops kd_word_stops
#endif

#if defined(KD_HAVE_WIDE)

KD_WIDE static inline uint64_t kd_wide_equal(__m256i low, __m256i high, char c)
{
    __m256i wanted = _mm256_set1_epi8(c);
    uint32_t bits_low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted));
    uint32_t bits_high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted));
    return bits_low | (uint64_t)bits_high << 32;
}

KD_WIDE static inline void kd_wide_block(const char *ptr, struct kd_block *ret)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)ptr);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(ptr + 32));
    __m256i fold = _mm256_set1_epi8(0x20);
    ret->quote = kd_wide_equal(low, high, '"');
    ret->backslash = kd_wide_equal(low, high, '\\');
    low = _mm256_or_si256(low, fold);
    high = _mm256_or_si256(high, fold);
    ret->open = kd_wide_equal(low, high, '{');
    ret->close = kd_wide_equal(low, high, '}');
}

KD_WIDE static inline uint64_t kd_wide_count(uint64_t bits)
{
    return (uint64_t)__builtin_popcountll(bits);
}

KD_WIDE static inline uint64_t kd_wide_parity(uint64_t bits)
{
    __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)bits), _mm_set1_epi8((char)0xff), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

#endif

#endif
