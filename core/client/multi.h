/* One curl multi handle on the loop: its sockets, its timer, its connections. */
#ifndef KD_CLIENT_MULTI_H
#define KD_CLIENT_MULTI_H

#include "base/loop.h"

#include <curl/curl.h>

#define KD_MAX_STREAMS 80 /* per connection: servers allow about 100 */

struct kd_multi_sink {
    /* Around every step inside curl, where no transfer may be added or removed. */
    void (*enter)(void *arg);
    void (*leave)(void *arg);
    /* A transfer has ended. It is still in the pool; the callee removes it. Outside of curl. */
    void (*ended)(void *arg, CURL *easy, CURLcode result);
};

struct kd_multi {
    CURLM *multi;
    struct kd_loop *loop;
    struct kd_timer timer;
    const struct kd_multi_sink *sink;
    void *arg;
};

/* The pool must not move afterwards. KD_ENOMEM. */
int kd_multi_init(struct kd_multi *pool, struct kd_loop *loop, const struct kd_multi_sink *sink,
                  void *arg) KD_MUST_USE;
/* All transfers must have been removed. */
void kd_multi_release(struct kd_multi *pool);
int kd_multi_add(struct kd_multi *pool, CURL *easy) KD_MUST_USE;
void kd_multi_remove(struct kd_multi *pool, CURL *easy);

#endif
