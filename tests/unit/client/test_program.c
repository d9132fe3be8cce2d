/* Running a program: its output whole, its bounds, its end. */
#include "fixture.h"

#include "client/program.h"

#include <errno.h>
#include <fcntl.h>

struct outcome {
    bool done;
    int error;
    char why[256];
    struct kd_buf output;
};

static struct kd_loop *loop;
static struct outcome outcome;

static int setup(void **state)
{
    (void)state;
    loop = kd_loop_new();
    outcome = (struct outcome){ 0 };
    kd_buf_init(&outcome.output, 2 * KD_MIB);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    kd_loop_free(loop);
    kd_buf_release(&outcome.output);
    return 0;
}

static void done(void *arg, int error, const char *why, struct kd_str output)
{
    struct outcome *to = arg;
    to->done = true;
    to->error = error;
    (void)snprintf(to->why, sizeof(to->why), "%.200s", why);
    assert_int_equal(kd_buf_put_str(&to->output, output), 0);
}

static int begin(const char *name, const char *script, int64_t timeout_ns,
                 struct kd_program_run **ret, struct kd_error *error)
{
    char *argv[] = { (char *)(uintptr_t)name, (char[]){ "-c" },    (char *)(uintptr_t)script,
                     (char[]){ "zero" },      (char[]){ "a b;c" }, NULL };
    char *envp[] = { (char[]){ "ONLY=this" }, (char[]){ "PATH=/usr/bin:/bin" }, NULL };
    const struct kd_program program = {
        .argv = argv, .envp = envp, .timeout_ns = timeout_ns, .max_output = KD_MIB
    };
    return kd_program_start(loop, &program, done, &outcome, ret, error);
}

static void run(const char *script, int64_t timeout_ns)
{
    struct kd_program_run *started = NULL;
    struct kd_error error = { 0 };
    assert_int_equal(begin("sh", script, timeout_ns, &started, &error), 0);
    while (!outcome.done) {
        kd_loop_run_once(loop, KD_SEC_NS);
    }
}

static void output_arguments_and_environment_are_as_given(void **state)
{
    (void)state;
    run("printf '%s|%s|' \"$1\" \"$ONLY\"; wc -c; trap", AWAIT_NS); /* nothing to read */
    assert_int_equal(outcome.error, 0);
    assert_string_equal(outcome.output.ptr, "a b;c|this|0\n");
}

static void large_output_is_whole_b47(void **state)
{
    (void)state;
    run("head -c 1048576 /dev/zero | tr '\\0' x", AWAIT_NS);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.output.len, 1048576);
}

static void more_than_the_bound_is_refused_b47(void **state)
{
    (void)state;
    run("head -c 1048577 /dev/zero; sleep 1000", AWAIT_NS);
    assert_int_equal(outcome.error, KD_ETOOBIG);
    assert_string_equal(outcome.why, "sh printed more than 1048576 bytes");
}

static void its_end_is_told(void **state)
{
    (void)state;
    run("echo secret; exit 3", AWAIT_NS);
    assert_int_equal(outcome.error, KD_ECONFIG);
    assert_string_equal(outcome.why, "sh ended with code 3");
    outcome.done = false;
    run("kill -9 $$", AWAIT_NS);
    assert_string_equal(outcome.why, "sh was ended by signal 9");
}

static void it_ends_at_its_limit_with_its_children(void **state)
{
    (void)state;
    run("sleep 1000 & sleep 1000", 50 * KD_MS_NS);
    assert_int_equal(outcome.error, KD_ETIMEOUT);
    assert_string_equal(outcome.why, "sh did not end within 50ms (cluster.exec_timeout)");
}

static void a_child_left_behind_is_not_waited_for(void **state)
{
    char path[] = "/tmp/kd-program-XXXXXX";
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    KD_AUTO_FREE char *script = kd_asprintf("sleep 1000 & echo $! > %s; echo ok", path);
    run(script, AWAIT_NS);
    assert_int_equal(outcome.error, 0);
    assert_string_equal(outcome.output.ptr, "ok\n");
    char text[32] = { 0 };
    assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
    assert_int_equal(kill((pid_t)strtol(text, NULL, 10), SIGKILL), 0);
    assert_int_equal(close(fd), 0);
    assert_int_equal(unlink(path), 0);
}

static void what_is_not_there_is_named(void **state)
{
    struct kd_program_run *started = NULL;
    struct kd_error error = { 0 };
    (void)state;
    assert_int_equal(begin("/nowhere/tok", "", AWAIT_NS, &started, &error), KD_ENOENT);
    assert_string_equal(error.text, "/nowhere/tok cannot be run: No such file or directory");
    assert_null(started);
}

static void a_canceled_one_is_gone(void **state)
{
    struct kd_program_run *started = NULL;
    struct kd_error error = { 0 };
    (void)state;
    assert_int_equal(begin("sh", "sleep 1000", AWAIT_NS, &started, &error), 0);
    kd_program_cancel(started);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_false(outcome.done);
    kd_program_cancel(NULL);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(output_arguments_and_environment_are_as_given),
        CASE(large_output_is_whole_b47),
        CASE(more_than_the_bound_is_refused_b47),
        CASE(its_end_is_told),
        CASE(it_ends_at_its_limit_with_its_children),
        CASE(a_child_left_behind_is_not_waited_for),
        CASE(what_is_not_there_is_named),
        CASE(a_canceled_one_is_gone),
    };
#undef CASE
    return cmocka_run_group_tests(tests, NULL, NULL);
}
