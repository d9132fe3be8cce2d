#include "manager/life.h"

#include "base/limits.h"
#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define BUSY_NS (20 * KD_MS_NS)        /* between looks at what is under way */
#define NOTE_NS (100 * KD_MS_NS)       /* between looks after kinds that are still to be written */
#define QUIET_NS (250 * KD_MS_NS)      /* files are left alone for so long before they are read, */
#define CHANGED_MAX_NS (2 * KD_SEC_NS) /* but not longer than that after the first change */
#define LOOK_NS (30 * KD_SEC_NS)       /* files are looked at without a sign of change */
#define STATUS_NS KD_SEC_NS            /* between looks at what a service manager is told */
#define TURN_NS (2 * KD_SEC_NS)        /* the I/O thread comes round once a second */

void kd_life_init(struct kd_life *life, const sigset_t *set, const struct kd_strlist *files)
{
    life->signals = signalfd(-1, set, SFD_NONBLOCK | SFD_CLOEXEC);
    KD_ASSERT(life->signals >= 0);
    life->watch = kd_conf_watch_new();
    kd_conf_watch_follow(life->watch, files);
    life->look_ns = kd_now_ns(&kd_system_clock) + LOOK_NS;
    life->quiet_level = KD_LOG_INFO;
}

void kd_life_release(struct kd_life *life)
{
    if (life->watch) {
        kd_conf_watch_free(life->watch);
        kd_purge_release(&life->purge);
        (void)close(life->signals); /* read only: nothing to lose */
    }
    *life = (struct kd_life){ 0 };
}

/* True when the process is to stop. */
/* Each SIGUSR1 tells more, or again as much as before; a reload that sets a level has its way. */
static void turn_log_level(struct kd_life *life)
{
    bool more = kd_log_level() != KD_LOG_DEBUG;
    uint32_t level = more ? KD_LOG_DEBUG : life->quiet_level;
    life->quiet_level = more ? kd_log_level() : life->quiet_level;
    kd_log_set_level(level);
    KD_WARN("log level set by SIGUSR1", KD_F("level", kd_log_level_name(level)));
}

static bool take_signals(struct kd_life *life)
{
    struct signalfd_siginfo info;
    while (read(life->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) {
            return true;
        }
        if (info.ssi_signo == SIGUSR1) {
            turn_log_level(life);
        }
        life->asked = life->asked || info.ssi_signo == SIGHUP;
    }
    return false;
}

static void note_change(struct kd_life *life, int64_t now_ns)
{
    life->changed_ns = life->changed_ns ? life->changed_ns : now_ns;
    life->quiet_ns = now_ns;
}

static bool is_look_due(const struct kd_life *life, int64_t now_ns)
{
    bool settled = life->changed_ns && (now_ns - life->quiet_ns >= QUIET_NS ||
                                        now_ns - life->changed_ns >= CHANGED_MAX_NS);
    return settled || now_ns >= life->look_ns;
}

/* The files are read, and taken when they say something new, or when a signal has asked. */
static void look_at_files(struct kd_life *life, int64_t now_ns)
{
    struct kd_strlist files;
    if (!life->asked && !is_look_due(life, now_ns)) {
        return;
    }
    if (life->reload->plan) {
        return; /* one after the other */
    }
    uint64_t content = kd_config_content(life->path, &files);
    kd_conf_watch_follow(life->watch, &files);
    kd_strlist_release(&files);
    if (life->asked || content != life->reload->content) {
        (void)kd_reload_begin(life->reload, content); /* none is under way */
    }
    life->asked = false;
    life->changed_ns = 0;
    life->look_ns = now_ns + LOOK_NS;
}

static void tell_status(struct kd_life *life)
{
    const struct kd_view *view = life->kinds->view;
    size_t written = 0;
    if (life->notify->fd < 0) {
        return;
    }
    for (size_t i = 0; i < view->n; i++) {
        written += atomic_load(&view->items[i].written);
    }
    kd_notify_status(life->notify, "%s%zu of %zu kinds ready",
                     atomic_load(&life->kinds->leading) ? "" : "standby, ", written, view->n);
}

/* Nothing is stuck: what /healthz says, and the I/O thread within the time of the watchdog. */
static bool is_alive(const struct kd_life *life, int64_t now_ns)
{
    KD_AUTO_ARENA struct kd_arena arena;
    const struct kd_check_row *rows = NULL;
    kd_arena_init(&arena, KD_MIB);
    const struct kd_server_source source = kd_source_vtable(life->source);
    size_t n = source.live_checks(source.arg, &arena, &rows);
    bool ok = n > 0;
    for (size_t i = 0; i < n; i++) {
        ok = ok && rows[i].ok;
    }
    int64_t limit_ns = life->notify->watchdog_ns > TURN_NS ? life->notify->watchdog_ns : TURN_NS;
    return ok && now_ns - kd_loop_last_turn_ns(life->loop) < limit_ns;
}

static void show_life(struct kd_life *life, int64_t now_ns)
{
    tell_status(life);
    if (kd_notify_due_ns(life->notify, now_ns) == 0 && is_alive(life, now_ns)) {
        kd_notify_alive(life->notify, now_ns);
    }
}

static void turn(struct kd_life *life)
{
    int64_t now_ns = kd_now_ns(&kd_system_clock);
    bool leads = atomic_load(&life->kinds->leading);
    look_at_files(life, now_ns);
    if (life->reload->plan && kd_purge_is_settled(&life->purge, life->store) &&
        kd_reload_step(life->reload)) {
        kd_purge_begin(&life->purge);
    }
    if (leads && !life->led) { /* what others have left, or this process before */
        life->unwritten = true;
        kd_purge_begin(&life->purge);
    }
    life->led = leads;
    (void)kd_kinds_tidy(life->kinds);
    if (leads && !life->reload->plan) {
        (void)kd_purge_step(&life->purge, life->kinds, life->store);
    }
    life->unwritten = kd_kinds_note_written(life->kinds, life->store);
    show_life(life, now_ns);
}

static int64_t sooner(int64_t a_ns, int64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

/* How long the loop may sleep. */
static int wait_ms(const struct kd_life *life)
{
    int64_t now_ns = kd_now_ns(&kd_system_clock);
    int64_t wait_ns = sooner(LOOK_NS, life->look_ns - now_ns);
    bool purging = life->purge.under_way && life->led;
    if (life->reload->plan || life->kinds->retiring || purging) {
        wait_ns = BUSY_NS;
    } else if (life->unwritten || life->changed_ns) {
        wait_ns = sooner(wait_ns, NOTE_NS);
    }
    if (life->notify->fd >= 0) {
        wait_ns = sooner(wait_ns, STATUS_NS);
        int64_t due_ns = kd_notify_due_ns(life->notify, now_ns);
        wait_ns = sooner(wait_ns, due_ns > 0 ? due_ns : NOTE_NS); /* 0: something is stuck */
    }
    return wait_ns > 0 ? (int)(wait_ns / KD_MS_NS) + 1 : 0;
}

void kd_life_run(struct kd_life *life)
{
    struct pollfd fds[] = { { .fd = life->signals, .events = POLLIN },
                            { .fd = kd_conf_watch_fd(life->watch), .events = POLLIN },
                            { .fd = life->kinds->turned, .events = POLLIN } };
    for (;;) {
        eventfd_t turns;
        turn(life);
        if (poll(fds, KD_ARRAY_LEN(fds), wait_ms(life)) < 0 && errno != EINTR) {
            KD_WARN("cannot wait for signals", KD_F("error", strerror(errno)));
        }
        if (eventfd_read(life->kinds->turned, &turns) == 0) { /* the next turn looks, too */
            kd_server_wake(life->server);                     /* answers that may not go on end */
        }
        if (take_signals(life) || kd_lead_is_over(life->lead)) {
            return;
        }
        if (kd_conf_watch_take(life->watch)) {
            note_change(life, kd_now_ns(&kd_system_clock));
        }
    }
}
