/*
 * Tells a service manager how the process is, as systemd's sd_notify does, without its library: a
 * datagram to the socket that NOTIFY_SOCKET names, a path or with '@' an abstract one. Without the
 * variable nothing is sent. Main thread.
 */
#ifndef KD_MANAGER_NOTIFY_H
#define KD_MANAGER_NOTIFY_H

#include "base/macros.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct kd_notify {
    int fd; /* -1: nobody wants to know */
    struct sockaddr_un address;
    socklen_t address_len;
    int64_t watchdog_ns; /* 0: none; else a sign of life is due that often */
    int64_t alive_ns;    /* when the last one was given */
    char status[256];    /* as told last */
};

void kd_notify_open(struct kd_notify *notify, char *const *env);
void kd_notify_close(struct kd_notify *notify);
/* Lines "KEY=value"; lost without a word when nobody takes them. */
void kd_notify_send(struct kd_notify *notify, const char *fmt, ...) KD_PRINTF(2, 3);
void kd_notify_ready(struct kd_notify *notify);
void kd_notify_reloading(struct kd_notify *notify);
/* What systemctl shows; sent when it has changed. */
void kd_notify_status(struct kd_notify *notify, const char *fmt, ...) KD_PRINTF(2, 3);
/* A sign of life, when it is due. Nothing may be stuck when this is called. */
void kd_notify_alive(struct kd_notify *notify, int64_t now_ns);
/* Time until the next sign of life is due; KD_NEVER_NS: none is wanted. */
int64_t kd_notify_due_ns(const struct kd_notify *notify, int64_t now_ns);

#endif
