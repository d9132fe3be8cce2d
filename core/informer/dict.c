/* Dictionaries: immutable bytes with zstd's two prepared forms, counted. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "informer/codec.h"

#include <stdatomic.h>
#include <string.h>
#define ZDICT_STATIC_LINKING_ONLY /* training with parameters of ours */
#include <zdict.h>
#include <zstd.h>

#define LEVEL 1
#define TRAINED_MAX (64 * KD_KIB) /* a larger one was measured to gain nothing more */

struct kd_dict {
    _Atomic size_t refs;
    uint64_t id;
    ZSTD_CDict *writer;
    ZSTD_DDict *reader;
    size_t len;
    char bytes[];
};

_Static_assert(TRAINED_MAX <= KD_MAX_DICT, "over the bound");

struct kd_dict *kd_dict_ref(struct kd_dict *dict)
{
    if (dict) {
        atomic_fetch_add_explicit(&dict->refs, 1, memory_order_relaxed);
    }
    return dict;
}

void kd_dict_unref(struct kd_dict *dict)
{
    if (dict && atomic_fetch_sub_explicit(&dict->refs, 1, memory_order_acq_rel) == 1) {
        (void)ZSTD_freeCDict(dict->writer);
        (void)ZSTD_freeDDict(dict->reader);
        kd_free(dict);
    }
}

uint64_t kd_dict_id(const struct kd_dict *dict)
{
    return dict->id;
}

struct kd_str kd_dict_bytes(const struct kd_dict *dict)
{
    return (struct kd_str){ dict->bytes, dict->len };
}

const struct ZSTD_CDict_s *kd_dict_writer(const struct kd_dict *dict)
{
    return dict->writer;
}

const struct ZSTD_DDict_s *kd_dict_reader(const struct kd_dict *dict)
{
    return dict->reader;
}

struct kd_dict *kd_dict_new(struct kd_str bytes)
{
    size_t size = 0;
    if (!kd_size_add(sizeof(struct kd_dict), bytes.len, &size)) {
        return NULL;
    }
    struct kd_dict *dict = kd_try_alloc(size);
    if (!dict) {
        return NULL;
    }
    atomic_init(&dict->refs, 1);
    dict->id = kd_hash(bytes.ptr, bytes.len, 0);
    dict->len = bytes.len;
    if (bytes.len) {
        memcpy(dict->bytes, bytes.ptr, bytes.len);
    }
    dict->writer = ZSTD_createCDict(dict->bytes, dict->len, LEVEL);
    dict->reader = ZSTD_createDDict(dict->bytes, dict->len);
    if (!dict->writer || !dict->reader) {
        kd_dict_unref(dict);
        return NULL;
    }
    return dict;
}

struct kd_dict *kd_dict_train(const char *samples, const size_t *sizes, size_t n)
{
    char *bytes = kd_try_alloc(TRAINED_MAX);
    if (!bytes) {
        return NULL;
    }
    struct kd_dict *dict = NULL;
    /* Fixed parameters: the search for good ones, which zstd's plain call makes, costs twenty times
     * as much and was measured to leave no byte less of a pod. */
    const ZDICT_fastCover_params_t params = {
        .k = 1000, .d = 8, .f = 17, .accel = 5, .zParams.compressionLevel = LEVEL
    };
    size_t len =
        ZDICT_trainFromBuffer_fastCover(bytes, TRAINED_MAX, samples, sizes, (unsigned)n, params);
    if (!ZDICT_isError(len)) {
        dict = kd_dict_new((struct kd_str){ bytes, len });
    }
    kd_free(bytes);
    return dict;
}
