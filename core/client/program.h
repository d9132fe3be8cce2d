/*
 * Runs a program on the loop and takes what it prints: no shell, an argument vector, standard input
 * from /dev/null, standard error as ours, a process group of its own, bounded time and output. The
 * answer is whole when the program has ended; a child that it leaves behind is not waited for.
 */
#ifndef KD_CLIENT_PROGRAM_H
#define KD_CLIENT_PROGRAM_H

#include "base/buf.h"
#include "base/loop.h"

struct kd_program {
    char *const *argv; /* argv[0]: a path, or a name that is looked up in PATH */
    char *const *envp;
    int64_t timeout_ns;
    size_t max_output;
};

struct kd_program_run;

/* error 0: output is all that was printed. Else why says what happened, without the output. The
 * run is gone when it returns. */
typedef void kd_program_done(void *arg, int error, const char *why, struct kd_str output);

/* Strings are needed during the call only. KD_ENOENT when there is no such program. */
int kd_program_start(struct kd_loop *loop, const struct kd_program *program, kd_program_done *done,
                     void *arg, struct kd_program_run **ret, struct kd_error *reterr) KD_MUST_USE;
/* Kills it; done is not called. Accepts NULL. */
void kd_program_cancel(struct kd_program_run *run);

#endif
