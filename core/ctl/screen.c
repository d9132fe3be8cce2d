#include "ctl/screen.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define FALLBACK_ROWS 24
#define FALLBACK_COLUMNS 80

static const char begin_text[] = "\x1b[?1049h\x1b[?25l"; /* a page of our own, without cursor */
static const char end_text[] = "\x1b[?25h\x1b[?1049l";

/* Of the process, as the terminal is: the signal handler needs it. */
static struct {
    struct termios before;
    bool has_before;
} terminal;

static void write_text(const char *text, size_t len)
{
    ssize_t n = write(STDOUT_FILENO, text, len);
    (void)n; /* a terminal that is gone needs nothing */
}

static void restore(void)
{
    write_text(end_text, sizeof(end_text) - 1);
    if (terminal.has_before) {
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before); /* as above */
    }
}

/* The terminal first; then the signal does what it would have done. */
static void on_end(int number)
{
    restore();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void on_size(int number)
{
    (void)number; /* it has woken the wait */
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler };
    (void)sigemptyset(&action.sa_mask); /* these do not fail for numbers that there are */
    (void)sigaction(number, &action, NULL);
}

void kd_ctl_screen_begin(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    terminal.has_before = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &terminal.before) == 0;
    for (size_t i = 0; i < KD_ARRAY_LEN(ends); i++) {
        handle(ends[i], on_end);
    }
    handle(SIGWINCH, on_size);
    if (terminal.has_before) {
        struct termios now = terminal.before;
        now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &now); /* else keys come line by line */
    }
    write_text(begin_text, sizeof(begin_text) - 1);
}

void kd_ctl_screen_end(void)
{
    restore();
}

/* What fits into a number of columns; each code point takes one. */
static struct kd_str cut(struct kd_str line, size_t columns)
{
    size_t width = 0;
    for (size_t i = 0; i < line.len; i++) {
        width += ((unsigned char)line.ptr[i] & 0xc0) != 0x80;
        if (width > columns) {
            line.len = i;
        }
    }
    return line;
}

void kd_ctl_screen_put(struct kd_buf *out, struct kd_str text)
{
    struct winsize size = { 0 };
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
    unsigned rows = known ? size.ws_row : FALLBACK_ROWS;
    unsigned columns = known ? size.ws_col : FALLBACK_COLUMNS;
    (void)kd_buf_puts(out, "\x1b[H"); /* remembered by the buffer, as all here */
    for (unsigned row = 0; row < rows && text.len > 0; row++) {
        struct kd_str line = kd_str_cut(&text, '\n');
        (void)kd_buf_puts(out, row ? "\r\n" : "");
        (void)kd_buf_put_str(out, cut(line, columns));
        (void)kd_buf_puts(out, "\x1b[K");
    }
    (void)kd_buf_puts(out, "\x1b[J");
}

static bool wants_to_end(void)
{
    char key = 0;
    return read(STDIN_FILENO, &key, 1) == 1 && (key == 'q' || key == 'Q');
}

int kd_ctl_screen_wait(int64_t wait_ns)
{
    struct pollfd key = { .fd = terminal.has_before ? STDIN_FILENO : -1, .events = POLLIN };
    const struct timespec time = { .tv_sec = (time_t)(wait_ns / KD_SEC_NS),
                                   .tv_nsec = (long)(wait_ns % KD_SEC_NS) };
    int n = ppoll(&key, 1, &time, NULL);
    if (n > 0) {
        return wants_to_end() ? 2 : 1;
    }
    return n < 0 && errno == EINTR ? 1 : 0;
}
