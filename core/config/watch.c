#include "config/watch.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40
#define MASK                                                                                       \
    (IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB |            \
     IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

struct kd_conf_watch {
    int fd;
    int *wds;
    size_t n;
};

struct kd_conf_watch *kd_conf_watch_new(void)
{
    struct kd_conf_watch *watch = kd_zalloc(sizeof(*watch));
    watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    return watch;
}

void kd_conf_watch_free(struct kd_conf_watch *watch)
{
    if (!watch) {
        return;
    }
    if (watch->fd >= 0) {
        (void)close(watch->fd); /* the watches go with it */
    }
    kd_free(watch->wds);
    kd_free(watch);
}

static bool has(const int *wds, size_t n, int wd)
{
    for (size_t i = 0; i < n; i++) {
        if (wds[i] == wd) {
            return true;
        }
    }
    return false;
}

static void watch_folder_of(struct kd_conf_watch *watch, const char *path, size_t len)
{
    while (len > 0 && path[len - 1] != '/') {
        len--;
    }
    KD_AUTO_FREE char *folder = len > 0 ? kd_str_dup((struct kd_str){ path, len }) : kd_strdup(".");
    int wd = inotify_add_watch(watch->fd, folder, MASK);
    if (wd >= 0 && !has(watch->wds, watch->n, wd)) {
        watch->wds = kd_realloc_array(watch->wds, watch->n + 1, sizeof(*watch->wds));
        watch->wds[watch->n++] = wd;
    }
}

/* Length of the first part of the path that is a symbolic link, or 0. */
static size_t first_link(const char *path, char target[PATH_MAX])
{
    size_t end = strlen(path);
    for (size_t len = 1; len <= end; len++) {
        if (path[len] != '/' && path[len] != '\0') {
            continue;
        }
        KD_AUTO_FREE char *part = kd_str_dup((struct kd_str){ path, len });
        ssize_t n = readlink(part, target, PATH_MAX - 1);
        if (n > 0) {
            target[n] = '\0';
            return len;
        }
    }
    return 0;
}

static void watch_way(struct kd_conf_watch *watch, const char *file)
{
    char target[PATH_MAX];
    char *path = kd_strdup(file);
    for (int i = 0; i < MAX_LINKS; i++) {
        size_t len = first_link(path, target);
        watch_folder_of(watch, path, len ? len : strlen(path));
        if (len == 0) {
            break;
        }
        KD_AUTO_FREE char *link = kd_str_dup((struct kd_str){ path, len });
        KD_AUTO_FREE char *to = kd_path_beside(link, target);
        char *next = kd_asprintf("%s%s", to, path + len);
        kd_free(path);
        path = next;
    }
    kd_free(path);
}

void kd_conf_watch_follow(struct kd_conf_watch *watch, const struct kd_strlist *files)
{
    int *before = watch->wds;
    size_t n_before = watch->n;
    watch->wds = NULL;
    watch->n = 0;
    for (size_t i = 0; watch->fd >= 0 && i < files->n; i++) {
        watch_way(watch, files->items[i]);
    }
    for (size_t i = 0; i < n_before; i++) {
        if (!has(watch->wds, watch->n, before[i])) {
            (void)inotify_rm_watch(watch->fd, before[i]); /* fails when the folder has gone */
        }
    }
    kd_free(before);
}

int kd_conf_watch_fd(const struct kd_conf_watch *watch)
{
    return watch->fd;
}

bool kd_conf_watch_take(struct kd_conf_watch *watch)
{
    char events[4096] __attribute__((aligned(8)));
    bool some = false;
    ssize_t n;
    do {
        n = watch->fd >= 0 ? read(watch->fd, events, sizeof(events)) : 0;
        some = some || n > 0;
    } while (n > 0 || (n < 0 && errno == EINTR));
    return some;
}
