/* A thread of ours has its name, lets through only what it must, and answers when asked for its
 * calls. */
#include "check.h"

#include "base/stacks.h"
#include "base/thread.h"

#include <semaphore.h>
#include <signal.h>

struct shared {
    sem_t begun, may_end;
    sigset_t blocked;
    char name[32];
};

static void *stay(void *arg)
{
    struct shared *shared = arg;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &shared->blocked), 0);
    assert_int_equal(pthread_getname_np(pthread_self(), shared->name, sizeof(shared->name)), 0);
    assert_int_equal(sem_post(&shared->begun), 0);
    while (sem_wait(&shared->may_end) != 0) { /* the signal of the stacks */
    }
    return shared;
}

static void is_named_and_answers(void **state)
{
    static const int let_through[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    static const int kept_away[] = { SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGUSR1 };
    struct shared shared = { .name = "" };
    pthread_t thread;
    void *result = NULL;
    KD_AUTO_BUF struct kd_buf text;
    (void)state;
    kd_buf_init(&text, 1024 * 1024);
    kd_stacks_install();
    assert_int_equal(sem_init(&shared.begun, 0, 0), 0);
    assert_int_equal(sem_init(&shared.may_end, 0, 0), 0);
    assert_int_equal(kd_thread_create(&thread, "kd-a-name-too-long", stay, &shared), 0);
    assert_int_equal(sem_wait(&shared.begun), 0);
    kd_stacks_write(&text);
    assert_int_equal(sem_post(&shared.may_end), 0);
    assert_int_equal(pthread_join(thread, &result), 0);

    assert_ptr_equal(result, &shared);
    assert_string_equal(shared.name, "kd-a-name-too-l");
    for (size_t i = 0; i < KD_ARRAY_LEN(let_through); i++) {
        assert_int_equal(sigismember(&shared.blocked, let_through[i]), 0);
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(kept_away); i++) {
        assert_int_equal(sigismember(&shared.blocked, kept_away[i]), 1);
    }
    assert_int_equal(kd_buf_putc(&text, '\0'), 0);
    assert_non_null(strstr(text.ptr, " kd-a-name-too-l"));
    assert_null(strstr(text.ptr, "no answer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_named_and_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
