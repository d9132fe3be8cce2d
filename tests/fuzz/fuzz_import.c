/*
 * An export in JSON lines, of any bytes. What is refused says at which line; what is taken makes a
 * store whose export makes the same store again: the second export is the first one.
 */
#include "archive/export.h"
#include "archive/import.h"

#include "base/limits.h"
#include "base/str.h"

#include <stdio.h>
#include <unistd.h>

#define TEXT_MAX (16 * KD_MIB)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void name_file(char out[64], int number)
{
    (void)snprintf(out, 64, "/dev/shm/kd-fuzz-import.%d.%d", (int)getpid(), number); /* fits */
}

static int import_text(const char *path, const char *ptr, size_t len, struct kd_error *reterr)
{
    struct kd_import *import = NULL;
    size_t half = len / 2;
    (void)unlink(path); /* of the run before */
    KD_TRY(kd_import_new(path, &import, reterr));
    int rc = kd_import_feed(import, ptr, half, reterr);
    rc = rc < 0 ? rc : kd_import_feed(import, ptr + half, len - half, reterr);
    rc = rc < 0 ? rc : kd_import_finish(import, reterr);
    kd_import_free(import);
    return rc;
}

static int on_row(void *arg, struct kd_error *reterr)
{
    (void)arg;
    (void)reterr;
    return 0;
}

static void export_text(const char *path, struct kd_buf *out)
{
    struct kd_archive *archive = NULL;
    KD_ASSERT(kd_archive_open(path, &archive, NULL) == 0);
    const struct kd_export to = { .archive = archive, .out = out, .row = on_row };
    KD_ASSERT(kd_export_jsonl(&to, NULL) == 0);
    KD_ASSERT(!kd_buf_failed(out));
    kd_archive_close(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    KD_AUTO_BUF struct kd_buf first;
    KD_AUTO_BUF struct kd_buf second;
    struct kd_error err = { 0 };
    char path[64];
    name_file(path, 1);
    kd_buf_init(&first, TEXT_MAX);
    kd_buf_init(&second, TEXT_MAX);
    if (import_text(path, (const char *)data, size, &err) < 0) {
        KD_ASSERT(strstr(err.text, "line ") != NULL);
    } else {
        export_text(path, &first);
        KD_ASSERT(import_text(path, first.ptr, first.len, &err) == 0);
        export_text(path, &second);
        KD_ASSERT(kd_str_eq(kd_buf_str(&first), kd_buf_str(&second)));
    }
    (void)unlink(path);
    return 0;
}
