/* Whole files and paths. */
#include "check.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/kd-file-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static char *write_file(const char *name, size_t len)
{
    char *path = kd_path_join(folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(fputc((int)('a' + i % 26), file), 'a' + i % 26);
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

static void reads_whole_files_up_to_the_bound(void **state)
{
    static const size_t sizes[] = { 0, 1, 32767, 32768, 100000 };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(sizes); i++) {
        KD_AUTO_BUF struct kd_buf buf;
        KD_AUTO_FREE char *path = write_file("data", sizes[i]);
        struct kd_error err = { 0 };
        kd_buf_init(&buf, sizes[i]);
        assert_int_equal(kd_file_read(path, &buf, &err), 0);
        assert_int_equal(buf.len, sizes[i]);
        assert_int_equal(strlen(buf.ptr), sizes[i]); /* "" and not NULL for an empty one */
        if (sizes[i]) {
            kd_buf_release(&buf);
            kd_buf_init(&buf, sizes[i] - 1);
            assert_int_equal(kd_file_read(path, &buf, &err), KD_ETOOBIG);
            assert_non_null(strstr(err.text, path));
        }
        assert_int_equal(unlink(path), 0);
    }
}

static void names_what_it_cannot_read(void **state)
{
    KD_AUTO_BUF struct kd_buf buf;
    KD_AUTO_FREE char *missing = kd_path_join(folder, "missing");
    struct kd_error err = { 0 };
    (void)state;
    kd_buf_init(&buf, 100);
    assert_int_equal(kd_file_read(missing, &buf, &err), KD_ENOENT);
    assert_non_null(strstr(err.text, "missing: No such file"));
    assert_int_equal(kd_file_read(folder, &buf, &err), KD_EIO); /* a folder */
    KD_AUTO_FREE char *path = write_file("closed", 1);
    assert_int_equal(chmod(path, 0), 0);
    if (geteuid() != 0) { /* root may read it */
        assert_int_equal(kd_file_read(path, &buf, &err), KD_EPERM);
    }
    assert_int_equal(unlink(path), 0);
}

static void joins_paths(void **state)
{
    static const struct {
        const char *base;
        const char *path;
        const char *result;
    } rows[] = {
        { "/etc/kindred/a.conf", "ca.pem", "/etc/kindred/ca.pem" },
        { "/etc/kindred/a.conf", "/ca.pem", "/ca.pem" },
        { "/a.conf", "ca.pem", "/ca.pem" },
        { "a.conf", "ca.pem", "ca.pem" },
        { "x/a.conf", "../ca.pem", "x/../ca.pem" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        KD_AUTO_FREE char *path = kd_path_beside(rows[i].base, rows[i].path);
        assert_string_equal(path, rows[i].result);
    }
    KD_AUTO_FREE char *plain = kd_path_join("a", "b");
    KD_AUTO_FREE char *slash = kd_path_join("a/", "b");
    assert_string_equal(plain, "a/b");
    assert_string_equal(slash, "a/b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_whole_files_up_to_the_bound),
        cmocka_unit_test(names_what_it_cannot_read),
        cmocka_unit_test(joins_paths),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
