/* Whole files and paths. */
#include "check.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
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

static void makes_new_files_and_no_halves(void **state)
{
    static char text[100000];
    KD_AUTO_BUF struct kd_buf buf;
    KD_AUTO_FREE char *path = kd_path_join(folder, "new");
    struct kd_error err = { 0 };
    struct stat info;
    struct rlimit before;
    (void)state;
    memset(text, 'x', sizeof(text));
    kd_buf_init(&buf, sizeof(text));
    assert_int_equal(kd_file_create(path, 0600, (struct kd_str){ text, sizeof(text) }, &err), 0);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(kd_file_read(path, &buf, &err), 0);
    assert_memory_equal(buf.ptr, text, sizeof(text));
    assert_int_equal(kd_file_create(path, 0600, (struct kd_str){ "y", 1 }, &err), KD_EEXIST);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, sizeof(text)); /* as it was */
    assert_int_equal(unlink(path), 0);

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = { 1000, before.rlim_max };
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int rc = kd_file_create(path, 0600, (struct kd_str){ text, sizeof(text) }, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(rc, KD_EIO);
    assert_non_null(strstr(err.text, "new: File too large"));
    assert_int_equal(stat(path, &info), -1);
}

static void leaves_the_reason_of_a_failed_write(void **state)
{
    int ends[2];
    (void)state;
    void (*handler)(int) = signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(kd_fd_write(ends[1], (struct kd_str){ "abc", 3 }), 0);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(kd_fd_write(ends[1], (struct kd_str){ "abc", 3 }), KD_EIO);
    assert_int_equal(errno, EPIPE);
    assert_int_equal(close(ends[1]), 0);
    (void)signal(SIGPIPE, handler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_whole_files_up_to_the_bound),
        cmocka_unit_test(names_what_it_cannot_read),
        cmocka_unit_test(makes_new_files_and_no_halves),
        cmocka_unit_test(leaves_the_reason_of_a_failed_write),
        cmocka_unit_test(joins_paths),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
