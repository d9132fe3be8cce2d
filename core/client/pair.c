#include "client/pair.h"

#include "base/clock.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

/* A key with a pass phrase must not ask for it on the terminal. */
static int no_phrase(char *buf, int size, int writing, void *arg)
{
    (void)buf;
    (void)size;
    (void)writing;
    (void)arg;
    return -1;
}

static X509 *first_certificate(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *cert = bio ? PEM_read_bio_X509(bio, NULL, no_phrase, NULL) : NULL;
    BIO_free(bio);
    return cert;
}

static EVP_PKEY *read_key(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_phrase, NULL) : NULL;
    BIO_free(bio);
    return key;
}

int kd_pair_check(const char *cert_pem, const char *key_pem, struct kd_error *reterr)
{
    X509 *cert = first_certificate(cert_pem);
    EVP_PKEY *key = read_key(key_pem);
    const char *fault = !cert  ? "the certificate is not readable"
                        : !key ? "the key is not readable"
                        : X509_check_private_key(cert, key) != 1
                            ? "certificate and key do not match"
                            : NULL;
    X509_free(cert);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return fault ? kd_fail(reterr, KD_ECONFIG, "%s", fault) : 0;
}

int kd_ca_check(const char *pem, struct kd_error *reterr)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    size_t n = 0;
    X509 *cert;
    while (bio && (cert = PEM_read_bio_X509_AUX(bio, NULL, no_phrase, NULL)) != NULL) {
        X509_free(cert);
        n++;
    }
    bool clean = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    BIO_free(bio);
    ERR_clear_error();
    return n > 0 && clean ? 0 : kd_fail(reterr, KD_ECONFIG, "no readable certificate");
}

static bool wall_of(const ASN1_TIME *time, int64_t *ret_ns)
{
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) == 1 &&
           !__builtin_mul_overflow((int64_t)timegm(&parts), KD_SEC_NS, ret_ns);
}

int kd_pair_span(const char *cert_pem, int64_t *ret_from_ns, int64_t *ret_until_ns)
{
    X509 *cert = first_certificate(cert_pem);
    int64_t from_ns = 0;
    int64_t until_ns = 0;
    bool good = cert && wall_of(X509_get0_notBefore(cert), &from_ns) &&
                wall_of(X509_get0_notAfter(cert), &until_ns);
    X509_free(cert);
    ERR_clear_error();
    KD_ENSURE(good, KD_ECONFIG);
    *ret_from_ns = from_ns;
    *ret_until_ns = until_ns;
    return 0;
}
