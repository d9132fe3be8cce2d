/* What ELF says of a file before it is loaded and after, so that nothing else has to be believed.
 */
#ifndef KD_PLUGIN_ELF_H
#define KD_PLUGIN_ELF_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the file holds every byte that loading it maps: the dynamic linker takes that for granted
 * and dies of a cut file. A file that is no ELF, or of another kind, counts as whole: it is refused
 * by the dynamic linker with a reason of its own.
 */
bool kd_elf_file_is_whole(const char *path);
/* Size of the object that begins at `address` by the symbol table; 0 when it is not known. */
size_t kd_elf_symbol_size(const void *address);
/* Whether [ptr, ptr + len) lies in one loaded segment of the file that `handle` stands for. */
bool kd_elf_contains(void *handle, const void *ptr, size_t len);

#endif
