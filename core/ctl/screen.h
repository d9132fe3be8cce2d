/*
 * A terminal that is drawn on again and again, picture by picture, on a page of its own: what stood
 * there before is back afterwards, also when a signal ends the process.
 */
#ifndef KD_CTL_SCREEN_H
#define KD_CTL_SCREEN_H

#include "base/buf.h"

#include <stdbool.h>

/* Takes the terminal, which stdout is. One at a time. */
void kd_ctl_screen_begin(void);
/* Gives it back. */
void kd_ctl_screen_end(void);
/* Appends the picture of a text, cut to the terminal's size of now. */
void kd_ctl_screen_put(struct kd_buf *out, struct kd_str text);
/* Waits: 0 the time is over, 1 draw again (the size has changed), 2 the user wants to end. */
int kd_ctl_screen_wait(int64_t wait_ns);

#endif
