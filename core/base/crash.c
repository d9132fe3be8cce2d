#include "base/crash.h"

#include "base/alloc.h"
#include "base/macros.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define STACK_SIZE (64u * 1024u) /* for the handler; MINSIGSTKSZ grows with the CPU's registers */
#define FRAMES_MAX 64
#define LINE_MAX_LEN 512

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OURS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OURS 0
#endif
#endif
#ifndef OURS
#define OURS 1
#endif

static const struct {
    int number;
    const char *name;
} fatal[] = { { SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },
              { SIGILL, "SIGILL" },   { SIGABRT, "SIGABRT" }, { SIGTRAP, "SIGTRAP" } };

static _Thread_local const struct kd_crash_place *here;
static _Thread_local void *handler_stack;

/* -- a line, made with nothing but what a signal handler may call */

struct line {
    char text[LINE_MAX_LEN];
    size_t len;
};

static void put(struct line *line, const char *text, size_t len)
{
    size_t room = sizeof(line->text) - 1 - line->len; /* the last byte is the newline's */
    len = len < room ? len : room;
    memcpy(line->text + line->len, text, len);
    line->len += len;
}

static void puts_to(struct line *line, const char *text)
{
    put(line, text, strlen(text));
}

static void put_hex(struct line *line, uintptr_t number)
{
    char digits[2 * sizeof(number)];
    size_t at = sizeof(digits);
    do {
        digits[--at] = "0123456789abcdef"[number & 15];
        number >>= 4;
    } while (number);
    puts_to(line, "0x");
    put(line, digits + at, sizeof(digits) - at);
}

static void send_line(struct line *line)
{
    line->text[line->len++] = '\n';
    ssize_t written = write(STDERR_FILENO, line->text, line->len);
    (void)written; /* there is nobody left to tell */
    line->len = 0;
}

/* -- what happened */

static void tell_signal(struct line *line, int number, const siginfo_t *info)
{
    char thread[16] = "";
    (void)prctl(PR_GET_NAME, thread); /* a system call and nothing more */
    puts_to(line, "kindred: ended by ");
    for (size_t i = 0; i < KD_ARRAY_LEN(fatal); i++) {
        puts_to(line, fatal[i].number == number ? fatal[i].name : "");
    }
    if (number == SIGSEGV || number == SIGBUS) {
        puts_to(line, " at address ");
        put_hex(line, (uintptr_t)info->si_addr);
    }
    puts_to(line, " in thread ");
    puts_to(line, thread);
    send_line(line);
}

static void tell_place(struct line *line)
{
    if (!here) {
        puts_to(line, "kindred: no plugin was at work in this thread");
        send_line(line);
        return;
    }
    puts_to(line, "kindred: at work was plugin ");
    puts_to(line, here->plugin);
    puts_to(line, here->kind ? ", kind " : ", in its init");
    puts_to(line, here->kind ? here->kind : "");
    if (here->name.len > 0) {
        puts_to(line, ", key ");
        put(line, here->ns.ptr, here->ns.len);
        puts_to(line, here->ns.len > 0 ? "/" : "");
        put(line, here->name.ptr, here->name.len);
    }
    send_line(line);
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    struct line line = { .len = 0 };
    void *frames[FRAMES_MAX];
    (void)context;
    while (atomic_flag_test_and_set(&told)) { /* one fault is enough: the first one ends us all */
        (void)pause();
    }
    tell_signal(&line, number, info);
    tell_place(&line);
    puts_to(&line, "kindred: where; addr2line -f -e FILE +OFFSET names the line");
    send_line(&line);
    int n = backtrace(frames, FRAMES_MAX);
    backtrace_symbols_fd(frames, n, STDERR_FILENO);
    (void)raise(number); /* back to its default, and let through when we return */
}

static void install(int number)
{
    struct sigaction action = { .sa_sigaction = on_fatal };
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL); /* cannot fail for these */
}

void kd_crash_install(void)
{
    void *frame;
    (void)backtrace(&frame, 1); /* loads what it needs while memory may still be asked for */
    for (size_t i = 0; OURS && i < KD_ARRAY_LEN(fatal); i++) {
        install(fatal[i].number);
    }
    kd_crash_thread_begin();
}

void kd_crash_thread_begin(void)
{
    if (OURS && !handler_stack) {
        handler_stack = kd_alloc(STACK_SIZE);
        const stack_t stack = { .ss_sp = handler_stack, .ss_size = STACK_SIZE };
        (void)sigaltstack(&stack, NULL); /* without one the thread's own is used */
    }
}

void kd_crash_thread_end(void)
{
    const stack_t none = { .ss_flags = SS_DISABLE };
    if (handler_stack) {
        (void)sigaltstack(&none, NULL);
        handler_stack = kd_free(handler_stack);
    }
}

void kd_crash_let_through(sigset_t *blocked)
{
    for (size_t i = 0; i < KD_ARRAY_LEN(fatal); i++) {
        (void)sigdelset(blocked, fatal[i].number);
    }
}

void kd_crash_enter(const struct kd_crash_place *place)
{
    here = place;
}

void kd_crash_leave(void)
{
    here = NULL;
}
