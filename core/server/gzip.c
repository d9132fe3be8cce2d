#include "server/gzip.h"

#include "base/error.h"

#include <limits.h>
#include <zlib.h>

#define WINDOW_BITS 15
#define AS_GZIP 16
#define MEMORY_LEVEL 8

int kd_gzip(struct kd_str text, struct kd_buf *out)
{
    z_stream stream = { 0 };
    KD_ENSURE(text.len < UINT_MAX / 2, KD_ETOOBIG);
    KD_ENSURE(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS + AS_GZIP, MEMORY_LEVEL,
                           Z_DEFAULT_STRATEGY) == Z_OK,
              KD_ENOMEM);
    size_t bound = deflateBound(&stream, text.len);
    int rc = kd_buf_reserve(out, bound);
    if (rc == 0) {
        stream.next_in = (Bytef *)(uintptr_t)text.ptr; /* only read */
        stream.avail_in = (uInt)text.len;
        stream.next_out = (Bytef *)out->ptr + out->len;
        stream.avail_out = (uInt)bound;
        rc = deflate(&stream, Z_FINISH) == Z_STREAM_END ? 0 : KD_ENOMEM;
        out->len += rc == 0 ? stream.total_out : 0;
    }
    (void)deflateEnd(&stream); /* nothing is left in it */
    return rc;
}
