#include "leader/identity.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdint.h>
#include <sys/random.h>
#include <sys/utsname.h>

char *kd_identity_new(void)
{
    struct utsname names;
    uint8_t b[16];
    KD_ASSERT(getrandom(b, sizeof(b), 0) == (ssize_t)sizeof(b)); /* so few bytes never fail */
    const char *host = uname(&names) == 0 && names.nodename[0] ? names.nodename : "kindred";
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    return kd_asprintf("%s_%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                       host, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10],
                       b[11], b[12], b[13], b[14], b[15]);
}
