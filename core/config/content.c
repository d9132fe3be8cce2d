/* The files that make up a configuration, and a hash of all that they say. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "config/loader.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#define SEED UINT64_C(0x6b696e6472656421) /* fixed: the hash is compared between processes */
#define HASH_BITS 48                      /* a gauge holds them exactly */

static void add(struct kd_strlist *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return;
        }
    }
    list->items = kd_realloc_array(list->items, list->n + 1, sizeof(*list->items));
    list->items[list->n++] = kd_strdup(text);
}

void kd_strlist_release(struct kd_strlist *list)
{
    for (size_t i = 0; i < list->n; i++) {
        kd_free(list->items[i]);
    }
    kd_free(list->items);
    *list = (struct kd_strlist){ NULL, 0 };
}

static int is_addition(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot && strcmp(dot, ".conf") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* the same order under every locale */
}

int kd_conf_additions(const char *config_path, struct kd_strlist *ret)
{
    KD_AUTO_FREE char *folder = kd_path_beside(config_path, "plugins.d");
    struct dirent **entries = NULL;
    *ret = (struct kd_strlist){ NULL, 0 };
    int n = scandir(folder, &entries, is_addition, by_name);
    if (n < 0) {
        return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    }
    for (int i = 0; i < n; i++) {
        KD_AUTO_FREE char *path = kd_path_join(folder, entries[i]->d_name);
        add(ret, path);
        free(entries[i]);
    }
    free(entries);
    return 0;
}

/* What cannot be read counts with the reason, so that a repair is a change. */
static uint64_t hash_file(const char *path, uint64_t hash, struct kd_strlist *files)
{
    struct kd_conf_source source;
    struct kd_faults faults = { 0 };
    if (kd_conf_source_read(&source, path, &faults) < 0) {
        hash = kd_hash_mix(hash, faults.n);
    }
    for (size_t i = 0; i < faults.n; i++) {
        hash = kd_hash(faults.items[i], strlen(faults.items[i]), hash);
    }
    if (source.text.len > 0) {
        hash = kd_hash(source.text.ptr, source.text.len, hash);
    }
    add(files, path);
    for (size_t i = 0; i < source.n_chunks; i++) {
        add(files, source.chunks[i].file);
    }
    kd_conf_source_release(&source);
    kd_faults_release(&faults);
    return hash;
}

uint64_t kd_config_content(const char *path, struct kd_strlist *ret_files)
{
    struct kd_strlist additions;
    *ret_files = (struct kd_strlist){ NULL, 0 };
    uint64_t hash = hash_file(path, SEED, ret_files);
    hash = kd_hash_mix(hash, (uint64_t)kd_conf_additions(path, &additions));
    for (size_t i = 0; i < additions.n; i++) {
        const char *name = strrchr(additions.items[i], '/') + 1; /* joined to a folder */
        hash = kd_hash(name, strlen(name), hash);
        hash = hash_file(additions.items[i], hash, ret_files);
    }
    kd_strlist_release(&additions);
    return hash >> (64 - HASH_BITS);
}
