#include "plugin/refusal.h"

#include <stdarg.h>
#include <stdio.h>

/* A refusal is one line, whatever a plugin or the dynamic linker wrote. */
static void keep_one_line(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) {
            *text = ' ';
        }
    }
}

int kd_refuse(struct kd_refusal *refusal, int code, const char *rule, const char *expected,
              const char *found_fmt, ...)
{
    va_list args;
    va_start(args, found_fmt);
    (void)vsnprintf(refusal->found, sizeof(refusal->found), found_fmt, args); /* cut to fit */
    va_end(args);
    (void)snprintf(refusal->expected, sizeof(refusal->expected), "%s", expected); /* cut to fit */
    (void)kd_fail(&refusal->error, code, "%s", rule); /* only fills it in */
    keep_one_line(refusal->found);
    keep_one_line(refusal->expected);
    keep_one_line(refusal->error.text);
    return code;
}
