/*
 * A lane: one pool of connections and the calls that wait for it. curl, when a connection is full
 * of streams, opens one more for every further request that comes before the next is ready; and
 * with a server that is away, lets each in turn wait for its own time-out. So we say when: as long
 * as the open connections have room for the calls, calls go; else one call, the opener, makes a
 * connection and the others wait until it stands. If it cannot be made they all fail at once.
 */
#include "client/internal.h"

#include "base/alloc.h"
#include "base/log.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SILENT_MS 25000 /* without a byte, while someone waits in vain */

struct kd_lane *kd_call_lane(const struct kd_call *call)
{
    struct kd_client *client = call->client;
    return kd_call_is_watch(call)   ? &client->watches
           : kd_call_is_lease(call) ? &client->leases
                                    : &client->others;
}

int kd_lane_init(struct kd_lane *lane, struct kd_client *client, const struct kd_multi_sink *sink)
{
    *lane = (struct kd_lane){ 0 };
    TAILQ_INIT(&lane->waiting);
    return kd_multi_init(&lane->pool, client->loop, sink, client);
}

void kd_lane_wait(struct kd_call *call)
{
    call->state = KD_CALL_READY;
    TAILQ_INSERT_TAIL(&kd_call_lane(call)->waiting, call, queue);
    kd_timer_start(&call->client->pump, 0);
}

static void take_off(struct kd_lane *lane, struct kd_call *call)
{
    TAILQ_REMOVE(&lane->waiting, call, queue);
}

static bool has_room(const struct kd_lane *lane)
{
    return lane->n_running < (size_t)lane->n_sockets * KD_MAX_STREAMS;
}

void kd_lane_run(struct kd_lane *lane)
{
    struct kd_call *call;
    while (!lane->opener && (call = TAILQ_FIRST(&lane->waiting)) != NULL) {
        bool opens = !has_room(lane);
        take_off(lane, call);
        if (kd_call_run(call) && opens) {
            lane->opener = call;
        }
    }
}

int kd_lane_enter(struct kd_call *call)
{
    struct kd_lane *lane = kd_call_lane(call);
    KD_TRY(kd_multi_add(&lane->pool, call->easy));
    lane->n_running++;
    return 0;
}

static void let_next(struct kd_lane *lane, const struct kd_call *call)
{
    if (lane->opener == call) {
        lane->opener = NULL;
    }
    if (!TAILQ_EMPTY(&lane->waiting)) {
        kd_timer_start(&call->client->pump, 0);
    }
}

void kd_lane_leave(struct kd_call *call)
{
    struct kd_lane *lane = kd_call_lane(call);
    if (call->state == KD_CALL_READY) {
        take_off(lane, call);
    } else if (call->easy) { /* curl 7.88 resets an HTTP/2 stream with the next frame it sends */
        kd_multi_remove(&lane->pool, call->easy);
        lane->n_running--;
        let_next(lane, call);
    }
}

void kd_lane_refuse(struct kd_lane *lane, int error, const char *why)
{
    struct kd_call *call;
    while ((call = TAILQ_FIRST(&lane->waiting)) != NULL) {
        take_off(lane, call);
        kd_call_fail_soon(call, error, why);
    }
}

/* Called by curl when the connection stands, before the request is sent. */
static int on_connected(void *arg, char *ip, char *local_ip, int port, int local_port)
{
    struct kd_call *call = arg;
    (void)ip;
    (void)local_ip;
    (void)port;
    (void)local_port;
    call->connected = true;
    let_next(kd_call_lane(call), call);
    return CURL_PREREQFUNC_OK;
}

static curl_socket_t on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct kd_lane *lane = arg;
    (void)purpose;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0) {
        KD_DEBUG("no socket", KD_F("error", strerror(errno)));
        return CURL_SOCKET_BAD;
    }
    lane->sockets =
        kd_realloc_array(lane->sockets, (size_t)lane->n_sockets + 1, sizeof(*lane->sockets));
    lane->sockets[lane->n_sockets++] = fd;
    return fd;
}

static int on_close(void *arg, curl_socket_t fd)
{
    struct kd_lane *lane = arg;
    unsigned i = 0;
    while (i < lane->n_sockets && lane->sockets[i] != fd) {
        i++;
    }
    KD_ASSERT(i < lane->n_sockets);
    lane->sockets[i] = lane->sockets[--lane->n_sockets];
    return close(fd);
}

void kd_lane_drop(struct kd_lane *lane)
{
    for (unsigned i = 0; i < lane->n_sockets; i++) {
        (void)shutdown(lane->sockets[i], SHUT_RDWR); /* curl finds it closed */
    }
}

/* The election has no time for more than its own time-out. */
static int64_t silent_ms(const struct kd_call *call)
{
    int64_t limit_ms = call->timeout_ns / KD_MS_NS;
    return kd_call_is_lease(call) && limit_ms < SILENT_MS ? limit_ms * 9 / 10 : SILENT_MS;
}

static bool is_silent(int fd, int64_t limit_ms)
{
    struct tcp_info info;
    socklen_t len = sizeof(info);
    memset(&info, 0, sizeof(info));
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 &&
           info.tcpi_state == TCP_ESTABLISHED && (int64_t)info.tcpi_last_data_recv >= limit_ms;
}

void kd_lane_give_up_silent(const struct kd_call *call)
{
    const struct kd_lane *lane = kd_call_lane(call);
    int64_t limit_ms = silent_ms(call);
    for (unsigned i = 0; i < lane->n_sockets; i++) {
        if (is_silent(lane->sockets[i], limit_ms)) {
            KD_DEBUG("a connection is silent, giving it up", KD_FU("sockets", lane->n_sockets));
            (void)shutdown(lane->sockets[i], SHUT_RDWR); /* curl finds it closed */
        }
    }
}

void kd_lane_release(struct kd_lane *lane)
{
    kd_multi_release(&lane->pool);
    lane->sockets = kd_free(lane->sockets);
}

void kd_lane_hook(struct kd_call *call, CURL *easy)
{
    struct kd_lane *lane = kd_call_lane(call);
    /* Setting a function or a pointer does not fail. */
    (void)curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected);
    (void)curl_easy_setopt(easy, CURLOPT_PREREQDATA, call);
    (void)curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    (void)curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, lane);
    (void)curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    (void)curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, lane);
}
