#include "base/stacks.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FRAMES_MAX 64
#define NAME_MAX_LEN 64
#define WAIT_NS (5 * KD_SEC_NS)

/* One thread at a time is asked; what comes late from another is thrown away. */
static struct {
    pthread_mutex_t lock; /* guards all: one reader at a time */
    _Atomic pid_t wanted; /* thread that is asked; 0: none */
    sem_t answered;
    void *frames[FRAMES_MAX];
    int n;
} asked = { .lock = PTHREAD_MUTEX_INITIALIZER };

int kd_stacks_signal(void)
{
    return SIGRTMIN + 3; /* the first ones are taken by libraries now and then */
}

static pid_t own_number(void)
{
    return (pid_t)syscall(SYS_gettid);
}

static void on_signal(int number)
{
    int saved = errno;
    pid_t self = own_number();
    (void)number;
    if (atomic_compare_exchange_strong(&asked.wanted, &self, 0)) {
        asked.n = backtrace(asked.frames, FRAMES_MAX);
        (void)sem_post(&asked.answered);
    }
    errno = saved;
}

void kd_stacks_install(void)
{
    void *frame;
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    (void)backtrace(&frame, 1); /* loads what it needs, which a handler must not */
    (void)sem_init(&asked.answered, 0, 0);
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(kd_stacks_signal(), &action, NULL); /* cannot fail for it */
}

static bool wait_for_answer(void)
{
    struct timespec until;
    int rc;
    (void)clock_gettime(CLOCK_REALTIME, &until); /* the clock that semaphores know */
    until.tv_sec += WAIT_NS / KD_SEC_NS;
    do {
        rc = sem_timedwait(&asked.answered, &until);
    } while (rc != 0 && errno == EINTR);
    return rc == 0;
}

/* False: it does not answer, or has gone. */
static bool ask_locked(pid_t thread)
{
    atomic_store(&asked.wanted, thread);
    bool sent = syscall(SYS_tgkill, getpid(), thread, kd_stacks_signal()) == 0;
    if (sent && wait_for_answer()) {
        return true;
    }
    pid_t expected = thread; /* taken back, unless it answers this very moment */
    return !atomic_compare_exchange_strong(&asked.wanted, &expected, 0) && wait_for_answer();
}

static void put_name(struct kd_buf *out, const char *thread)
{
    KD_AUTO_FREE char *path = kd_asprintf("/proc/self/task/%s/comm", thread);
    KD_AUTO_BUF struct kd_buf name;
    kd_buf_init(&name, NAME_MAX_LEN);
    if (kd_file_read(path, &name, NULL) == 0) {
        (void)kd_buf_put_str(out, kd_str_trim(kd_buf_str(&name))); /* remembered by out, as all */
    }
}

static void put_calls(struct kd_buf *out)
{
    char **lines = backtrace_symbols(asked.frames, asked.n);
    for (int i = 0; lines && i < asked.n; i++) {
        (void)kd_buf_printf(out, "    %s\n", lines[i]);
    }
    free(lines); /* one block, glibc's */
}

static void put_thread_locked(struct kd_buf *out, const char *thread)
{
    pid_t number = (pid_t)strtol(thread, NULL, 10);
    (void)kd_buf_printf(out, "thread %s ", thread);
    put_name(out, thread);
    if (number == own_number()) {
        (void)kd_buf_puts(out, ", which asks\n");
        asked.n = backtrace(asked.frames, FRAMES_MAX);
        put_calls(out);
    } else if (ask_locked(number)) {
        (void)kd_buf_putc(out, '\n');
        put_calls(out);
    } else {
        (void)kd_buf_puts(out, ": no answer\n");
    }
}

void kd_stacks_write(struct kd_buf *out)
{
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    if (!folder) {
        (void)kd_buf_puts(out, "no /proc: the threads are not known\n");
        return;
    }
    pthread_mutex_lock(&asked.lock);
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.') {
            put_thread_locked(out, entry->d_name);
        }
    }
    pthread_mutex_unlock(&asked.lock);
    (void)closedir(folder); /* read only */
}
