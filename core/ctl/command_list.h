/*
 * The commands of kindredctl and their options, in one list: what reads a command line, the help
 * and the completion of shells are made of it, and the manual page is held against it.
 */
#ifndef KD_CTL_COMMAND_LIST_H
#define KD_CTL_COMMAND_LIST_H

#include <stddef.h>
#include <stdint.h>

enum kd_ctl_command {
    KD_CTL_GET,
    KD_CTL_GRAPH,
    KD_CTL_PATH,
    KD_CTL_IMPACT,
    KD_CTL_ORPHANS,
    KD_CTL_UNRESOLVED,
    KD_CTL_TRACE,
    KD_CTL_KINDS,
    KD_CTL_PLUGINS,
    KD_CTL_CHANGES,
    KD_CTL_STATUS,
    KD_CTL_TOP,
    KD_CTL_STORE,
    KD_CTL_EXPORT,
    KD_CTL_IMPORT,
    KD_CTL_DIFF,
    KD_CTL_DEBUG,
    KD_CTL_PLUGIN,
    KD_CTL_RBAC,
    KD_CTL_COMPLETION,
    KD_CTL_VERSION,
    KD_CTL_HELP,
    KD_CTL_COMMANDS,
};

enum kd_ctl_option {
    KD_CTL_OPT_SERVER,
    KD_CTL_OPT_CA,
    KD_CTL_OPT_TOKEN,
    KD_CTL_OPT_TOKEN_FILE,
    KD_CTL_OPT_HELP,
    KD_CTL_OPT_VERSION,
    KD_CTL_OPT_NAMESPACE,
    KD_CTL_OPT_ALL,
    KD_CTL_OPT_SELECTOR,
    KD_CTL_OPT_FIELDS,
    KD_CTL_OPT_WATCH,
    KD_CTL_OPT_NO_HEADERS,
    KD_CTL_OPT_DEPTH,
    KD_CTL_OPT_DIRECTION,
    KD_CTL_OPT_PREDICATE,
    KD_CTL_OPT_FOLLOW,
    KD_CTL_OPT_SINCE,
    KD_CTL_OPT_INTERVAL,
    KD_CTL_OPT_FORMAT,
    KD_CTL_OPT_DIR,
    KD_CTL_OPT_OUTPUT,
    KD_CTL_OPTIONS,
};

enum kd_ctl_format {
    KD_CTL_TABLE,
    KD_CTL_TREE,
    KD_CTL_WIDE, /* read as KD_CTL_TABLE, and wide */
    KD_CTL_JSON,
    KD_CTL_YAML,
    KD_CTL_NAME,
    KD_CTL_JSONPATH,
    KD_CTL_DOT,
    KD_CTL_MERMAID,
    KD_CTL_SVG,
    KD_CTL_FORMATS,
};

#define KD_CTL_BIT(number) (UINT32_C(1) << (number))
/* Those that every command takes. */
#define KD_CTL_GLOBAL                                                                              \
    (KD_CTL_BIT(KD_CTL_OPT_SERVER) | KD_CTL_BIT(KD_CTL_OPT_CA) | KD_CTL_BIT(KD_CTL_OPT_TOKEN) |    \
     KD_CTL_BIT(KD_CTL_OPT_TOKEN_FILE) | KD_CTL_BIT(KD_CTL_OPT_HELP) |                             \
     KD_CTL_BIT(KD_CTL_OPT_VERSION))

struct kd_ctl_option_info {
    const char *name;  /* without dashes */
    char letter;       /* 0: none */
    const char *value; /* as help shows it; NULL: takes none */
    const char *help;
};

struct kd_ctl_command_info {
    const char *name;
    const char *operands; /* as help shows them, with a space in front */
    const char *help;
    const char *words; /* what the first operand may be, between spaces; NULL: anything */
    int least, most;   /* operands */
    uint32_t options;  /* bits of kd_ctl_option, the global ones left out */
    uint32_t formats;  /* bits of kd_ctl_format; the first one is what is shown without -o */
};

extern const struct kd_ctl_command_info kd_ctl_commands[KD_CTL_COMMANDS];
extern const struct kd_ctl_option_info kd_ctl_options[KD_CTL_OPTIONS];
extern const char *const kd_ctl_formats[KD_CTL_FORMATS]; /* their words behind -o */

#endif
