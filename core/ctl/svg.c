#include "ctl/svg.h"

#include "ctl/download.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "dot"

extern char **environ;

/* Starts dot, which reads `input` from its beginning and writes to the pipe that *ret_out ends. */
static int start(int input, pid_t *ret_pid, int *ret_out, struct kd_error *reterr)
{
    char *const words[] = { (char *)(uintptr_t)PROGRAM, (char *)(uintptr_t) "-Tsvg", NULL };
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (lseek(input, 0, SEEK_SET) != 0 || pipe2(ends, O_CLOEXEC) != 0) {
        return kd_fail(reterr, KD_EIO, PROGRAM ": %s", strerror(errno));
    }
    (void)posix_spawn_file_actions_init(&actions); /* without memory the spawn fails */
    (void)posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    int error = posix_spawnp(ret_pid, PROGRAM, &actions, NULL, words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    if (error != 0) {
        (void)close(ends[0]);
        return error == ENOENT
                   ? kd_fail(reterr, KD_ENOENT,
                             "-o svg is drawn by graphviz, whose program dot is not installed: "
                             "install graphviz, or take -o dot or -o mermaid")
                   : kd_fail(reterr, KD_EIO, PROGRAM ": %s", strerror(error));
    }
    *ret_out = ends[0];
    return 0;
}

static int copy(struct kd_ctl_session *session, int from, struct kd_error *reterr)
{
    char chunk[16384];
    ssize_t n;
    while ((n = read(from, chunk, sizeof(chunk))) != 0) {
        if (n < 0 && errno != EINTR) {
            return kd_fail(reterr, KD_EIO, PROGRAM ": %s", strerror(errno));
        }
        (void)kd_buf_put(&session->out, chunk, n > 0 ? (size_t)n : 0); /* looked at later */
        KD_TRY(kd_ctl_flush_some(session, reterr));
    }
    return 0;
}

static int draw(struct kd_ctl_session *session, int input, struct kd_error *reterr)
{
    pid_t pid = 0;
    int from = -1;
    int status = 0;
    KD_TRY(start(input, &pid, &from, reterr));
    int rc = copy(session, from, reterr);
    (void)close(from); /* a dot that still writes ends by that */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (rc == 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        rc = kd_fail(reterr, KD_EIO, PROGRAM " has failed; -o dot shows what it was given");
    }
    return rc;
}

int kd_ctl_svg(struct kd_ctl_session *session, const char *target, struct kd_error *reterr)
{
    FILE *file = tmpfile(); /* read by dot while it writes: a pipe to it and one from it may lock */
    if (!file) {
        return kd_fail(reterr, KD_EIO, "no temporary file: %s", strerror(errno));
    }
    int rc = kd_ctl_download(session, target, fileno(file), "a temporary file", reterr);
    rc = rc < 0 ? rc : draw(session, fileno(file), reterr);
    (void)fclose(file); /* its content is of no further use */
    return rc;
}
