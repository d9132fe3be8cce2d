/* What an id token says of itself. Its signature is the API server's to check. */
#include "client/oidcgrant.h"

#include "base/alloc.h"
#include "base/str.h"

#include <json-c/json.h>
#include <math.h>
#include <openssl/evp.h>
#include <string.h>

#define MAX_YEAR_S INT64_C(253402300799)

/* Base64 with the alphabet for URLs and without padding. NUL-terminated; NULL when it is none. */
static char *decode(struct kd_str part)
{
    size_t padded = (part.len + 3) / 4 * 4;
    KD_AUTO_FREE char *text = kd_zalloc(padded + 1);
    memset(text, '=', padded);
    for (size_t i = 0; i < part.len; i++) {
        text[i] = part.ptr[i] == '-' ? '+' : part.ptr[i] == '_' ? '/' : part.ptr[i];
    }
    char *out = kd_zalloc(padded / 4 * 3 + 1);
    int len = EVP_DecodeBlock((unsigned char *)out, (const unsigned char *)text, (int)padded);
    return len < 0 ? kd_free(out) : out;
}

int kd_oidc_expiry(const char *id_token, int64_t *ret_wall_ns, struct kd_error *reterr)
{
    struct kd_str rest = kd_str_from(id_token);
    struct kd_str head = kd_str_cut(&rest, '.');
    struct kd_str claims = kd_str_cut(&rest, '.');
    if (head.len == 0 || claims.len == 0 || !rest.ptr || memchr(rest.ptr, '.', rest.len)) {
        return kd_fail(reterr, KD_ECONFIG, "the id token is no JWT");
    }
    KD_AUTO_FREE char *text = decode(claims);
    struct json_object *root = text ? json_tokener_parse(text) : NULL;
    struct json_object *exp = NULL;
    double seconds =
        json_object_object_get_ex(root, "exp", &exp) && !json_object_is_type(exp, json_type_string)
            ? json_object_get_double(exp)
            : 0;
    bool good = root && isfinite(seconds) && seconds >= 0 && seconds <= (double)MAX_YEAR_S;
    json_object_put(root);
    if (!good) {
        return kd_fail(reterr, KD_ECONFIG, "the id token's claims are not readable");
    }
    *ret_wall_ns =
        seconds < (double)(INT64_MAX / KD_SEC_NS) ? (int64_t)seconds * KD_SEC_NS : INT64_MAX;
    return 0;
}
