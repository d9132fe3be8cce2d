#include "ctl/access.h"

#include "base/limits.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const char *given(const char *option, const char *variable)
{
    const char *value = getenv(variable);
    if (option) {
        return option;
    }
    return value && value[0] ? value : NULL;
}

static int read_file(const char *path, struct kd_buf *out, struct kd_error *reterr)
{
    char chunk[4096];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return kd_fail(reterr, KD_EIO, "--token-file %s: %s", path, strerror(errno));
    }
    while ((n = read(fd, chunk, sizeof(chunk))) > 0 && kd_buf_put(out, chunk, (size_t)n) == 0) {
    }
    int error = errno;
    (void)close(fd); /* nothing was written */
    if (n != 0) {
        return kd_fail(reterr, KD_EIO, "--token-file %s: %s", path,
                       n < 0 ? strerror(error) : "too large for a token");
    }
    return 0;
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
        KD_TRY(read_file(options->token_file, token, reterr));
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
