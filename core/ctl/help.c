#include "ctl/help.h"

#include "ctl/address.h"
#include "ctl/command_list.h"

#define COMMAND_WIDTH 26
#define OPTION_WIDTH 30

static const char head[] =
    "kindredctl shows the live graph that kindred keeps of a Kubernetes cluster.\n"
    "\n"
    "usage: kindredctl [--server SERVER] COMMAND [options]\n"
    "\n";

static const char tail[] =
    "\n"
    "Without --server, --ca and --token it is KINDRED_SERVER, KINDRED_CA and KINDRED_TOKEN of the\n"
    "environment; without KINDRED_SERVER, " KD_CTL_DEFAULT_SERVER ".\n"
    "Exit code: 0 done, 1 failed, 2 wrong usage.\n";

/* Appends are remembered by the buffer. */
#define PUT(call) ((void)(call))

/* Fills up to the column where the explanation begins, or starts a new line there. */
static void put_help(struct kd_buf *out, size_t start, size_t column, const char *help)
{
    size_t width = out->len - start;
    if (width + 2 > column) {
        PUT(kd_buf_putc(out, '\n'));
        width = 0;
    }
    PUT(kd_buf_printf(out, "%*s%s", (int)(column - width), "", help));
}

static void put_option(struct kd_buf *out, const struct kd_ctl_option_info *option)
{
    size_t start = out->len;
    PUT(kd_buf_puts(out, "    "));
    if (option->letter) {
        PUT(kd_buf_printf(out, "-%c, ", option->letter));
    }
    PUT(kd_buf_printf(out, "--%s%s%s", option->name, option->value ? " " : "",
                      option->value ? option->value : ""));
    put_help(out, start, OPTION_WIDTH + 4, option->help);
    PUT(kd_buf_putc(out, '\n'));
}

/* "    -o table|json" */
static void put_formats(struct kd_buf *out, uint32_t formats)
{
    bool first = true;
    PUT(kd_buf_puts(out, "    -o, --output "));
    for (size_t i = 0; i < KD_CTL_FORMATS; i++) {
        if (formats & KD_CTL_BIT(i)) {
            PUT(kd_buf_printf(out, "%s%s%s", first ? "" : "|", kd_ctl_formats[i],
                              i == KD_CTL_JSONPATH ? "=TEMPLATE" : ""));
            first = false;
        }
    }
    PUT(kd_buf_putc(out, '\n'));
}

static void put_command(struct kd_buf *out, const struct kd_ctl_command_info *command)
{
    size_t start = out->len;
    PUT(kd_buf_printf(out, "  %s%s", command->name, command->operands));
    put_help(out, start, COMMAND_WIDTH + 2, command->help);
    PUT(kd_buf_putc(out, '\n'));
    for (size_t i = 0; i < KD_CTL_OPTIONS; i++) {
        if (command->options & KD_CTL_BIT(i) && i != KD_CTL_OPT_OUTPUT) {
            put_option(out, &kd_ctl_options[i]);
        }
    }
    if (command->options & KD_CTL_BIT(KD_CTL_OPT_OUTPUT)) {
        put_formats(out, command->formats);
    }
}

void kd_ctl_help_put(struct kd_buf *out)
{
    PUT(kd_buf_puts(out, head));
    for (size_t i = 0; i < KD_CTL_COMMANDS; i++) {
        put_command(out, &kd_ctl_commands[i]);
    }
    PUT(kd_buf_puts(out, "\nEvery command takes\n"));
    for (size_t i = 0; i < KD_CTL_OPTIONS; i++) {
        if (KD_CTL_GLOBAL & KD_CTL_BIT(i)) {
            put_option(out, &kd_ctl_options[i]);
        }
    }
    PUT(kd_buf_puts(out, tail));
}
