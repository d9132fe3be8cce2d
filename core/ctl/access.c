#include "ctl/access.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"

#include <stdlib.h>

static const char *given(const char *option, const char *variable)
{
    const char *value = getenv(variable);
    if (option) {
        return option;
    }
    return value && value[0] ? value : NULL;
}

/* A token goes into one line of a request. */
static int check_token(const char *token, struct kd_error *reterr)
{
    for (const char *at = token; *at; at++) {
        if ((unsigned char)*at <= ' ' || (unsigned char)*at >= 0x7f) {
            return kd_fail(reterr, KD_EINVAL, "the token holds white space or odd characters");
        }
    }
    return token[0] ? 0 : kd_fail(reterr, KD_EINVAL, "the token is empty");
}

static int read_token(const struct kd_ctl_options *options, struct kd_buf *token, const char **ret,
                      struct kd_error *reterr)
{
    if (options->token_file && options->token) {
        return kd_fail(reterr, KD_EINVAL, "give --token or --token-file, not both");
    }
    *ret = options->token_file ? NULL : given(options->token, "KINDRED_TOKEN");
    if (options->token_file) {
        struct kd_error error = { 0 };
        int rc = kd_file_read(options->token_file, token, &error);
        if (rc < 0) {
            return kd_fail(reterr, rc, "--token-file %s", error.text);
        }
        struct kd_str text = kd_str_trim(kd_buf_str(token));
        size_t skipped = text.len ? (size_t)(text.ptr - token->ptr) : 0;
        token->len = skipped + text.len;
        (void)kd_buf_putc(token, '\0'); /* there was room for what is cut, or there is for this */
        *ret = token->ptr + skipped;
    }
    return *ret ? check_token(*ret, reterr) : 0;
}

int kd_ctl_access_read(const struct kd_ctl_options *options, struct kd_ctl_address *ret,
                       struct kd_buf *token, struct kd_error *reterr)
{
    const char *server = given(options->server, "KINDRED_SERVER");
    KD_TRY(kd_ctl_address_parse(server ? server : KD_CTL_DEFAULT_SERVER, ret, reterr));
    ret->ca = given(options->ca, "KINDRED_CA");
    KD_TRY(read_token(options, token, &ret->token, reterr));
    if (ret->token && !ret->confides) {
        return kd_fail(reterr, KD_ECONFIG,
                       "%s: a token is sent by https:// or to this machine only", ret->text);
    }
    return 0;
}
