#include "client/credentials.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* A token holds for 60 s and is read again 10 s before that ends. */
#define TOKEN_FRESH_NS (50 * KD_SEC_NS)
#define TOKEN_RETRY_NS (10 * KD_SEC_NS)

static bool has_control(struct kd_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 || c == 0x7f) {
            return true;
        }
    }
    return false;
}

/* Neither value nor length of a refused token is told. */
static int check_token(struct kd_str token, const char *where, struct kd_error *reterr)
{
    if (token.len == 0) {
        return kd_fail(reterr, KD_ECONFIG, "%s: the token is empty", where);
    }
    if (has_control(token)) {
        return kd_fail(reterr, KD_ECONFIG,
                       "%s: the token holds a line break or control character; it is not sent",
                       where);
    }
    return 0;
}

static void set_token(struct kd_credentials *credentials, struct kd_str token)
{
    kd_secret_drop(credentials->token);
    credentials->token = kd_secret_keep(token);
    credentials->token_len = token.len;
}

int kd_credentials_init(struct kd_credentials *credentials, const struct kd_cluster *cluster,
                        bool tls, struct kd_error *reterr)
{
    *credentials = (struct kd_credentials){ .cluster = tls ? cluster : NULL };
    if (!tls || !cluster->token) {
        return 0;
    }
    struct kd_str token = kd_str_trim(kd_str_from(cluster->token));
    KD_TRY(check_token(token, "token of the kubeconfig", reterr));
    set_token(credentials, token);
    return 0;
}

void kd_credentials_release(struct kd_credentials *credentials)
{
    kd_secret_drop(credentials->token);
    *credentials = (struct kd_credentials){ 0 };
}

static int read_token(struct kd_credentials *credentials, struct kd_buf *buf,
                      struct kd_error *reterr)
{
    const char *path = credentials->cluster->token_file;
    struct stat info;
    if (stat(path, &info) != 0) {
        return kd_fail(reterr, KD_ECONFIG, "token file %s: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return kd_fail(reterr, KD_ECONFIG, "token file %s is no regular file", path);
    }
    int rc = kd_file_read(path, buf, reterr);
    if (rc < 0) {
        return kd_fail_prefix(reterr, KD_ECONFIG, "token file");
    }
    struct kd_str token = kd_str_trim(kd_buf_str(buf));
    KD_TRY(check_token(token, path, reterr));
    set_token(credentials, token);
    return 0;
}

static int refresh(struct kd_credentials *credentials, int64_t now_ns, struct kd_error *error)
{
    struct kd_buf buf;
    kd_buf_init(&buf, KD_MAX_TOKEN);
    int rc = read_token(credentials, &buf, error);
    kd_free_secret(kd_steal(buf.ptr), buf.cap);
    if (rc == 0) {
        credentials->read_ns = now_ns;
    }
    credentials->next_read_ns = kd_time_add_ns(now_ns, rc == 0 ? TOKEN_FRESH_NS : TOKEN_RETRY_NS);
    return rc;
}

int kd_credentials_token(struct kd_credentials *credentials, int64_t now_ns, struct kd_str *ret,
                         struct kd_error *reterr)
{
    bool has_file = credentials->cluster && credentials->cluster->token_file;
    if (has_file && (!credentials->token || now_ns >= credentials->next_read_ns)) {
        struct kd_error error = { 0 };
        int rc = refresh(credentials, now_ns, &error);
        if (rc < 0 && !credentials->token) {
            return kd_fail(reterr, rc, "%s", error.text);
        }
        if (rc < 0 && !credentials->failing) {
            KD_WARN("token not read again, the last one stays in use", KD_F("error", error.text));
        }
        credentials->failing = rc < 0;
    }
    *ret = (struct kd_str){ credentials->token, credentials->token_len };
    return 0;
}

bool kd_credentials_basic(const struct kd_credentials *credentials)
{
    const struct kd_cluster *cluster = credentials->cluster;
    return cluster && cluster->username && !cluster->token && !cluster->token_file;
}

bool kd_credentials_rejected(struct kd_credentials *credentials, int64_t sent_ns)
{
    if (!credentials->cluster || !credentials->cluster->token_file) {
        return false;
    }
    if (credentials->read_ns > sent_ns) {
        return true;
    }
    struct kd_error error = { 0 };
    char *old = kd_secret_keep((struct kd_str){ credentials->token, credentials->token_len });
    bool differs =
        refresh(credentials, sent_ns, &error) == 0 && strcmp(old, credentials->token) != 0;
    kd_secret_drop(old);
    return differs;
}
