#include "plugin/elf.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

size_t kd_elf_symbol_size(const void *address)
{
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
        info.dli_saddr != address) {
        return 0;
    }
    return (size_t)symbol->st_size;
}

struct span {
    uintptr_t base; /* load address of the file that is meant */
    uintptr_t first;
    uintptr_t end;
    bool found;
};

static int look_at_file(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct span *span = arg;
    (void)size;
    if (info->dlpi_addr != span->base) {
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && span->first >= first &&
            span->end <= first + segment->p_memsz) {
            span->found = true;
        }
    }
    return 1;
}

bool kd_elf_contains(void *handle, const void *ptr, size_t len)
{
    struct link_map *map = NULL;
    struct span span = { .first = (uintptr_t)ptr };
    if (__builtin_add_overflow(span.first, len, &span.end) ||
        dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
        return false;
    }
    span.base = map->l_addr;
    (void)dl_iterate_phdr(look_at_file, &span);
    return span.found;
}
