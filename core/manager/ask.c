#include "manager/ask.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define BODY_MAX (64 * KD_MIB)

/* Shared by the caller and the I/O thread. */
struct asking {
    struct kd_client *client;
    const struct kd_request *request;
    struct kd_ask_reply *reply;
    pthread_mutex_t lock; /* guards done */
    pthread_cond_t cond;
    bool done;
};

static int on_data(void *arg, const char *ptr, size_t len)
{
    struct asking *asking = arg;
    return kd_buf_put(&asking->reply->body, ptr, len);
}

static void on_done(void *arg, const struct kd_response *response)
{
    struct asking *asking = arg;
    struct kd_ask_reply *reply = asking->reply;
    reply->error = response->error;
    reply->http_code = response->http_code;
    memcpy(reply->text, response->text, sizeof(reply->text));
    pthread_mutex_lock(&asking->lock);
    asking->done = true;
    pthread_cond_signal(&asking->cond);
    pthread_mutex_unlock(&asking->lock);
}

static void begin(void *arg)
{
    struct asking *asking = arg;
    (void)kd_client_start(asking->client, asking->request); /* its end comes in any case */
}

void kd_ask(struct kd_loop *loop, struct kd_client *client, const char *path, const char *accept,
            const char *url_template, int64_t limit_ns, struct kd_ask_reply *ret)
{
    static const struct kd_response_sink sink = { .data = on_data, .done = on_done };
    struct asking asking = { .client = client, .reply = ret };
    const struct kd_request request = { .method = "GET",
                                        .path = path,
                                        .accept = accept,
                                        .timeout_ns = limit_ns,
                                        .verb = "get",
                                        .url_template = url_template,
                                        .sink = &sink,
                                        .arg = &asking };
    *ret = (struct kd_ask_reply){ 0 };
    kd_buf_init(&ret->body, BODY_MAX);
    asking.request = &request;
    pthread_mutex_init(&asking.lock, NULL);
    pthread_cond_init(&asking.cond, NULL);
    kd_loop_post(loop, begin, &asking);
    pthread_mutex_lock(&asking.lock);
    while (!asking.done) {
        pthread_cond_wait(&asking.cond, &asking.lock);
    }
    pthread_mutex_unlock(&asking.lock);
    pthread_cond_destroy(&asking.cond);
    pthread_mutex_destroy(&asking.lock);
}
