#include "base/secret.h"

#include "base/error.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Stands before the text. */
struct head {
    size_t mapped;
    size_t len;
};

char *kd_secret_keep(struct kd_str text)
{
    size_t size = sizeof(struct head) + text.len + 1;
    KD_ASSERT(size > text.len);
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    KD_ASSERT(pages != MAP_FAILED);
    (void)madvise(pages, size, MADV_DONTDUMP); /* a kernel without it keeps the secret as usable */
    struct head *head = pages;
    *head = (struct head){ size, text.len };
    char *out = (char *)(head + 1);
    if (text.len) {
        memcpy(out, text.ptr, text.len);
    }
    return out;
}

char *kd_secret_drop(char *secret)
{
    if (secret) {
        struct head *head = (struct head *)(void *)secret - 1;
        size_t mapped = head->mapped;
        explicit_bzero(secret, head->len);
        KD_ASSERT(munmap(head, mapped) == 0);
    }
    return NULL;
}
