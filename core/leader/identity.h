/* Who we are among the candidates. */
#ifndef KD_LEADER_IDENTITY_H
#define KD_LEADER_IDENTITY_H

/* "hostname_uuid", another one at each call. The caller frees. */
char *kd_identity_new(void);

#endif
