/*
 * curl's memory: requests with a token in them pass through it, so it is overwritten as it is freed
 * and nothing of them stays for a core dump to find.
 */
#ifndef KD_CLIENT_WIPING_H
#define KD_CLIENT_WIPING_H

#include "base/macros.h"

/* curl's start. Once, before anything else of curl's. KD_ENOMEM. */
int kd_curl_init(void) KD_MUST_USE;

#endif
