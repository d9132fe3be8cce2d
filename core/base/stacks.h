/*
 * Where every thread of the process is right now. Each is interrupted by a signal for as long as it
 * takes to note its calls; a blocking call that it is in goes on, or ends with EINTR as it may at
 * any time.
 */
#ifndef KD_BASE_STACKS_H
#define KD_BASE_STACKS_H

#include "base/buf.h"

/* Once, before other threads begin. */
void kd_stacks_install(void);
/* The signal, which no thread may block. */
int kd_stacks_signal(void);
/* Appends a block per thread: its number, its name, its calls. One that does not answer within
 * five seconds, or has its own ideas about signals, is named without calls. Any thread; blocks. */
void kd_stacks_write(struct kd_buf *out);

#endif
