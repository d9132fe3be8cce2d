#include "plugin/take.h"

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

/* Letters a-z, digits and '-', 1 to 63 of them. */
static bool name_ok(const char *name)
{
    size_t len = strnlen(name, NAME_MAX_LEN + 1);
    return len > 0 && len <= NAME_MAX_LEN &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
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
    if (!plugin->name || !plugin->version || !name_ok(plugin->name)) {
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

int kd_plugin_take(void *handle, const char *name, struct kd_plugin *ret,
                   struct kd_refusal *refusal)
{
    const struct kd_plugin *found = dlsym(handle, SYMBOL);
    if (!found) {
        return kd_refuse(refusal, KD_EABI, "no plugin: the file does not export " SYMBOL,
                         "a data symbol " SYMBOL, "none");
    }
    KD_TRY(check_sizes(handle, found, refusal));
    KD_TRY(check_abi(found, refusal));
    struct kd_plugin plugin = { 0 };
    memcpy(&plugin, found,
           found->struct_size < sizeof(plugin) ? found->struct_size : sizeof(plugin));
    KD_TRY(check_name(&plugin, name, refusal));
    *ret = plugin;
    return 0;
}
