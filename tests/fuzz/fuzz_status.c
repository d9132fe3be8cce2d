/*
 * An error body of any bytes under any HTTP code: the first two bytes are the code, the rest is the
 * body. What comes out is fit for a log line and for a wait.
 */
#include "client/client.h"

#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct kd_status *status, int http_code)
{
    size_t len = strnlen(status->message, sizeof(status->message));
    KD_ASSERT(len < sizeof(status->message));
    for (size_t i = 0; i < len; i++) {
        KD_ASSERT((unsigned char)status->message[i] >= ' ');
    }
    KD_ASSERT(status->code == http_code || (status->code >= 100 && status->code <= 999));
    KD_ASSERT(status->retry_after_ns >= 0);
    KD_ASSERT(kd_reason_name(status->reason)[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kd_status status;
    if (size < 2) {
        return 0;
    }
    int http_code = 100 + (data[0] * 256 + data[1]) % 900;
    kd_status_read((struct kd_str){ (const char *)data + 2, size - 2 }, http_code, &status);
    check(&status, http_code);
    return 0;
}
