/* The headers of a call: what it takes, who asks, for whom. */
#include "client/internal.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

static int add_to(struct curl_slist **list, const char *text)
{
    struct curl_slist *longer = curl_slist_append(*list, text);
    if (!longer) {
        return KD_ENOMEM;
    }
    *list = longer;
    return 0;
}

/* curl reads "Name:" as one to leave out, and "Name;" as one that is empty. */
static int add_header(struct kd_call *call, const char *name, const char *value)
{
    KD_AUTO_FREE char *line =
        value[0] ? kd_asprintf("%s: %s", name, value) : kd_asprintf("%s;", name);
    return add_to(&call->headers, line);
}

static int add_token(struct kd_call *call, struct kd_error *reterr)
{
    struct kd_str token = { 0 };
    KD_TRY(kd_identity_token(&call->client->identity, call->sent_ns, &token, reterr));
    if (token.len == 0) {
        return 0;
    }
    char *line = kd_asprintf("Authorization: Bearer %s", token.ptr);
    int rc = add_to(&call->headers, line);
    kd_free_secret(line, strlen(line));
    return rc;
}

/* A key becomes part of a header's name: what may not stand there is percent-encoded, and so is a
 * percent sign. */
static char *extra_name(const char *key)
{
    static const char plain[] = "!#$&'*+-.^_`|~";
    struct kd_buf name;
    kd_buf_init(&name, 64 * KD_MAX_ERROR_BODY);
    (void)kd_buf_puts(&name, "Impersonate-Extra-");
    for (const char *c = key; *c; c++) {
        if (isalnum((unsigned char)*c) || strchr(plain, *c)) {
            (void)kd_buf_putc(&name, *c);
        } else {
            (void)kd_buf_printf(&name, "%%%02X", (unsigned char)*c);
        }
    }
    return kd_buf_steal(&name);
}

static int add_impersonation(struct kd_call *call, const struct kd_impersonation *as)
{
    if (!as->user) {
        return 0;
    }
    KD_TRY(add_header(call, "Impersonate-User", as->user));
    if (as->uid) {
        KD_TRY(add_header(call, "Impersonate-Uid", as->uid));
    }
    for (size_t i = 0; i < as->groups.n; i++) {
        KD_TRY(add_header(call, "Impersonate-Group", as->groups.items[i]));
    }
    for (size_t i = 0; i < as->n_extra; i++) {
        KD_AUTO_FREE char *name = extra_name(as->extra[i].name);
        KD_TRY(add_header(call, name, as->extra[i].value));
    }
    return 0;
}

int kd_call_headers(struct kd_call *call, struct kd_error *reterr)
{
    const struct kd_client *client = call->client;
    bool compress = client->settings->compress_lists && !client->cluster->disable_compression;
    KD_TRY(add_header(call, "Accept", call->accept));
    if (!kd_call_is_list(call) || !compress) {
        KD_TRY(add_header(call, "Accept-Encoding", "identity"));
    }
    if (call->body_len > 0) {
        KD_TRY(add_header(call, "Content-Type",
                          call->content_type ? call->content_type : "application/json"));
        KD_TRY(add_to(&call->headers, "Expect:")); /* no round trip before the body */
    }
    if (client->target.host_header) {
        KD_TRY(add_to(&call->headers, client->target.host_header));
        KD_TRY(add_to(&call->connect_to, client->target.connect_to));
    }
    KD_TRY(add_token(call, reterr));
    return add_impersonation(call, &client->cluster->as);
}
