/* One GET from another thread than the I/O thread, waited for. */
#ifndef KD_MANAGER_ASK_H
#define KD_MANAGER_ASK_H

#include "client/client.h"

struct kd_ask_reply {
    int error; /* as kd_response.error */
    int http_code;
    struct kd_buf body; /* the caller releases it, whatever came */
    char text[512];
};

/* Blocks for at most limit_ns, while the loop runs on another thread. accept may be NULL. */
void kd_ask(struct kd_loop *loop, struct kd_client *client, const char *path, const char *accept,
            const char *url_template, int64_t limit_ns, struct kd_ask_reply *ret);

#endif
