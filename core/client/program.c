#include "client/program.h"

#include "base/alloc.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

struct kd_program_run {
    struct kd_loop *loop;
    kd_program_done *done;
    void *arg;
    char *name;
    pid_t pid;
    int ended_fd; /* readable when the process has ended */
    int output_fd;
    struct event *ended;
    struct event *readable;
    struct kd_timer limit;
    int64_t timeout_ns;
    struct kd_buf output;
    int error; /* why we killed it */
};

static void free_run(struct kd_program_run *run)
{
    event_free(run->ended);
    event_free(run->readable);
    kd_timer_release(&run->limit);
    (void)close(run->ended_fd);
    (void)close(run->output_fd);
    kd_free_secret(kd_steal(run->output.ptr), run->output.cap);
    kd_free(run->name);
    kd_free(run);
}

static void kill_group(const struct kd_program_run *run)
{
    (void)kill(-run->pid, SIGKILL); /* gone already: nothing to do */
}

/* Its end follows and is reported then. */
static void give_up(struct kd_program_run *run, int error)
{
    run->error = run->error ? run->error : error;
    (void)event_del(run->readable);
    kill_group(run);
}

enum got { GOT_SOME, GOT_NOTHING, GOT_END };

/* What is read is wiped on the way, for it holds a credential. */
static enum got read_some(struct kd_program_run *run)
{
    char chunk[16384];
    ssize_t n = read(run->output_fd, chunk, sizeof(chunk));
    if (n <= 0) {
        return n < 0 && (errno == EAGAIN || errno == EINTR) ? GOT_NOTHING : GOT_END;
    }
    struct kd_buf *out = &run->output;
    if (out->len + (size_t)n > out->max) {
        give_up(run, KD_ETOOBIG);
    } else {
        (void)kd_buf_put(out, chunk, (size_t)n); /* reserved at the start */
    }
    explicit_bzero(chunk, (size_t)n);
    return run->error ? GOT_END : GOT_SOME;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct kd_program_run *run = arg;
    (void)fd;
    (void)what;
    if (read_some(run) == GOT_END) {
        (void)event_del(run->readable);
    }
}

static char *failure(const struct kd_program_run *run, const siginfo_t *info)
{
    char text[KD_RFC3339_MAX];
    if (run->error == KD_ETIMEOUT) {
        return kd_asprintf("%s did not end within %s (cluster.exec_timeout)", run->name,
                           kd_duration_text(run->timeout_ns, text));
    }
    if (run->error == KD_ETOOBIG) {
        return kd_asprintf("%s printed more than %zu bytes", run->name, run->output.max);
    }
    return info->si_code == CLD_EXITED
               ? kd_asprintf("%s ended with code %d", run->name, info->si_status)
               : kd_asprintf("%s was ended by signal %d", run->name, info->si_status);
}

static void on_ended(evutil_socket_t fd, short what, void *arg)
{
    struct kd_program_run *run = arg;
    siginfo_t info = { 0 };
    (void)fd;
    (void)what;
    if (waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) {
        return; /* not yet */
    }
    while (run->error == 0 && read_some(run) == GOT_SOME) {
    }
    bool good = run->error == 0 && info.si_code == CLD_EXITED && info.si_status == 0;
    KD_AUTO_FREE char *why = good ? NULL : failure(run, &info);
    int error = good ? 0 : run->error ? run->error : KD_ECONFIG;
    run->done(run->arg, error, why ? why : "", kd_buf_str(&run->output));
    free_run(run);
}

static void on_limit(void *arg)
{
    give_up(arg, KD_ETIMEOUT);
}

/* -- the start */

static int spawn(const struct kd_program *program, int output_fd, pid_t *ret_pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    if (posix_spawn_file_actions_init(&files) != 0) {
        return ENOMEM;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    int rc = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(&files, output_fd, STDOUT_FILENO);
    /* Our own blocked and ignored signals are nothing that it should inherit. */
    rc = rc ? rc
            : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                        POSIX_SPAWN_SETSIGDEF);
    rc = rc ? rc : posix_spawnattr_setpgroup(&attributes, 0);
    rc = rc ? rc : posix_spawnattr_setsigmask(&attributes, &none);
    rc = rc ? rc : posix_spawnattr_setsigdefault(&attributes, &all);
    rc = rc ? rc
            : posix_spawnp(ret_pid, program->argv[0], &files, &attributes, program->argv,
                           program->envp);
    (void)posix_spawn_file_actions_destroy(&files);
    (void)posix_spawnattr_destroy(&attributes);
    return rc;
}

static int fail_start(const char *name, int code, struct kd_error *reterr)
{
    return kd_fail(reterr, code == ENOENT ? KD_ENOENT : KD_EIO, "%s cannot be run: %s", name,
                   strerror(code));
}

static void watch(struct kd_program_run *run)
{
    struct event_base *base = kd_loop_base(run->loop);
    run->ended = event_new(base, run->ended_fd, EV_READ | EV_PERSIST, on_ended, run);
    run->readable = event_new(base, run->output_fd, EV_READ | EV_PERSIST, on_readable, run);
    KD_ASSERT(run->ended && run->readable);
    KD_ASSERT(event_add(run->ended, NULL) == 0 && event_add(run->readable, NULL) == 0);
    kd_timer_init(&run->limit, run->loop, on_limit, run);
    kd_timer_start(&run->limit, run->timeout_ns);
}

int kd_program_start(struct kd_loop *loop, const struct kd_program *program, kd_program_done *done,
                     void *arg, struct kd_program_run **ret, struct kd_error *reterr)
{
    int fds[2];
    pid_t pid = 0;
    struct kd_buf output;
    kd_buf_init(&output, program->max_output);
    KD_TRY(kd_buf_reserve(&output, program->max_output)); /* so that it never moves */
    if (pipe2(fds, O_CLOEXEC) != 0) {
        kd_buf_release(&output);
        return fail_start(program->argv[0], errno, reterr);
    }
    int code = spawn(program, fds[1], &pid);
    (void)close(fds[1]);
    int ended_fd = code ? -1 : pidfd_open(pid, 0);
    if (ended_fd < 0) {
        code = code ? code : errno;
        if (pid > 0) {
            (void)kill(-pid, SIGKILL);
            (void)waitpid(pid, NULL, 0);
        }
        (void)close(fds[0]);
        kd_buf_release(&output);
        return fail_start(program->argv[0], code, reterr);
    }
    (void)fcntl(fds[0], F_SETFL, O_NONBLOCK);
    struct kd_program_run *run = kd_zalloc(sizeof(*run));
    *run = (struct kd_program_run){ .loop = loop,
                                    .done = done,
                                    .arg = arg,
                                    .name = kd_strdup(program->argv[0]),
                                    .pid = pid,
                                    .ended_fd = ended_fd,
                                    .output_fd = fds[0],
                                    .timeout_ns = program->timeout_ns,
                                    .output = output };
    watch(run);
    *ret = run;
    return 0;
}

void kd_program_cancel(struct kd_program_run *run)
{
    if (run) {
        kill_group(run);
        (void)waitpid(run->pid, NULL, 0); /* killed: at once */
        free_run(run);
    }
}
