#include "manager/notify.h"

#include "base/clock.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MESSAGE_MAX 512

static const char *variable(char *const *env, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; env && env[i]; i++) {
        if (strncmp(env[i], name, len) == 0 && env[i][len] == '=') {
            return env[i] + len + 1;
        }
    }
    return NULL;
}

/* False for what is no socket's name. */
static bool set_address(struct kd_notify *notify, const char *name)
{
    size_t len = strlen(name);
    if ((name[0] != '/' && name[0] != '@') || len < 2 || len >= sizeof(notify->address.sun_path)) {
        return false;
    }
    notify->address.sun_family = AF_UNIX;
    memcpy(notify->address.sun_path, name, len);
    if (name[0] == '@') { /* an abstract name has no NUL at its end */
        notify->address.sun_path[0] = '\0';
    }
    notify->address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    return true;
}

static void set_watchdog(struct kd_notify *notify, char *const *env)
{
    const char *period = variable(env, "WATCHDOG_USEC");
    const char *whose = variable(env, "WATCHDOG_PID");
    uint64_t usec = 0;
    uint64_t pid = 0;
    if (!period || !kd_str_to_u64(kd_str_from(period), &usec) || usec > INT64_MAX / 1000) {
        return;
    }
    if (whose && (!kd_str_to_u64(kd_str_from(whose), &pid) || pid != (uint64_t)getpid())) {
        return; /* another process of the service is watched */
    }
    notify->watchdog_ns = (int64_t)usec * 1000 / 2;
}

void kd_notify_open(struct kd_notify *notify, char *const *env)
{
    const char *name = variable(env, "NOTIFY_SOCKET");
    *notify = (struct kd_notify){ .fd = -1 };
    if (name && set_address(notify, name)) {
        notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        set_watchdog(notify, env);
    }
}

void kd_notify_close(struct kd_notify *notify)
{
    if (notify->fd >= 0) {
        (void)close(notify->fd); /* a datagram is sent or it is not */
    }
    notify->fd = -1;
}

static void send_text(struct kd_notify *notify, const char *text)
{
    if (notify->fd >= 0) {
        (void)sendto(notify->fd, text, strlen(text), MSG_NOSIGNAL,
                     (const struct sockaddr *)&notify->address, notify->address_len);
    }
}

void kd_notify_send(struct kd_notify *notify, const char *fmt, ...)
{
    char text[MESSAGE_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args); /* cut to fit */
    va_end(args);
    send_text(notify, text);
}

void kd_notify_ready(struct kd_notify *notify)
{
    kd_notify_send(notify, "READY=1");
}

void kd_notify_reloading(struct kd_notify *notify)
{
    kd_notify_send(notify, "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
                   kd_now_ns(&kd_system_clock) / 1000);
}

void kd_notify_status(struct kd_notify *notify, const char *fmt, ...)
{
    char text[sizeof(notify->status)];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args); /* cut to fit */
    va_end(args);
    if (strcmp(text, notify->status) != 0) {
        memcpy(notify->status, text, sizeof(text));
        kd_notify_send(notify, "STATUS=%s", text);
    }
}

int64_t kd_notify_due_ns(const struct kd_notify *notify, int64_t now_ns)
{
    if (notify->fd < 0 || notify->watchdog_ns == 0) {
        return KD_NEVER_NS;
    }
    int64_t due_ns = notify->alive_ns + notify->watchdog_ns - now_ns;
    return due_ns > 0 ? due_ns : 0;
}

void kd_notify_alive(struct kd_notify *notify, int64_t now_ns)
{
    if (kd_notify_due_ns(notify, now_ns) == 0) {
        notify->alive_ns = now_ns;
        kd_notify_send(notify, "WATCHDOG=1");
    }
}
