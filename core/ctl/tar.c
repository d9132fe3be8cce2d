#include "ctl/tar.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define BLOCK 512u

struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], time[12], sum[8], type, link[100], magic[6],
        version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

static void fill_up(struct kd_buf *out, size_t len)
{
    static const char zeros[BLOCK];
    if (len % BLOCK) {
        (void)kd_buf_put(out, zeros, BLOCK - len % BLOCK);
    }
}

/* The sum of all bytes, its own field counted as blanks. */
static unsigned sum_of(const struct header *header)
{
    const unsigned char *bytes = (const unsigned char *)header;
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof(*header); i++) {
        sum += bytes[i];
    }
    return sum;
}

void kd_ctl_tar_put(struct kd_buf *out, const char *name, int64_t time_s, struct kd_str content)
{
    struct header header = { .type = '0', .magic = "ustar", .version = { '0', '0' } };
    KD_ASSERT(strlen(name) < sizeof(header.name));
    memcpy(header.name, name, strlen(name));
    (void)snprintf(header.mode, sizeof(header.mode), "%07o", 0600u); /* each fits */
    (void)snprintf(header.uid, sizeof(header.uid), "%07o", 0u);
    (void)snprintf(header.gid, sizeof(header.gid), "%07o", 0u);
    (void)snprintf(header.size, sizeof(header.size), "%011llo", (unsigned long long)content.len);
    (void)snprintf(header.time, sizeof(header.time), "%011llo", (unsigned long long)time_s);
    memset(header.sum, ' ', sizeof(header.sum));
    (void)snprintf(header.sum, sizeof(header.sum), "%06o", sum_of(&header));
    header.sum[7] = ' ';
    (void)kd_buf_put(out, &header, sizeof(header));
    (void)kd_buf_put_str(out, content);
    fill_up(out, content.len);
}

void kd_ctl_tar_end(struct kd_buf *out)
{
    static const char end[2 * BLOCK];
    (void)kd_buf_put(out, end, sizeof(end));
}
