/*
 * What a credential program prints, any bytes: it gives a grant that can be used as it is, or an
 * error of one line that quotes none of it.
 */
#include "client/execgrant.h"

#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_token(const char *text)
{
    for (; text && *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) {
            return false;
        }
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kd_grant grant = { 0 };
    struct kd_error err = { 0 };
    struct kd_str output = { (const char *)data, size };
    int rc = kd_exec_answer(output, "client.authentication.k8s.io/v1", &grant, &err);
    if (rc == 0) {
        KD_ASSERT(grant.token || grant.cert_pem);
        KD_ASSERT(!grant.cert_pem == !grant.key_pem && is_token(grant.token));
    } else {
        KD_ASSERT(!grant.token && !grant.key_pem && err.text[0] && !strpbrk(err.text, "\r\n"));
    }
    kd_grant_release(&grant);
    return 0;
}
