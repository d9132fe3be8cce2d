#include "ctl/address.h"

#include "base/address.h"
#include "base/str.h"

static const struct kd_str unix_scheme = KD_STR_INIT("unix:");
static const struct kd_str http_scheme = KD_STR_INIT("http://");
static const struct kd_str https_scheme = KD_STR_INIT("https://");

/* Host and port only: no path, query, user or white space. */
static bool is_host(struct kd_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c <= ' ' || c == 0x7f || strchr("/?#@\\", c)) {
            return false;
        }
    }
    return text.len > 0;
}

int kd_ctl_address_parse(const char *text, struct kd_ctl_address *ret, struct kd_error *reterr)
{
    struct kd_str rest = kd_str_from(text);
    struct kd_ctl_address address = { .text = text };
    if (kd_str_starts(rest, unix_scheme) && rest.len > unix_scheme.len) {
        address.socket = text + unix_scheme.len;
        address.base = KD_STR("http://localhost");
        address.confides = true;
        *ret = address;
        return 0;
    }
    if (rest.len > 0 && rest.ptr[rest.len - 1] == '/') {
        rest.len--;
    }
    address.tls = kd_str_starts(rest, https_scheme);
    const struct kd_str *scheme = address.tls ? &https_scheme : &http_scheme;
    struct kd_str host = { rest.ptr + scheme->len, rest.len - scheme->len };
    if (!kd_str_starts(rest, *scheme) || !is_host(host)) {
        return kd_fail(reterr, KD_EINVAL,
                       "server \"%s\": write unix:PATH, http://HOST:PORT or https://HOST:PORT",
                       text);
    }
    address.base = rest;
    address.confides = address.tls || kd_host_is_loopback(kd_host_of(host));
    *ret = address;
    return 0;
}
