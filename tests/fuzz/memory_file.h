/* The input as a file, for parsers that take a path: it lives in memory only. */
#ifndef KD_FUZZ_MEMORY_FILE_H
#define KD_FUZZ_MEMORY_FILE_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
    int fd;
    char path[64];
};

static inline void memory_file_open(struct memory_file *file, const uint8_t *data, size_t size)
{
    file->fd = memfd_create("input", MFD_CLOEXEC);
    KD_ASSERT(file->fd >= 0);
    for (size_t at = 0; at < size;) {
        ssize_t n = write(file->fd, data + at, size - at);
        KD_ASSERT(n > 0);
        at += (size_t)n;
    }
    (void)snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

static inline void memory_file_close(struct memory_file *file)
{
    KD_ASSERT(close(file->fd) == 0);
}

#endif
