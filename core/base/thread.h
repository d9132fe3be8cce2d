/*
 * Threads of the process. Each has a name, which shows in ps, in the list of stacks and in the
 * words of a crash, and a stack of its own for the handler of a fault. Signals are the main
 * thread's: these take none but the one that asks for their calls, and those of a fault.
 */
#ifndef KD_BASE_THREAD_H
#define KD_BASE_THREAD_H

#include "base/macros.h"

#include <pthread.h>

/* As pthread_create. Of the name 15 bytes are kept, which is the kernel's bound. */
int kd_thread_create(pthread_t *ret, const char *name, void *(*fn)(void *arg),
                     void *arg) KD_MUST_USE;

#endif
