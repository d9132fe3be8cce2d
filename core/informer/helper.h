/* The helper thread: does one long job after the other beside the I/O thread, and ends when there
 * is none left. One at a time, so that memory does not add up. */
#ifndef KD_INFORMER_HELPER_H
#define KD_INFORMER_HELPER_H

#include <stdbool.h>

/* Any thread. Runs fn(arg) later; false when there is no thread to be had. */
bool kd_helper_run(void (*fn)(void *arg), void *arg);

#endif
