#include "informer/codec.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <pthread.h>
#include <string.h>
#include <zstd.h>

#define SCRATCH_KEEP (KD_MIB) /* a larger scratch is given back after its use */
#define LEVEL 1
#define MEMBER_LEVEL 3 /* next to a base it leaves a twentieth less and takes no longer */
#define WORTH 64u      /* below so many bytes compression gains nothing */
#define TEXTS 4        /* of bases, that a thread keeps */

/* The text of a base. zstd's prepared form of it costs more to make than ten uses give back. */
struct text {
    uint64_t id;
    char *ptr; /* NULL: none */
    size_t len;
};

struct contexts {
    ZSTD_CCtx *writer;
    ZSTD_DCtx *reader;
    struct text texts[TEXTS];
    unsigned next_text; /* the one to give way */
    char *scratch;
    size_t cap;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void contexts_free(void *arg)
{
    struct contexts *own = arg;
    for (size_t i = 0; i < TEXTS; i++) {
        kd_free(own->texts[i].ptr);
    }
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

/* Compresses what the writer was prepared for; ret stays plain when that is no gain. A dictionary
 * has a level of its own. */
static int compress(struct contexts *own, int level, struct kd_str raw, uint32_t encoding,
                    struct kd_encoded *ret)
{
    (void)ZSTD_CCtx_setParameter(own->writer, ZSTD_c_compressionLevel, level); /* a known one */
    KD_TRY(scratch_reserve(own, ZSTD_compressBound(raw.len)));
    size_t len = ZSTD_compress2(own->writer, own->scratch, own->cap, raw.ptr, raw.len);
    if (!ZSTD_isError(len) && len < raw.len) {
        ret->bytes = (struct kd_str){ own->scratch, len };
        ret->encoding = encoding;
    }
    return 0;
}

static int plain(struct kd_str raw, struct kd_encoded *ret)
{
    KD_ENSURE(raw.len <= UINT32_MAX, KD_ETOOBIG);
    *ret = (struct kd_encoded){ .bytes = raw,
                                .encoding = KD_ENCODING_PLAIN,
                                .raw_len = (uint32_t)raw.len };
    return 0;
}

int kd_codec_encode(struct kd_str raw, const struct kd_dict *dict, struct kd_encoded *ret)
{
    struct contexts *own = contexts_get();
    KD_TRY(plain(raw, ret));
    if (raw.len < WORTH) {
        return 0;
    }
    ZSTD_CCtx *writer = writer_get(own);
    KD_ENSURE(writer, KD_ENOMEM);
    if (ZSTD_isError(ZSTD_CCtx_refCDict(writer, dict ? kd_dict_writer(dict) : NULL))) {
        return KD_ENOMEM;
    }
    KD_TRY(compress(own, LEVEL, raw, dict ? KD_ENCODING_ZSTD_DICT : KD_ENCODING_ZSTD, ret));
    if (ret->encoding == KD_ENCODING_ZSTD_DICT) {
        ret->dict_id = kd_dict_id(dict);
    }
    return 0;
}

static ZSTD_DCtx *reader_get(struct contexts *own)
{
    if (!own->reader) {
        own->reader = ZSTD_createDCtx();
    }
    return own->reader;
}

/* Decodes into out, which has room for raw_len; a base comes as its text. */
static int decode(struct contexts *own, const struct kd_encoded *encoded,
                  const struct kd_dict *dict, struct kd_str text, char *out)
{
    ZSTD_DCtx *reader = reader_get(own);
    struct kd_str in = encoded->bytes;
    size_t len = (size_t)-1; /* no length of ours */
    KD_ENSURE(reader, KD_ENOMEM);
    switch (encoded->encoding) {
    case KD_ENCODING_PLAIN:
        if (in.len == encoded->raw_len) {
            memcpy(out, in.ptr ? in.ptr : "", in.len);
            len = in.len;
        }
        break;
    case KD_ENCODING_ZSTD:
        len = ZSTD_decompressDCtx(reader, out, encoded->raw_len, in.ptr, in.len);
        break;
    case KD_ENCODING_ZSTD_DICT:
        KD_ENSURE(dict && kd_dict_id(dict) == encoded->dict_id, KD_EIO);
        len = ZSTD_decompress_usingDDict(reader, out, encoded->raw_len, in.ptr, in.len,
                                         kd_dict_reader(dict));
        break;
    case KD_ENCODING_ZSTD_BASE:
        KD_ENSURE(text.len, KD_EIO);
        len = ZSTD_decompress_usingDict(reader, out, encoded->raw_len, in.ptr, in.len, text.ptr,
                                        text.len);
        break;
    default:
        break;
    }
    return len == encoded->raw_len ? 0 : KD_EIO;
}

/* The text of a base, borrowed until the thread's next one. */
static int text_get(struct contexts *own, const struct kd_base *base, struct text **ret)
{
    struct kd_encoded encoded;
    for (size_t i = 0; i < TEXTS; i++) {
        if (own->texts[i].ptr && own->texts[i].id == kd_base_id(base)) {
            *ret = &own->texts[i];
            return 0;
        }
    }
    kd_base_encoded(base, &encoded);
    KD_ENSURE(encoded.raw_len && encoded.encoding <= KD_ENCODING_ZSTD_DICT, KD_EIO);
    char *ptr = kd_try_alloc(encoded.raw_len);
    KD_ENSURE(ptr, KD_ENOMEM);
    int rc = decode(own, &encoded, kd_base_dict(base), (struct kd_str){ NULL, 0 }, ptr);
    if (rc < 0) {
        kd_free(ptr);
        return rc;
    }
    struct text *text = &own->texts[own->next_text++ % TEXTS];
    kd_free(text->ptr);
    *text = (struct text){ .id = kd_base_id(base), .ptr = ptr, .len = encoded.raw_len };
    *ret = text;
    return 0;
}

int kd_codec_encode_with(struct kd_str raw, const struct kd_base *base, struct kd_encoded *ret)
{
    struct contexts *own = contexts_get();
    struct text *text = NULL;
    ZSTD_CCtx *writer = writer_get(own);
    KD_TRY(plain(raw, ret));
    KD_ENSURE(writer, KD_ENOMEM);
    KD_TRY(text_get(own, base, &text));
    KD_ENSURE(!ZSTD_isError(ZSTD_CCtx_refPrefix(writer, text->ptr, text->len)), KD_ENOMEM);
    KD_TRY(compress(own, MEMBER_LEVEL, raw, KD_ENCODING_ZSTD_BASE, ret));
    if (ret->encoding == KD_ENCODING_ZSTD_BASE) {
        ret->base_id = kd_base_id(base);
    }
    return 0;
}

int kd_encoded_decode(const struct kd_encoded *encoded, const struct kd_dict *dict,
                      const struct kd_base *base, struct kd_arena *arena, struct kd_str *ret)
{
    struct contexts *own = contexts_get();
    struct kd_str text = { NULL, 0 };
    if (encoded->encoding == KD_ENCODING_ZSTD_BASE) {
        struct text *of_base = NULL;
        KD_ENSURE(base && kd_base_id(base) == encoded->base_id, KD_EIO);
        KD_TRY(text_get(own, base, &of_base));
        text = (struct kd_str){ of_base->ptr, of_base->len };
    }
    char *out = kd_arena_alloc(arena, (size_t)encoded->raw_len + 1);
    KD_ENSURE(out, KD_ENOMEM);
    KD_TRY(decode(own, encoded, dict, text, out));
    out[encoded->raw_len] = '\0';
    *ret = (struct kd_str){ out, encoded->raw_len };
    return 0;
}
