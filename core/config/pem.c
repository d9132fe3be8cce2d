#include "config/pem.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"

#include <openssl/evp.h>
#include <stdbool.h>
#include <string.h>

#define BEGIN "-----BEGIN "
#define END "-----END "

char *kd_secret_free(char *text)
{
    return kd_free_secret(text, text ? strlen(text) : 0);
}

/* The text again with a line break before each BEGIN; *ret is untouched when there is no part. */
static bool normalize(const char *text, size_t len, char **ret)
{
    if (memchr(text, '\0', len) || !strstr(text, BEGIN) || !strstr(text, END)) {
        return false;
    }
    size_t parts = 0;
    for (const char *at = text; (at = strstr(at, BEGIN)) != NULL; at += strlen(BEGIN)) {
        parts++;
    }
    char *out = kd_zalloc(len + parts + 2);
    size_t used = 0;
    for (const char *at = text; *at; at++) {
        if (strncmp(at, BEGIN, strlen(BEGIN)) == 0 && used > 0 && out[used - 1] != '\n') {
            out[used++] = '\n';
        }
        out[used++] = *at;
    }
    if (out[used - 1] != '\n') {
        out[used] = '\n';
    }
    *ret = out;
    return true;
}

int kd_pem_read(const char *path, const char *what, char **ret, struct kd_error *reterr)
{
    struct kd_buf buf;
    kd_buf_init(&buf, KD_MAX_KUBECONFIG);
    int rc = kd_file_read(path, &buf, reterr);
    if (rc < 0) {
        rc = kd_fail_prefix(reterr, KD_ECONFIG, "%s", what);
    } else if (buf.len == 0 || !normalize(buf.ptr, buf.len, ret)) {
        rc = kd_fail(reterr, KD_ECONFIG, "%s: %s holds no PEM text (" BEGIN "...)", what, path);
    }
    buf.ptr = kd_free_secret(buf.ptr, buf.cap);
    kd_buf_release(&buf);
    return rc;
}

/* Length of the decoded bytes, or -1. OpenSSL passes over white space and wants full padding. */
static int decode(const char *base64, size_t len, unsigned char *out)
{
    EVP_ENCODE_CTX *ctx = EVP_ENCODE_CTX_new();
    int body = 0;
    int tail = 0;
    bool ok = ctx != NULL;
    if (ok) {
        EVP_DecodeInit(ctx);
        ok = EVP_DecodeUpdate(ctx, out, &body, (const unsigned char *)base64, (int)len) >= 0 &&
             EVP_DecodeFinal(ctx, out + body, &tail) >= 0;
    }
    EVP_ENCODE_CTX_free(ctx);
    return ok ? body + tail : -1;
}

int kd_pem_decode(const char *base64, const char *what, char **ret, struct kd_error *reterr)
{
    size_t len = strlen(base64);
    KD_ENSURE(len <= KD_MAX_KUBECONFIG, kd_fail(reterr, KD_ETOOBIG, "%s: too large", what));
    size_t size = len + 1; /* four characters give three bytes */
    char *bytes = kd_zalloc(size);
    int decoded = decode(base64, len, (unsigned char *)bytes);
    int rc = 0;
    if (decoded < 0) {
        rc = kd_fail(reterr, KD_ECONFIG, "%s: is no base64", what);
    } else if (!normalize(bytes, (size_t)decoded, ret)) {
        rc = kd_fail(reterr, KD_ECONFIG, "%s: holds no PEM text (" BEGIN "...)", what);
    }
    kd_free_secret(bytes, size);
    return rc;
}
