#include "client/wiping.h"

#include "base/error.h"

#include <curl/curl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u
#define BUFFER (16u * 1024) /* from here on it is a buffer, and has pages of its own */

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

/* curl sends a request from a buffer that it keeps for as long as the answer lasts. */
static void *wipe_malloc(size_t size)
{
    if (size < BUFFER || size > SIZE_MAX - PAGE) {
        return malloc(size);
    }
    void *ptr = aligned_alloc(PAGE, whole_pages(size));
    if (ptr) {
        (void)madvise(ptr, whole_pages(size), MADV_DONTDUMP); /* without it curl works as well */
    }
    return ptr;
}

static void wipe_free(void *ptr)
{
    if (!ptr) {
        return;
    }
    size_t size = malloc_usable_size(ptr);
    explicit_bzero(ptr, size);
    if ((uintptr_t)ptr % PAGE == 0 && size >= BUFFER) {
        (void)madvise(ptr, size & ~(size_t)(PAGE - 1), MADV_DODUMP);
    }
    free(ptr);
}

/* Never in place: what it would leave behind elsewhere could not be overwritten. */
static void *wipe_realloc(void *ptr, size_t size)
{
    void *larger = wipe_malloc(size);
    if (larger && ptr) {
        size_t had = malloc_usable_size(ptr);
        memcpy(larger, ptr, had < size ? had : size);
        wipe_free(ptr);
    }
    return larger;
}

int kd_curl_init(void)
{
    CURLcode rc = curl_global_init_mem(CURL_GLOBAL_DEFAULT, wipe_malloc, wipe_free, wipe_realloc,
                                       strdup, calloc);
    return rc == CURLE_OK ? 0 : KD_ENOMEM;
}
