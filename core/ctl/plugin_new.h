/*
 * `kindredctl plugin new`: a folder with a plugin in it that builds, passes its tests and loads as
 * it is. It asks no server.
 */
#ifndef KD_CTL_PLUGIN_NEW_H
#define KD_CTL_PLUGIN_NEW_H

#include "base/error.h"

/* Texts are borrowed; what the plugin is made of. */
struct kd_ctl_plugin {
    const char *name;     /* a-z, 0-9, '-' */
    const char *group;    /* "" for the core group */
    const char *version;  /* "v1" */
    const char *resource; /* "widgets" */
    const char *kind;     /* NULL: made of the resource's name */
    const char *folder;   /* NULL: one of the plugin's name, here */
};

/* argv[0] is "plugin". Exit code; prints what was written, or what is wrong on stderr. */
int kd_ctl_plugin_run(int argc, char **argv);

/* Reads the words behind "plugin". KD_EINVAL with a text that says what to write instead. */
int kd_ctl_plugin_parse(int argc, char **argv, struct kd_ctl_plugin *ret,
                        struct kd_error *reterr) KD_MUST_USE;
/* Writes the folder. KD_EEXIST when there is one already; KD_EIO, KD_EPERM. */
int kd_ctl_plugin_write(const struct kd_ctl_plugin *plugin, struct kd_error *reterr) KD_MUST_USE;

/* A file of the folder; @NAME@ and its like stand for what the plugin is made of, in both texts. */
struct kd_ctl_template {
    const char *path;
    const char *text;
};
/* Ends with a path of NULL. */
extern const struct kd_ctl_template kd_ctl_plugin_templates[];

#endif
