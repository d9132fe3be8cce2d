#include "client/transfer.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "config/pem.h"
#include "config/proxy.h"

#include <string.h>
#include <unistd.h>

#define TIMEOUT_MS 30000L
#define MAX_REDIRECTS 5L

static size_t on_body(char *ptr, size_t size, size_t n, void *arg)
{
    struct kd_transfer *transfer = arg;
    size_t len = size * n;
    return kd_buf_put(&transfer->body, ptr, len) < 0 ? CURL_WRITEFUNC_ERROR : len;
}

static CURLcode set_trust(CURL *easy, const char *ca_pem)
{
    if (!ca_pem) {
        return CURLE_OK;
    }
    struct curl_blob blob = { .data = (void *)(uintptr_t)ca_pem,
                              .len = strlen(ca_pem),
                              .flags = CURL_BLOB_NOCOPY };
    CURLcode rc = curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    return rc ? rc : curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
}

static CURLcode set_request(CURL *easy, const struct kd_transfer_request *request)
{
    CURLcode rc = curl_easy_setopt(easy, CURLOPT_URL, request->url);
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https");
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "https");
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, request->form ? 0L : 1L);
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_MAXREDIRS, MAX_REDIRECTS);
    if (request->form) {
        rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, request->form);
    }
    if (request->username) {
        rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_USERNAME, request->username);
        rc = rc ? rc
                : curl_easy_setopt(easy, CURLOPT_PASSWORD,
                                   request->password ? request->password : "");
    }
    return rc;
}

static CURLcode set_rest(CURL *easy, struct kd_transfer *transfer, const char *proxy)
{
    CURLcode rc = curl_easy_setopt(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_PROXY, proxy ? proxy : "");
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    rc = rc ? rc : curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    return rc ? rc : curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->why);
}

int kd_transfer_new(const struct kd_transfer_request *request, struct kd_transfer **ret,
                    struct kd_error *reterr)
{
    char *proxy = NULL;
    const char *variable = NULL;
    KD_TRY(kd_proxy_for(request->url, environ, &proxy, &variable, reterr));
    struct kd_transfer *transfer = kd_zalloc(sizeof(*transfer));
    kd_buf_init(&transfer->body, KD_MAX_EXEC_OUTPUT);
    transfer->easy = curl_easy_init();
    CURLcode rc = transfer->easy ? set_request(transfer->easy, request) : CURLE_OUT_OF_MEMORY;
    rc = rc ? rc : set_trust(transfer->easy, request->ca_pem);
    rc = rc ? rc : set_rest(transfer->easy, transfer, proxy);
    kd_secret_free(proxy);
    if (rc != CURLE_OK) {
        kd_transfer_free(transfer);
        return kd_fail(reterr, KD_ECONFIG, "%s", curl_easy_strerror(rc));
    }
    *ret = transfer;
    return 0;
}

struct kd_transfer *kd_transfer_free(struct kd_transfer *transfer)
{
    if (transfer) {
        curl_easy_cleanup(transfer->easy);
        kd_free_secret(kd_steal(transfer->body.ptr), transfer->body.cap);
        kd_free(transfer);
    }
    return NULL;
}

long kd_transfer_code(const struct kd_transfer *transfer)
{
    long code = 0;
    (void)curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &code); /* cannot fail */
    return code;
}
