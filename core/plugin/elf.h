/* What the dynamic linker knows of a loaded file, so that sizes a plugin states can be believed. */
#ifndef KD_PLUGIN_ELF_H
#define KD_PLUGIN_ELF_H

#include <stdbool.h>
#include <stddef.h>

/* Size of the object that begins at `address` by the symbol table; 0 when it is not known. */
size_t kd_elf_symbol_size(const void *address);
/* Whether [ptr, ptr + len) lies in one loaded segment of the file that `handle` stands for. */
bool kd_elf_contains(void *handle, const void *ptr, size_t len);

#endif
