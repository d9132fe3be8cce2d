#include "client/multi.h"

#include "base/log.h"

#include <event2/event.h>

#define MAX_IDLE 25L /* connections that are kept */

static void step(struct kd_multi *pool, curl_socket_t fd, int mask)
{
    int running = 0;
    int left = 0;
    pool->sink->enter(pool->arg);
    CURLMcode rc = curl_multi_socket_action(pool->multi, fd, mask, &running);
    pool->sink->leave(pool->arg);
    if (rc != CURLM_OK) {
        KD_DEBUG("transfer step failed", KD_F("error", curl_multi_strerror(rc)));
    }
    /* An ended callback may remove further transfers: ask anew each time. */
    for (CURLMsg *msg; (msg = curl_multi_info_read(pool->multi, &left)) != NULL;) {
        if (msg->msg == CURLMSG_DONE) {
            pool->sink->ended(pool->arg, msg->easy_handle, msg->data.result);
        }
    }
}

static void on_ready(evutil_socket_t fd, short what, void *arg)
{
    int mask = (what & EV_READ ? CURL_CSELECT_IN : 0) | (what & EV_WRITE ? CURL_CSELECT_OUT : 0);
    step(arg, fd, mask);
}

static void on_timer(void *arg)
{
    step(arg, CURL_SOCKET_TIMEOUT, 0);
}

static int on_socket_wish(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
    struct kd_multi *pool = arg;
    struct event *event = socket_arg;
    (void)easy;
    if (event) {
        event_free(event);
        event = NULL;
    }
    if (what != CURL_POLL_REMOVE) {
        short flags = (short)((what & CURL_POLL_IN ? EV_READ : 0) |
                              (what & CURL_POLL_OUT ? EV_WRITE : 0) | EV_PERSIST);
        event = event_new(kd_loop_base(pool->loop), fd, flags, on_ready, pool);
        KD_ASSERT(event && event_add(event, NULL) == 0);
    }
    (void)curl_multi_assign(pool->multi, fd, event); /* the socket is known: it cannot fail */
    return 0;
}

static int on_timer_wish(CURLM *multi, long timeout_ms, void *arg)
{
    struct kd_multi *pool = arg;
    (void)multi;
    if (timeout_ms < 0) {
        kd_timer_stop(&pool->timer);
    } else {
        kd_timer_start(&pool->timer, timeout_ms * KD_MS_NS);
    }
    return 0;
}

int kd_multi_init(struct kd_multi *pool, struct kd_loop *loop, const struct kd_multi_sink *sink,
                  void *arg)
{
    *pool = (struct kd_multi){ .loop = loop, .sink = sink, .arg = arg };
    pool->multi = curl_multi_init();
    if (!pool->multi) {
        return KD_ENOMEM;
    }
    kd_timer_init(&pool->timer, loop, on_timer, pool);
    int bad = 0;
    bad |= curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, on_socket_wish) != CURLM_OK;
    bad |= curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool) != CURLM_OK;
    bad |= curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, on_timer_wish) != CURLM_OK;
    bad |= curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool) != CURLM_OK;
    bad |= curl_multi_setopt(pool->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)KD_MAX_STREAMS) !=
           CURLM_OK;
    bad |= curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, MAX_IDLE) != CURLM_OK;
    KD_ASSERT(!bad); /* options of this very version: it cannot lack them */
    return 0;
}

void kd_multi_release(struct kd_multi *pool)
{
    if (pool->multi) {
        (void)curl_multi_cleanup(pool->multi); /* closes what is idle */
        kd_timer_release(&pool->timer);
        pool->multi = NULL;
    }
}

int kd_multi_add(struct kd_multi *pool, CURL *easy)
{
    return curl_multi_add_handle(pool->multi, easy) == CURLM_OK ? 0 : KD_ENOMEM;
}

void kd_multi_remove(struct kd_multi *pool, CURL *easy)
{
    CURLMcode rc = curl_multi_remove_handle(pool->multi, easy);
    KD_ASSERT(rc == CURLM_OK); /* refused only inside of curl, where nobody removes */
}
