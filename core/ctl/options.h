/* The command line of kindredctl. */
#ifndef KD_CTL_OPTIONS_H
#define KD_CTL_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>

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
    KD_CTL_STORE,
    KD_CTL_DEBUG,
    KD_CTL_VERSION,
    KD_CTL_HELP,
};

enum kd_ctl_format {
    KD_CTL_TABLE,
    KD_CTL_JSON,
    KD_CTL_YAML,
    KD_CTL_NAME,
    KD_CTL_TREE,
    KD_CTL_DOT,
    KD_CTL_FORMATS,
};

/* A resource as the command line names it; texts are borrowed from there. */
struct kd_ctl_place {
    const char *kind; /* NULL: none was named */
    const char *ns;   /* NULL: any; "": cluster scope */
    const char *name;
};

/* Texts are borrowed from the command line; NULL where nothing was said. */
struct kd_ctl_options {
    enum kd_ctl_command command;
    enum kd_ctl_format format;
    const char *server; /* NULL: the caller's default */
    const char *ca;     /* file */
    const char *token;  /* file */
    const char *kind;   /* of get and orphans */
    const char *name;   /* of get; of store and debug the file to write */
    const char *ns;
    struct kd_ctl_place root; /* of graph, path, impact and trace */
    struct kd_ctl_place end;  /* of path */
    const char *labels;
    const char *fields;
    const char *direction;
    const char *predicate;
    uint64_t depth; /* of graph */
    uint64_t since;
    bool has_since;
    bool follow;
};

/*
 * Reads a command line, argv[0] included; argv is put in another order, and "KIND/NAME" is cut in
 * place. KD_EINVAL with a text that says what to write instead.
 */
int kd_ctl_options_parse(int argc, char **argv, struct kd_ctl_options *ret,
                         struct kd_error *reterr) KD_MUST_USE;

#endif
