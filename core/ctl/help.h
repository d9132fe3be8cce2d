/* The text of --help. */
#ifndef KD_CTL_HELP_H
#define KD_CTL_HELP_H

extern const char kd_ctl_help[];

#endif
