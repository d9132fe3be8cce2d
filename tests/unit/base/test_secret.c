/* Secrets lie in pages that a core dump leaves out. */
#include "check.h"

#include "base/secret.h"
#include "base/str.h"

#include <stdio.h>

/* The VmFlags line of the mapping that holds `at`; "" when there is none. */
static void flags_of(const void *at, char out[1024])
{
    char line[1024];
    bool inside = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    assert_non_null(maps);
    out[0] = '\0';
    while (fgets(line, sizeof(line), maps)) {
        unsigned long from = 0;
        unsigned long to = 0;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            inside = (unsigned long)at >= from && (unsigned long)at < to;
        } else if (inside && strncmp(line, "VmFlags:", 8) == 0) {
            (void)snprintf(out, sizeof(line), "%s", line);
        }
    }
    assert_int_equal(fclose(maps), 0);
}

static void a_secret_is_left_out_of_core_dumps(void **state)
{
    char flags[1024];
    char *secret = kd_secret_keep(KD_STR("tok"));
    (void)state;
    assert_string_equal(secret, "tok");
    flags_of(secret, flags);
    assert_non_null(strstr(flags, " dd"));
    flags_of(flags, flags);
    assert_null(strstr(flags, " dd"));
    assert_null(kd_secret_drop(secret));
}

static void any_size_is_kept(void **state)
{
    char large[100000];
    (void)state;
    memset(large, 'x', sizeof(large));
    char *secret = kd_secret_keep((struct kd_str){ large, sizeof(large) });
    assert_memory_equal(secret, large, sizeof(large));
    assert_int_equal(secret[sizeof(large)], 0);
    secret = kd_secret_drop(secret);
    secret = kd_secret_keep((struct kd_str){ NULL, 0 });
    assert_string_equal(secret, "");
    assert_null(kd_secret_drop(secret));
    assert_null(kd_secret_drop(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_is_left_out_of_core_dumps),
        cmocka_unit_test(any_size_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
