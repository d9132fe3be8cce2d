/*
 * Gives every file of the folders named to the fuzz target, and every beginning of a small file, in
 * memory without a byte to spare. A corpus without files is a failure.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define SMALL 512 /* files up to here are given in every length */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give(const char *ptr, size_t len)
{
    uint8_t *copy = kd_alloc(len);
    if (len) {
        memcpy(copy, ptr, len);
    }
    (void)LLVMFuzzerTestOneInput(copy, len); /* it aborts where it finds something */
    kd_free(copy);
}

static int give_file(const char *folder, const char *name)
{
    KD_AUTO_BUF struct kd_buf buf;
    KD_AUTO_FREE char *path = kd_path_join(folder, name);
    struct kd_error err = { 0 };
    kd_buf_init(&buf, KD_MIB);
    int rc = kd_file_read(path, &buf, &err);
    if (rc < 0) {
        (void)fprintf(stderr, "%s\n", err.text);
        return rc;
    }
    for (size_t len = buf.len <= SMALL ? 0 : buf.len; len <= buf.len; len++) {
        give(buf.ptr, len);
    }
    return 0;
}

static int give_folder(const char *folder, size_t *n)
{
    DIR *dir = opendir(folder);
    int rc = dir ? 0 : KD_ENOENT;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && rc == 0; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            rc = give_file(folder, entry->d_name);
            (*n)++;
        }
    }
    if (dir) {
        (void)closedir(dir); /* opened for reading: nothing to lose */
    }
    return rc;
}

int main(int argc, char **argv)
{
    size_t n = 0;
    int rc = 0;
    for (int i = 1; i < argc && rc == 0; i++) {
        rc = give_folder(argv[i], &n);
    }
    (void)printf("%zu files\n", n);
    return rc < 0 || n == 0;
}
