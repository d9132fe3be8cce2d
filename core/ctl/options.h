/* The command line of kindredctl. */
#ifndef KD_CTL_OPTIONS_H
#define KD_CTL_OPTIONS_H

#include "base/error.h"
#include "ctl/command_list.h"

#include <stdbool.h>

/* A resource as the command line names it; texts are borrowed from there. */
struct kd_ctl_place {
    const char *kind; /* NULL: none was named */
    const char *ns;   /* NULL: any; "": cluster scope */
    const char *name;
};

enum kd_ctl_export_format { KD_CTL_EXPORT_JSONL, KD_CTL_EXPORT_GRAPHML, KD_CTL_EXPORT_CSV };

/* Texts are borrowed from the command line; NULL where nothing was said. */
struct kd_ctl_options {
    enum kd_ctl_command command;
    enum kd_ctl_format format;
    bool wide;            /* a table with more columns */
    const char *template; /* behind jsonpath= */
    const char *server;   /* NULL: the caller's default */
    const char *ca;
    const char *token;
    const char *token_file;
    const char *kind;        /* of get and orphans; get takes several, "," between */
    const char *name;        /* of get */
    char *const *more_names; /* of get, behind name */
    size_t n_more;
    const char *ns;
    const char *file;         /* of store backup, export, import and diff; the shell's name */
    const char *other;        /* the second one of import and diff */
    struct kd_ctl_place root; /* of graph, path, impact and trace */
    struct kd_ctl_place end;  /* of path */
    const char *labels;
    const char *fields;
    const char *direction;
    const char *predicate;
    const char *folder;
    enum kd_ctl_export_format export_format;
    uint64_t depth; /* of graph */
    uint64_t since;
    uint64_t interval; /* seconds */
    bool has_since;
    bool follow;
    bool watch;
    bool no_headers;
};

/*
 * Reads a command line, argv[0] included; argv is put in another order, and "KIND/NAME" is cut in
 * place. KD_EINVAL with a text that says what to write instead.
 */
int kd_ctl_options_parse(int argc, char **argv, struct kd_ctl_options *ret,
                         struct kd_error *reterr) KD_MUST_USE;

#endif
