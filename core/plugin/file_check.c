#include "plugin/file_check.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void kd_plugin_file_release(struct kd_plugin_file *file)
{
    file->path = kd_free(file->path);
}

static bool inside(const char *path, const char *folder)
{
    char *real_folder = realpath(folder, NULL);
    if (!real_folder) {
        return false;
    }
    struct kd_str prefix = kd_str_from(real_folder);
    bool is_inside = kd_str_starts(kd_str_from(path), prefix) && path[prefix.len] == '/';
    free(real_folder);
    return is_inside;
}

static bool inside_any(const char *path, const struct kd_plugins_settings *settings)
{
    bool is_inside = inside(path, settings->directory);
    for (size_t i = 0; !is_inside && i < settings->extra.n; i++) {
        is_inside = inside(path, settings->extra.items[i]);
    }
    return is_inside;
}

static int check_file(const struct kd_plugins_settings *settings, struct kd_plugin_file *file,
                      struct kd_refusal *refusal)
{
    struct stat info;
    if (stat(file->path, &info) < 0) {
        return kd_refuse(refusal, KD_EIO, "the file cannot be looked at", "a readable file", "%s",
                         strerror(errno));
    }
    if (!inside_any(file->path, settings)) {
        return kd_refuse(refusal, KD_EPERM,
                         "the file's real path must lie in plugins.directory or plugins.extra",
                         "a file inside a plugin folder", "%s", file->path);
    }
    if (!S_ISREG(info.st_mode)) {
        return kd_refuse(refusal, KD_EPERM, "a plugin must be a regular file", "a regular file",
                         "mode %o", (unsigned)info.st_mode);
    }
    if (info.st_uid != 0 && info.st_uid != geteuid()) {
        return kd_refuse(refusal, KD_EPERM, "a plugin must be owned by root or by kindred's user",
                         "owner root or our own user", "owner uid %u", (unsigned)info.st_uid);
    }
    if (info.st_mode & S_IWOTH) {
        return kd_refuse(refusal, KD_EPERM, "a plugin must not be writable by the world: chmod o-w",
                         "mode without o+w", "mode %o", (unsigned)info.st_mode & 07777u);
    }
    file->device = info.st_dev;
    file->inode = info.st_ino;
    return 0;
}

/* *code keeps the reason that says most: anything before "no such file". */
static char *real_file(const char *folder, const char *file_name, int *code)
{
    char *joined = kd_path_join(folder, file_name);
    char *real = realpath(joined, NULL);
    if (!real && *code == ENOENT) {
        *code = errno;
    }
    kd_free(joined);
    return real;
}

int kd_plugin_file_find(const struct kd_plugins_settings *settings, const char *name,
                        struct kd_plugin_file *ret, struct kd_refusal *refusal)
{
    if (strchr(name, '/')) {
        return kd_refuse(refusal, KD_EPERM,
                         "name a plugin without a path; folders go into plugins.directory and "
                         "plugins.extra",
                         "a name", "%s", name);
    }
    char *file_name = kd_asprintf("%s.so", name);
    int code = ENOENT;
    char *path = real_file(settings->directory, file_name, &code);
    for (size_t i = 0; !path && i < settings->extra.n; i++) {
        path = real_file(settings->extra.items[i], file_name, &code);
    }
    if (!path) {
        int rc = kd_refuse(refusal, KD_ENOENT, "no such file in plugins.directory or plugins.extra",
                           file_name, "%s in %s%s", strerror(code), settings->directory,
                           settings->extra.n ? " and the extra folders" : "");
        ret->path = kd_path_join(settings->directory, file_name);
        kd_free(file_name);
        return rc;
    }
    kd_free(file_name);
    ret->path = path;
    return check_file(settings, ret, refusal);
}
