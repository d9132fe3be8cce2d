/*
 * The last words of a process that a fault ends: which signal, in which thread, in which plugin and
 * for which key, and where in the code. They go to standard error, then the signal does what it
 * does by default, so that an exit status and a core dump are what they would be without us.
 */
#ifndef KD_BASE_CRASH_H
#define KD_BASE_CRASH_H

#include <kindred/types.h>
#include <signal.h>

/* What a thread is at while it may run foreign code. Borrowed until kd_crash_leave. */
struct kd_crash_place {
    const char *plugin; /* the entry's name */
    const char *kind;   /* NULL: its init runs */
    struct kd_str ns, name; /* of the object; empty: none in particular */
};

/* Once, before other threads begin. Nothing where a sanitizer does this. */
void kd_crash_install(void);
/* A thread of ours has a stack for the handler, so that an overflow of its own is told, too. */
void kd_crash_thread_begin(void);
void kd_crash_thread_end(void);

/* Takes the signals of a fault out of those that a thread is to block: blocked, they would end the
 * process unheard. */
void kd_crash_let_through(sigset_t *blocked);

void kd_crash_enter(const struct kd_crash_place *place);
void kd_crash_leave(void);

#endif
