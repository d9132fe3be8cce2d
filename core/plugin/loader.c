#include "plugin/loader.h"

#include "base/alloc.h"
#include "plugin/elf.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define SYMBOL "kindred_plugin"
#define HEAD_SIZE 32u
#define NAME_MAX_LEN 63u

/* What ABI 1.0 began with: a smaller struct is no plugin of this major. */
#define FIRST_PLUGIN_SIZE (offsetof(struct kd_plugin, fini) + sizeof(void (*)(void *)))

_Static_assert(offsetof(struct kd_plugin, version) == HEAD_SIZE, "the head is frozen");

static struct kd_loaded *loaded_files; /* main thread only */

bool kd_plugin_name_ok(const char *name)
{
    size_t len = strnlen(name, NAME_MAX_LEN + 1);
    return len > 0 && len <= NAME_MAX_LEN &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

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

static int check_sizes(void *handle, const struct kd_plugin *found, struct kd_refusal *refusal)
{
    char expected[64];
    size_t elf_size = kd_elf_symbol_size(found);
    if (!kd_elf_contains(handle, found, elf_size)) {
        return kd_refuse(refusal, KD_EABI, "the symbol " SYMBOL " lies outside of the file",
                         "the file's own symbol", "another file's, or more than the file holds");
    }
    if (elf_size < HEAD_SIZE) {
        return kd_refuse(refusal, KD_EABI, "the symbol " SYMBOL " is smaller than a plugin's head",
                         "at least 32 bytes", "%zu bytes", elf_size);
    }
    if (found->struct_size > elf_size) {
        (void)snprintf(expected, sizeof(expected), "at most %zu bytes (ELF symbol)", elf_size);
        return kd_refuse(refusal, KD_EABI, "the plugin states a size larger than its symbol",
                         expected, "struct_size %u", (unsigned)found->struct_size);
    }
    if (found->magic != KD_PLUGIN_MAGIC) {
        return kd_refuse(refusal, KD_EABI, "the symbol " SYMBOL " is no kindred plugin",
                         "magic KDN1", "0x%08x", (unsigned)found->magic);
    }
    return 0;
}

static int check_abi(const struct kd_plugin *found, struct kd_refusal *refusal)
{
    char expected[64];
    (void)snprintf(expected, sizeof(expected), "ABI %u.x, x up to %u needed", KD_ABI_MAJOR,
                   KD_ABI_MINOR);
    if (found->abi_major != KD_ABI_MAJOR) {
        return kd_refuse(refusal, KD_EABI, "built for another major of the plugin ABI: rebuild it",
                         expected, "ABI %u.%u", (unsigned)found->abi_major,
                         (unsigned)found->abi_minor);
    }
    if (found->min_host_minor > KD_ABI_MINOR) {
        return kd_refuse(refusal, KD_EABI, "the plugin needs a newer kindred", expected,
                         "needs ABI %u.%u", (unsigned)found->abi_major,
                         (unsigned)found->min_host_minor);
    }
    uint64_t unknown = found->required_caps & ~KD_CAPS_ALL;
    if (unknown) {
        return kd_refuse(refusal, KD_EABI, "the plugin needs a capability that this host lacks",
                         "known capabilities only", "bit %d", __builtin_ctzll(unknown));
    }
    if (found->struct_size < FIRST_PLUGIN_SIZE) {
        (void)snprintf(expected, sizeof(expected), "at least %zu bytes", FIRST_PLUGIN_SIZE);
        return kd_refuse(refusal, KD_EABI, "the plugin's struct is shorter than this major's first",
                         expected, "struct_size %u", (unsigned)found->struct_size);
    }
    return 0;
}

static int check_name(const struct kd_plugin *plugin, const char *file_name,
                      struct kd_refusal *refusal)
{
    if (!plugin->name || !plugin->version || !kd_plugin_name_ok(plugin->name)) {
        return kd_refuse(refusal, KD_EABI, "a plugin states its name and version",
                         "a name of a-z, 0-9 and -, and a version", "%.*s%s", (int)NAME_MAX_LEN,
                         plugin->name ? plugin->name : "no name",
                         plugin->version ? "" : " without a version");
    }
    if (strcmp(plugin->name, file_name) != 0) {
        return kd_refuse(refusal, KD_EABI, "a plugin's file has the plugin's name", file_name, "%s",
                         plugin->name);
    }
    return 0;
}

static int take_plugin(struct kd_loaded *loaded, const char *name, struct kd_refusal *refusal)
{
    const struct kd_plugin *found = dlsym(loaded->handle, SYMBOL);
    if (!found) {
        return kd_refuse(refusal, KD_EABI, "no plugin: the file does not export " SYMBOL,
                         "a data symbol " SYMBOL, "none");
    }
    KD_TRY(check_sizes(loaded->handle, found, refusal));
    KD_TRY(check_abi(found, refusal));
    size_t size =
        found->struct_size < sizeof(loaded->plugin) ? found->struct_size : sizeof(loaded->plugin);
    memcpy(&loaded->plugin, found, size);
    return check_name(&loaded->plugin, name, refusal);
}

void kd_loader_drop(struct kd_loaded *loaded)
{
    if (!loaded || loaded->resident) {
        return;
    }
    if (loaded->handle) {
        (void)dlclose(loaded->handle); /* refused: nothing of it is in use */
    }
    kd_plugin_file_release(&loaded->file);
    kd_free(loaded);
}

int kd_loader_keep(struct kd_loaded *loaded, struct kd_refusal *refusal)
{
    if (loaded->resident) {
        return 0;
    }
    if (!dlopen(loaded->file.path, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)) {
        const char *why = dlerror();
        return kd_refuse(refusal, KD_EPLUGIN, "the file could not be made resident",
                         "resident code", "%s", why ? why : "no reason given");
    }
    loaded->resident = true;
    loaded->next = loaded_files;
    loaded_files = loaded;
    return 0;
}

static int open_file(struct kd_loaded *loaded, const char *name, struct kd_refusal *refusal)
{
    if (!kd_elf_file_is_whole(loaded->file.path)) {
        return kd_refuse(refusal, KD_EPLUGIN, "the file is cut short: install it again",
                         "all that its ELF headers name", "a shorter file");
    }
    loaded->handle = dlopen(loaded->file.path, RTLD_NOW | RTLD_LOCAL);
    if (!loaded->handle) {
        const char *why = dlerror();
        return kd_refuse(refusal, KD_EPLUGIN, why ? why : "the loader gave no reason",
                         "a loadable file", "%s", loaded->file.path);
    }
    return take_plugin(loaded, name, refusal);
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
    rc = open_file(loaded, name, refusal);
    if (rc < 0) {
        kd_loader_drop(loaded);
        return rc;
    }
    *ret = loaded;
    return 0;
}
