/*
 * The bearer token: given, or read again from its file (which a kubelet rotates). The file is small
 * and local, so it is read on the I/O thread; anything but a regular file is refused, since it
 * could block.
 */
#ifndef KD_CLIENT_CREDENTIALS_H
#define KD_CLIENT_CREDENTIALS_H

#include "base/clock.h"
#include "config/cluster.h"

struct kd_credentials {
    const struct kd_cluster *cluster; /* NULL: credentials are withheld */
    char *token;                      /* kept secret; NULL while there is none */
    size_t token_len;
    int64_t read_ns;
    int64_t next_read_ns;
    bool failing; /* the last read failed and was logged */
};

/* tls false withholds everything. KD_ECONFIG for a given token that cannot go into a header. */
int kd_credentials_init(struct kd_credentials *credentials, const struct kd_cluster *cluster,
                        bool tls, struct kd_error *reterr) KD_MUST_USE;
void kd_credentials_release(struct kd_credentials *credentials);

/*
 * The token for a request that starts now; empty when none is to be sent. Borrowed until the next
 * call. A file that cannot be read keeps the last good token; without one: KD_ECONFIG.
 */
int kd_credentials_token(struct kd_credentials *credentials, int64_t now_ns, struct kd_str *ret,
                         struct kd_error *reterr) KD_MUST_USE;
/* User name and password are to be sent: there is no token and nothing is withheld. */
bool kd_credentials_basic(const struct kd_credentials *credentials);
/* The server answered 401 to a request sent at sent_ns: a token older than that is read again. True
 * when there is another one now. */
bool kd_credentials_rejected(struct kd_credentials *credentials, int64_t sent_ns);

#endif
