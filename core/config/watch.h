/*
 * Tells when a file of the configuration may have changed: every folder on the way to each file is
 * watched, those of symbolic links too, so that a swapped link (a mounted ConfigMap) is seen as
 * well as a file that is written anew. It tells of any change in those folders: the caller compares
 * the content. Where the system gives no watch the caller's slow look has to do. One thread.
 */
#ifndef KD_CONFIG_WATCH_H
#define KD_CONFIG_WATCH_H

#include "config/settings.h"

struct kd_conf_watch;

/* Watches nothing yet. */
struct kd_conf_watch *kd_conf_watch_new(void);
void kd_conf_watch_free(struct kd_conf_watch *watch); /* accepts NULL */
/* From now on the folders on the way to these files, and no others. */
void kd_conf_watch_follow(struct kd_conf_watch *watch, const struct kd_strlist *files);
/* Readable when something has changed; -1 when there is none. */
int kd_conf_watch_fd(const struct kd_conf_watch *watch);
/* Takes what has come. True: something may have changed. */
bool kd_conf_watch_take(struct kd_conf_watch *watch);

#endif
