#include "informer/codec.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <pthread.h>
#include <string.h>
#include <zstd.h>

#define SCRATCH_KEEP (KD_MIB) /* a larger scratch is given back after its use */
#define LEVEL 1
#define WORTH 64u /* below so many bytes compression gains nothing */

struct contexts {
    ZSTD_CCtx *writer;
    ZSTD_DCtx *reader;
    char *scratch;
    size_t cap;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void contexts_free(void *arg)
{
    struct contexts *own = arg;
    (void)ZSTD_freeCCtx(own->writer);
    (void)ZSTD_freeDCtx(own->reader);
    kd_free(own->scratch);
    kd_free(own);
}

static void make_key(void)
{
    KD_ASSERT(pthread_key_create(&key, contexts_free) == 0);
}

/* The main thread's contexts end with the process without passing the key's destructor. */
static void __attribute__((destructor)) main_contexts_free(void)
{
    (void)pthread_once(&once, make_key);
    struct contexts *own = pthread_getspecific(key);
    if (own) {
        (void)pthread_setspecific(key, NULL);
        contexts_free(own);
    }
}

static struct contexts *contexts_get(void)
{
    (void)pthread_once(&once, make_key);
    struct contexts *own = pthread_getspecific(key);
    if (!own) {
        own = kd_zalloc(sizeof(*own));
        KD_ASSERT(pthread_setspecific(key, own) == 0);
    }
    return own;
}

static ZSTD_CCtx *writer_get(struct contexts *own)
{
    if (!own->writer) {
        own->writer = ZSTD_createCCtx();
        if (own->writer) {
            /* The head of a record knows length and dictionary: the frame need not say them. */
            (void)ZSTD_CCtx_setParameter(own->writer, ZSTD_c_compressionLevel, LEVEL);
            (void)ZSTD_CCtx_setParameter(own->writer, ZSTD_c_contentSizeFlag, 0);
            (void)ZSTD_CCtx_setParameter(own->writer, ZSTD_c_dictIDFlag, 0);
            (void)ZSTD_CCtx_setParameter(own->writer, ZSTD_c_checksumFlag, 0);
        }
    }
    return own->writer;
}

static int scratch_reserve(struct contexts *own, size_t need)
{
    if (need <= own->cap && own->cap <= SCRATCH_KEEP) {
        return 0;
    }
    char *scratch = kd_try_alloc(need);
    KD_ENSURE(scratch, KD_ENOMEM);
    kd_free(own->scratch);
    own->scratch = scratch;
    own->cap = need;
    return 0;
}

int kd_codec_encode(struct kd_str raw, const struct kd_dict *dict, struct kd_encoded *ret)
{
    KD_ENSURE(raw.len <= UINT32_MAX, KD_ETOOBIG);
    *ret = (struct kd_encoded){ .bytes = raw,
                                .encoding = KD_ENCODING_PLAIN,
                                .raw_len = (uint32_t)raw.len };
    if (raw.len < WORTH) {
        return 0;
    }
    struct contexts *own = contexts_get();
    ZSTD_CCtx *writer = writer_get(own);
    KD_ENSURE(writer, KD_ENOMEM);
    KD_TRY(scratch_reserve(own, ZSTD_compressBound(raw.len)));
    if (ZSTD_isError(ZSTD_CCtx_refCDict(writer, dict ? kd_dict_writer(dict) : NULL))) {
        return KD_ENOMEM;
    }
    size_t len = ZSTD_compress2(writer, own->scratch, own->cap, raw.ptr, raw.len);
    if (!ZSTD_isError(len) && len < raw.len) {
        ret->bytes = (struct kd_str){ own->scratch, len };
        ret->encoding = dict ? KD_ENCODING_ZSTD_DICT : KD_ENCODING_ZSTD;
        ret->dict_id = dict ? kd_dict_id(dict) : 0;
    }
    return 0;
}

static size_t decompress(const struct kd_encoded *encoded, const struct kd_dict *dict, char *out)
{
    struct contexts *own = contexts_get();
    if (!own->reader) {
        own->reader = ZSTD_createDCtx();
    }
    if (!own->reader) {
        return (size_t)-1; /* any value that is no length of ours */
    }
    if (dict) {
        return ZSTD_decompress_usingDDict(own->reader, out, encoded->raw_len, encoded->bytes.ptr,
                                          encoded->bytes.len, kd_dict_reader(dict));
    }
    return ZSTD_decompressDCtx(own->reader, out, encoded->raw_len, encoded->bytes.ptr,
                               encoded->bytes.len);
}

int kd_encoded_decode(const struct kd_encoded *encoded, const struct kd_dict *dict,
                      struct kd_arena *arena, struct kd_str *ret)
{
    bool with_dict = encoded->encoding == KD_ENCODING_ZSTD_DICT;
    KD_ENSURE(encoded->encoding <= KD_ENCODING_ZSTD_DICT, KD_EIO);
    KD_ENSURE(!with_dict || (dict && kd_dict_id(dict) == encoded->dict_id), KD_EIO);
    char *out = kd_arena_alloc(arena, (size_t)encoded->raw_len + 1);
    KD_ENSURE(out, KD_ENOMEM);
    if (encoded->encoding == KD_ENCODING_PLAIN) {
        KD_ENSURE(encoded->bytes.len == encoded->raw_len, KD_EIO);
        if (encoded->raw_len) {
            memcpy(out, encoded->bytes.ptr, encoded->raw_len);
        }
    } else {
        size_t len = decompress(encoded, with_dict ? dict : NULL, out);
        KD_ENSURE(len == encoded->raw_len, KD_EIO);
    }
    out[encoded->raw_len] = '\0';
    *ret = (struct kd_str){ out, encoded->raw_len };
    return 0;
}
