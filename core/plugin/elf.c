#include "plugin/elf.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_at(int fd, void *to, size_t len, uint64_t offset)
{
    return offset <= INT64_MAX && pread(fd, to, len, (off_t)offset) == (ssize_t)len;
}

static bool holds(uint64_t size, uint64_t offset, uint64_t len)
{
    uint64_t end = 0;
    return !__builtin_add_overflow(offset, len, &end) && end <= size;
}

static bool segments_are_there(int fd, const ElfW(Ehdr) * head, uint64_t size)
{
    for (uint64_t i = 0; i < head->e_phnum; i++) {
        ElfW(Phdr) segment;
        uint64_t offset = 0;
        if (__builtin_add_overflow(head->e_phoff, i * sizeof(segment), &offset) ||
            !read_at(fd, &segment, sizeof(segment), offset) ||
            !holds(size, segment.p_offset, segment.p_filesz)) {
            return false;
        }
    }
    return true;
}

static bool is_whole(int fd)
{
    ElfW(Ehdr) head;
    struct stat info;
    if (fstat(fd, &info) < 0 || !read_at(fd, &head, sizeof(head), 0) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(ElfW(Phdr))) {
        return true;
    }
    return segments_are_there(fd, &head, (uint64_t)info.st_size);
}

bool kd_elf_file_is_whole(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool whole = fd < 0 || is_whole(fd);
    if (fd >= 0) {
        (void)close(fd); /* opened for reading: nothing to lose */
    }
    return whole;
}

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
