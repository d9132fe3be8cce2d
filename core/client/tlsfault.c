#include "client/tlsfault.h"

#include "base/alloc.h"
#include "base/str.h"

#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int data_index = -1;

static void make_index(void)
{
    data_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
}

/* "CN = x, O = y" on one line. */
static void put_name(const X509_NAME *name, char out[256])
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    out[0] = '\0';
    if (bio && name && X509_NAME_print_ex(bio, name, 0, XN_FLAG_ONELINE) >= 0) {
        long len = BIO_get_mem_data(bio, &text);
        (void)snprintf(out, 256, "%.*s", (int)len, text);
        kd_one_line_in_place(out);
    }
    BIO_free(bio);
}

/* Called for each certificate of the chain, the server's own last; its verdict stays. */
static int on_verify(int good, X509_STORE_CTX *store)
{
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct kd_tls_fault *fault = ssl ? SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), data_index) : NULL;
    const X509 *own = X509_STORE_CTX_get0_cert(store);
    if (!fault || !own) {
        return good;
    }
    put_name(X509_get_subject_name(own), fault->subject);
    put_name(X509_get_issuer_name(own), fault->issuer);
    if (!good) {
        const X509 *refused = X509_STORE_CTX_get_current_cert(store);
        (void)snprintf(fault->reason, sizeof(fault->reason), "%s",
                       X509_verify_cert_error_string(X509_STORE_CTX_get_error(store)));
        put_name(refused ? X509_get_subject_name(refused) : NULL, fault->refused);
    }
    return good;
}

CURLcode kd_tls_fault_hook(CURL *easy, void *ssl_ctx, void *arg)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct kd_tls_fault *fault = arg;
    SSL_CTX *ctx = ssl_ctx;
    (void)easy;
    (void)pthread_once(&once, make_index);
    memset(fault, 0, sizeof(*fault));
    if (data_index >= 0 && SSL_CTX_set_ex_data(ctx, data_index, fault) == 1) {
        SSL_CTX_set_verify(ctx, SSL_CTX_get_verify_mode(ctx), on_verify);
    }
    return CURLE_OK;
}

char *kd_tls_fault_text(const struct kd_tls_fault *fault, CURLcode result, const char *text)
{
    bool tls = result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CONNECT_ERROR ||
               result == CURLE_SSL_ISSUER_ERROR;
    if (!tls || !fault->subject[0]) {
        return kd_strdup(text);
    }
    const char *other = strcmp(fault->refused, fault->subject) ? fault->refused : "";
    return kd_asprintf("%s (certificate of %s, issued by %s%s%s%s%s)", text, fault->subject,
                       fault->issuer, other[0] ? "; refused is that of " : "", other,
                       fault->reason[0] ? ": " : "", fault->reason);
}
