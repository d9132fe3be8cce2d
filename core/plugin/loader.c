#include "plugin/loader.h"

#include "base/alloc.h"
#include "plugin/elf.h"
#include "plugin/take.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

static struct kd_loaded *loaded_files; /* main thread only */

static int find_loaded(const struct kd_plugin_file *file, struct kd_loaded **ret,
                       struct kd_refusal *refusal)
{
    *ret = NULL;
    for (struct kd_loaded *l = loaded_files; l; l = l->next) {
        bool same_path = strcmp(l->file.path, file->path) == 0;
        bool same_inode = l->file.device == file->device && l->file.inode == file->inode;
        if (same_path && same_inode) {
            *ret = l;
            return 0;
        }
        if (same_path) {
            return kd_refuse(refusal, KD_EBUSY,
                             "changed on disk, needs a restart of kindred to be loaded",
                             "the file that was loaded before", "another inode");
        }
        if (same_inode) {
            return kd_refuse(refusal, KD_EEXIST, "the same file is loaded under another path",
                             l->file.path, "%s", file->path);
        }
    }
    return 0;
}

/*
 * The dynamic linker knows a library by the path it was opened with, and the path of a memory file
 * is the number of its descriptor: that must not be given away while the library is there, which it
 * may be even after dlclose.
 */
static void close_copy(struct kd_loaded *loaded)
{
    void *still =
        loaded->signature.copy < 0 ? NULL : dlopen(loaded->open_path, RTLD_LAZY | RTLD_NOLOAD);
    if (still) {
        (void)dlclose(still); /* as it was before */
        loaded->signature.copy = -1;
    }
    kd_signed_release(&loaded->signature);
}

void kd_loader_drop(struct kd_loaded *loaded)
{
    if (!loaded || loaded->resident) {
        return;
    }
    if (loaded->handle) {
        (void)dlclose(loaded->handle); /* refused: nothing of it is in use */
    }
    close_copy(loaded);
    kd_plugin_file_release(&loaded->file);
    kd_free(loaded->open_path);
    kd_free(loaded);
}

/* The dynamic linker's own words, with the plugin's path where it speaks of a memory file. */
static int refuse_loading(const struct kd_loaded *loaded, const char *expected,
                          struct kd_refusal *refusal)
{
    const char *why = dlerror();
    why = why ? why : "the loader gave no reason";
    size_t len = strlen(loaded->open_path);
    bool names_it = strncmp(why, loaded->open_path, len) == 0;
    KD_AUTO_FREE char *text =
        names_it ? kd_asprintf("%s%s", loaded->file.path, why + len) : kd_strdup(why);
    return kd_refuse(refusal, KD_EPLUGIN, text, expected, "%s", loaded->file.path);
}

int kd_loader_keep(struct kd_loaded *loaded, struct kd_refusal *refusal)
{
    if (loaded->resident) {
        return 0;
    }
    if (!dlopen(loaded->open_path, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)) {
        return refuse_loading(loaded, "resident code", refusal);
    }
    loaded->resident = true;
    loaded->next = loaded_files;
    loaded_files = loaded;
    return 0;
}

static int open_file(struct kd_loaded *loaded, const struct kd_strlist *keys, const char *name,
                     struct kd_refusal *refusal)
{
    if (keys->n > 0) {
        KD_TRY(kd_signature_open(&loaded->file, keys, &loaded->signature, refusal));
        loaded->open_path = kd_asprintf("/proc/self/fd/%d", loaded->signature.copy);
    } else {
        loaded->open_path = kd_strdup(loaded->file.path);
    }
    if (!kd_elf_file_is_whole(loaded->open_path)) {
        return kd_refuse(refusal, KD_EPLUGIN, "the file is cut short: install it again",
                         "all that its ELF headers name", "a shorter file");
    }
    loaded->handle = dlopen(loaded->open_path, RTLD_NOW | RTLD_LOCAL);
    if (!loaded->handle) {
        return refuse_loading(loaded, "a loadable file", refusal);
    }
    return kd_plugin_take(loaded->handle, name, &loaded->plugin, refusal);
}

int kd_loader_load(const struct kd_plugins_settings *settings, const char *name,
                   struct kd_loaded **ret, char **ret_path, struct kd_refusal *refusal)
{
    struct kd_plugin_file file = { 0 };
    struct kd_loaded *known = NULL;
    int rc = kd_plugin_file_find(settings, name, &file, refusal);
    *ret_path = kd_strdup(file.path ? file.path : "");
    if (rc == 0) {
        rc = find_loaded(&file, &known, refusal);
    }
    if (rc < 0 || known) {
        kd_plugin_file_release(&file);
        *ret = rc < 0 ? NULL : known;
        return rc;
    }
    struct kd_loaded *loaded = kd_zalloc(sizeof(*loaded));
    loaded->file = file;
    loaded->signature = (struct kd_signed)KD_SIGNED_NONE;
    rc = open_file(loaded, &settings->trusted_keys, name, refusal);
    if (rc < 0) {
        kd_loader_drop(loaded);
        return rc;
    }
    *ret = loaded;
    return 0;
}
