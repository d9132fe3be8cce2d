#include "plugin/refusal.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

int kd_refuse(struct kd_refusal *refusal, int code, const char *rule, const char *expected,
              const char *found_fmt, ...)
{
    va_list args;
    va_start(args, found_fmt);
    (void)vsnprintf(refusal->found, sizeof(refusal->found), found_fmt, args); /* cut to fit */
    va_end(args);
    (void)snprintf(refusal->expected, sizeof(refusal->expected), "%s", expected); /* cut to fit */
    (void)kd_fail(&refusal->error, code, "%s", rule); /* only fills it in */
    kd_one_line_in_place(refusal->found); /* whatever a plugin or the dynamic linker wrote */
    kd_one_line_in_place(refusal->expected);
    return code;
}
