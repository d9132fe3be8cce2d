/* The host of an address with a port, and whether it is this machine. */
#include "check.h"

#include "base/address.h"
#include "base/str.h"

static void finds_the_host_and_whether_it_is_here(void **state)
{
    static const struct {
        const char *text;
        const char *host;
        bool here;
    } rows[] = {
        { "127.0.0.1:80", "127.0.0.1", true },
        { "127.9.9.9", "127.9.9.9", true },
        { "[::1]:80", "::1", true },
        { "[::1]", "::1", true },
        { "::1", "::1", true },
        { "localhost:80", "localhost", true },
        { "localhost", "localhost", true },
        { ":80", "", false },
        { "", "", false },
        { "0.0.0.0:80", "0.0.0.0", false },
        { "[fd00::1]:80", "fd00::1", false },
        { "127.example.org:80", "127.example.org", false },
        { "localhost.example.org:80", "localhost.example.org", false },
        { "127.0.0.1.example.org", "127.0.0.1.example.org", false },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_str host = kd_host_of(kd_str_from(rows[i].text));
        assert_true(kd_str_is(host, rows[i].host));
        assert_int_equal(kd_host_is_loopback(host), rows[i].here);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_host_and_whether_it_is_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
