/* The parts that need no server: rate limit, server URL, warnings, token file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "client/credentials.h"
#include "client/limiter.h"
#include "client/target.h"
#include "client/warnings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void limiter_gives_a_burst_then_a_rate(void **state)
{
    struct kd_limiter limiter;
    int64_t wait_ns = 0;
    (void)state;
    kd_limiter_init(&limiter, 4, 2, 1000);
    assert_true(kd_limiter_take(&limiter, 1000, &wait_ns));
    assert_true(kd_limiter_take(&limiter, 1000, &wait_ns));
    assert_false(kd_limiter_take(&limiter, 1000, &wait_ns));
    assert_in_range(wait_ns, KD_SEC_NS / 4, KD_SEC_NS / 4 + 2);
    assert_false(kd_limiter_take(&limiter, 1000 + wait_ns / 2, &wait_ns));
    assert_in_range(wait_ns, KD_SEC_NS / 8, KD_SEC_NS / 8 + 4);
    assert_true(kd_limiter_take(&limiter, 1000 + KD_SEC_NS / 4, &wait_ns));
    assert_false(kd_limiter_take(&limiter, 1000 + KD_SEC_NS / 4, &wait_ns));
    for (int i = 0; i < 2; i++) { /* a long rest fills it up to the burst only */
        assert_true(kd_limiter_take(&limiter, 100 * KD_SEC_NS, &wait_ns));
    }
    assert_false(kd_limiter_take(&limiter, 100 * KD_SEC_NS, &wait_ns));
}

static void limiter_without_a_rate_never_waits(void **state)
{
    struct kd_limiter limiter;
    int64_t wait_ns = 0;
    (void)state;
    kd_limiter_init(&limiter, -1, 1, 0);
    for (int i = 0; i < 1000; i++) {
        assert_true(kd_limiter_take(&limiter, 0, &wait_ns));
    }
}

static void server_urls_are_taken_apart(void **state)
{
    static const struct {
        const char *server;
        const char *name;
        bool tls;
        const char *base;
        const char *authority;
        const char *connect_to;
    } rows[] = {
        { "https://a.example:6443", NULL, true, "https://a.example:6443", "a.example:6443", NULL },
        { "https://a.example", "", true, "https://a.example", "a.example", NULL },
        { "http://10.0.0.1:80/k8s/c1/", NULL, false, "http://10.0.0.1:80/k8s/c1", "10.0.0.1:80",
          NULL },
        { "https://[fd00::1]:443", NULL, true, "https://[fd00::1]:443", "[fd00::1]:443", NULL },
        { "https://10.0.0.1:6443/p", "kube.svc", true, "https://kube.svc:6443/p", "10.0.0.1:6443",
          "kube.svc:6443:10.0.0.1:6443" },
        { "https://[::1]", "::2", true, "https://[::2]", "[::1]", "[::2]:443:[::1]:443" },
        { "http://10.0.0.1", "kube.svc", false, "http://10.0.0.1", "10.0.0.1", NULL },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_target target;
        struct kd_error error = { 0 };
        assert_int_equal(kd_target_init(&target, rows[i].server, rows[i].name, &error), 0);
        assert_int_equal(target.tls, rows[i].tls);
        assert_string_equal(target.base_url, rows[i].base);
        assert_string_equal(target.authority, rows[i].authority);
        assert_int_equal(target.connect_to != NULL, rows[i].connect_to != NULL);
        assert_int_equal(target.host_header != NULL, rows[i].connect_to != NULL);
        if (rows[i].connect_to) {
            assert_string_equal(target.connect_to, rows[i].connect_to);
            assert_string_equal(target.host_header + strlen("Host: "), rows[i].authority);
        }
        kd_target_release(&target);
    }
}

static void bad_server_urls_are_refused(void **state)
{
    static const char *const urls[] = { "",
                                        "not a url",
                                        "ftp://a.example",
                                        "https://a.example:99999",
                                        "https://user:pw@a.example",
                                        "https://a.example/?x=1",
                                        "https://a.example/#f",
                                        "https://a.exa\nmple" };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(urls); i++) {
        struct kd_target target;
        struct kd_error error = { 0 };
        assert_int_equal(kd_target_init(&target, urls[i], NULL, &error), KD_ECONFIG);
        assert_true(strlen(error.text) > 0);
        assert_null(strstr(error.text, "pw"));
        kd_target_release(&target);
    }
}

static void warnings_are_logged_once_per_text(void **state)
{
    struct kd_warnings warnings = { .n = 0 };
    (void)state;
    kd_log_set_level(KD_LOG_ERROR);
    assert_int_equal(kd_warnings_note(&warnings, KD_STR(" 299 - \"v1 is old\"\r\n")), 1);
    assert_int_equal(kd_warnings_note(&warnings, KD_STR("299 - \"v1 is old\"")), 0);
    assert_int_equal(kd_warnings_note(&warnings, KD_STR("299 - \"v1 is \\\"old\\\"\"")), 1);
    assert_int_equal(kd_warnings_note(&warnings, KD_STR("299 - \"a, b\" \"date\", 299 - \"c\"")),
                     2);
    assert_int_equal(kd_warnings_note(&warnings, KD_STR("110 - \"stale\"")), 0);
    assert_int_equal(kd_warnings_note(&warnings, KD_STR("299 - \"open end")), 0);
    assert_int_equal(kd_warnings_note(&warnings, KD_STR("299")), 0);
    assert_int_equal(kd_warnings_note(&warnings, KD_STR("")), 0);
    for (int i = 0; i < 2 * KD_MAX_WARNINGS; i++) {
        char text[64];
        (void)snprintf(text, sizeof(text), "299 - \"%d\"", i);
        (void)kd_warnings_note(&warnings, kd_str_from(text));
    }
    assert_int_equal(warnings.n, KD_MAX_WARNINGS);
}

struct token_file {
    char folder[32];
    char *path;
    struct kd_cluster cluster;
    struct kd_credentials credentials;
};

static void put_token(const struct token_file *file, const char *text)
{
    FILE *out = fopen(file->path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void token_file_init(struct token_file *file)
{
    struct kd_error error = { 0 };
    *file = (struct token_file){ .folder = "/tmp/kd-token-XXXXXX" };
    assert_non_null(mkdtemp(file->folder));
    file->path = kd_path_join(file->folder, "token");
    file->cluster.token_file = file->path;
    assert_int_equal(kd_credentials_init(&file->credentials, &file->cluster, true, &error), 0);
}

static void token_file_release(struct token_file *file)
{
    kd_credentials_release(&file->credentials);
    (void)unlink(file->path);
    (void)rmdir(file->path); /* one test puts a folder there */
    assert_int_equal(rmdir(file->folder), 0);
    kd_free(file->path);
}

static void assert_token(struct token_file *file, int64_t now_ns, const char *expected)
{
    struct kd_str token = { 0 };
    struct kd_error error = { 0 };
    assert_int_equal(kd_credentials_token(&file->credentials, now_ns, &token, &error), 0);
    assert_int_equal(token.len, strlen(expected));
    assert_memory_equal(token.ptr, expected, token.len);
}

static void assert_no_token(struct token_file *file, int64_t now_ns, const char *part)
{
    struct kd_str token = { 0 };
    struct kd_error error = { 0 };
    assert_int_equal(kd_credentials_token(&file->credentials, now_ns, &token, &error), KD_ECONFIG);
    assert_non_null(strstr(error.text, part));
    assert_null(strstr(error.text, "Evil"));
}

static void token_file_is_cached_and_rotated(void **state)
{
    struct token_file file;
    (void)state;
    token_file_init(&file);
    put_token(&file, "first");
    assert_token(&file, 0, "first");
    put_token(&file, "second");
    assert_token(&file, 49 * KD_SEC_NS, "first");
    assert_token(&file, 50 * KD_SEC_NS, "second");
    token_file_release(&file);
}

static void old_token_stays_when_the_file_is_bad(void **state)
{
    struct token_file file;
    (void)state;
    token_file_init(&file);
    put_token(&file, "first");
    assert_token(&file, 0, "first");
    assert_int_equal(unlink(file.path), 0);
    assert_token(&file, 50 * KD_SEC_NS, "first");
    put_token(&file, "second\nX-Evil: 1");
    assert_token(&file, 60 * KD_SEC_NS, "first");
    put_token(&file, "third");
    assert_token(&file, 69 * KD_SEC_NS, "first");
    assert_token(&file, 70 * KD_SEC_NS, "third");
    token_file_release(&file);
}

static void rejected_token_is_read_again(void **state)
{
    struct token_file file;
    (void)state;
    token_file_init(&file);
    put_token(&file, "first");
    assert_token(&file, 10 * KD_SEC_NS, "first");
    put_token(&file, "second");
    kd_credentials_rejected(&file.credentials, 9 * KD_SEC_NS); /* sent before it was read */
    assert_token(&file, 11 * KD_SEC_NS, "first");
    kd_credentials_rejected(&file.credentials, 11 * KD_SEC_NS);
    assert_token(&file, 12 * KD_SEC_NS, "second");
    token_file_release(&file);
}

static void white_space_is_cut_and_line_breaks_refused_b46(void **state)
{
    struct token_file file;
    (void)state;
    token_file_init(&file);
    assert_no_token(&file, 0, "token");
    put_token(&file, "tok\nX-Evil: 1");
    assert_no_token(&file, 0, "line break");
    put_token(&file, " \n");
    assert_no_token(&file, 0, "empty");
    put_token(&file, "tok-A\n");
    assert_token(&file, 0, "tok-A");
    put_token(&file, "  tok-B\r\n");
    assert_token(&file, 50 * KD_SEC_NS, "tok-B");
    token_file_release(&file);
}

static void long_token_is_not_cut_b47(void **state)
{
    struct token_file file;
    char text[12 * 1024 + 1];
    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    token_file_init(&file);
    put_token(&file, text);
    assert_token(&file, 0, text);
    token_file_release(&file);
}

static void what_could_block_is_not_read(void **state)
{
    struct token_file file;
    (void)state;
    token_file_init(&file);
    assert_int_equal(mkfifo(file.path, 0600), 0);
    assert_no_token(&file, 0, "no regular file");
    assert_int_equal(unlink(file.path), 0);
    assert_int_equal(mkdir(file.path, 0700), 0);
    assert_no_token(&file, 0, "no regular file");
    token_file_release(&file);
}

static void given_token_is_checked_and_withheld(void **state)
{
    struct kd_credentials credentials;
    struct kd_error error = { 0 };
    struct kd_str token = { 0 };
    char good[] = "tok-A";
    char bad[] = "tok\r\nX-Evil: 1";
    char name[] = "u";
    struct kd_cluster cluster = { .token = good, .username = name };
    (void)state;
    assert_int_equal(kd_credentials_init(&credentials, &cluster, true, &error), 0);
    assert_int_equal(kd_credentials_token(&credentials, 0, &token, &error), 0);
    assert_string_equal(token.ptr, good);
    assert_false(kd_credentials_basic(&credentials));
    kd_credentials_release(&credentials);
    assert_int_equal(kd_credentials_init(&credentials, &cluster, false, &error), 0);
    assert_int_equal(kd_credentials_token(&credentials, 0, &token, &error), 0);
    assert_int_equal(token.len, 0);
    kd_credentials_release(&credentials);
    cluster.token = bad;
    assert_int_equal(kd_credentials_init(&credentials, &cluster, true, &error), KD_ECONFIG);
    assert_null(strstr(error.text, "Evil"));
    cluster.token = NULL;
    assert_int_equal(kd_credentials_init(&credentials, &cluster, true, &error), 0);
    assert_true(kd_credentials_basic(&credentials));
    kd_credentials_release(&credentials);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limiter_gives_a_burst_then_a_rate),
        cmocka_unit_test(limiter_without_a_rate_never_waits),
        cmocka_unit_test(server_urls_are_taken_apart),
        cmocka_unit_test(bad_server_urls_are_refused),
        cmocka_unit_test(warnings_are_logged_once_per_text),
        cmocka_unit_test(token_file_is_cached_and_rotated),
        cmocka_unit_test(old_token_stays_when_the_file_is_bad),
        cmocka_unit_test(rejected_token_is_read_again),
        cmocka_unit_test(white_space_is_cut_and_line_breaks_refused_b46),
        cmocka_unit_test(long_token_is_not_cut_b47),
        cmocka_unit_test(what_could_block_is_not_read),
        cmocka_unit_test(given_token_is_checked_and_withheld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
