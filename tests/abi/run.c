/*
 * Runs a plugin that does what tests/plugins/probe.c does through all of the interface, in the mock
 * host, and prints what came of it. usage: run PLUGIN.so
 */
#include <kindred/test.h>

#include <stdio.h>

#define HEAD(kind) "{\"apiVersion\":\"" GROUP "/v1\",\"kind\":\"" kind "\",\"metadata\":{\"name\":"
#define GROUP "example.org"

static const char *const objects[] = {
    HEAD("Probe") "\"p\",\"namespace\":\"a\",\"uid\":\"1\"},\"spec\":{\"peer\":\"q\"}}",
    HEAD("Probe") "\"q\",\"namespace\":\"a\",\"uid\":\"2\",\"labels\":{\"l\":\"v\"}}}",
    HEAD(
        "Probe") "\"p\",\"namespace\":\"a\",\"uid\":\"1\"},\"spec\":{\"peer\":\"q\"},\"status\":1}",
    HEAD("Probe") "\"r\",\"namespace\":\"a\",\"uid\":\"3\"},\"spec\":{\"fail\":-17}}",
    HEAD("Steady") "\"s\"}}",
};

static int fail(const struct kd_error *err)
{
    (void)fprintf(stderr, "%s\n", err->text);
    return 1;
}

int main(int argc, char **argv)
{
    struct kd_error err = { 0 };
    struct kd_test *test = argc == 2 ? kd_test_open(argv[1], &err) : NULL;
    if (!test || kd_test_start(test, &err) < 0) {
        return fail(&err);
    }
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        if (kd_test_apply(test, objects[i], &err) < 0) {
            return fail(&err);
        }
    }
    (void)kd_test_run(test); /* what came of it is printed */
    printf("%s%s\n%s\n", kd_test_relations(test, NULL, NULL, NULL),
           kd_test_resource(test, "Probe", "a", "p"), kd_test_resource(test, "Probe", "a", "q"));
    if (kd_test_delete(test, "Probe", "a", "p", &err) < 0) {
        return fail(&err);
    }
    (void)kd_test_run(test); /* what came of it is printed */
    printf("%s", kd_test_journal(test));
    kd_test_close(test);
    return 0;
}
