#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_die(void *ptr, size_t size)
{
    if (!ptr) {
        (void)fprintf(stderr, "kindred: out of memory (%zu bytes asked for)\n", size);
        abort();
    }
    return ptr;
}

void *kd_alloc(size_t size)
{
    return or_die(malloc(size ? size : 1), size);
}

void *kd_zalloc(size_t size)
{
    return or_die(calloc(1, size ? size : 1), size);
}

void *kd_zalloc_array(size_t n, size_t size)
{
    return or_die(calloc(n ? n : 1, size ? size : 1), size);
}

void *kd_realloc_array(void *ptr, size_t n, size_t size)
{
    size_t total = 0;
    if (!kd_size_mul(n, size, &total)) {
        return or_die(NULL, SIZE_MAX);
    }
    return or_die(realloc(ptr, total ? total : 1), total);
}

void *kd_try_alloc(size_t size)
{
    return malloc(size ? size : 1);
}

void *kd_try_realloc(void *ptr, size_t size)
{
    return realloc(ptr, size ? size : 1);
}

char *kd_strdup(const char *text)
{
    return kd_str_dup((struct kd_str){ text, strlen(text) });
}

char *kd_str_dup(struct kd_str str)
{
    char *copy = kd_alloc(str.len + 1);
    if (str.len) {
        memcpy(copy, str.ptr, str.len);
    }
    copy[str.len] = '\0';
    return copy;
}

char *kd_asprintf(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    size_t size = (size_t)(len < 0 ? 0 : len) + 1;
    char *text = kd_alloc(size);
    text[0] = '\0';
    (void)vsnprintf(text, size, fmt, again); /* the size was just measured */
    va_end(again);
    return text;
}

void *kd_free(void *ptr)
{
    free(ptr);
    return NULL;
}

void *kd_free_secret(void *ptr, size_t size)
{
    if (ptr) {
        explicit_bzero(ptr, size);
        free(ptr);
    }
    return NULL;
}

void kd_free_ptr(void *ptr_to_ptr)
{
    void *ptr;
    memcpy(&ptr, ptr_to_ptr, sizeof(ptr));
    free(ptr);
}
