/*
 * Reads the fields of one entry of a kubeconfig. The first failure is kept in rc and makes the rest
 * a no-op. Values never stand in an error: some are secret.
 */
#ifndef KD_CONFIG_KUBEFIELDS_H
#define KD_CONFIG_KUBEFIELDS_H

#include "config/kubeconfig.h"

struct kd_kubefields {
    struct kd_yaml *yaml;
    const char *path;
    const yaml_node_t *node;
    const char *list; /* "cluster" or "user", for errors */
    const char *name;
    struct kd_error *reterr;
    int rc;
};

/* Sets rc; `node` (or NULL) gives the line. */
void kd_field_fail(struct kd_kubefields *in, const yaml_node_t *node, const char *field,
                   const char *what);
yaml_node_t *kd_field_node(struct kd_kubefields *in, const char *field);
/* A text field as it is, on one line; NULL where not given. Owned. */
char *kd_field_exact(struct kd_kubefields *in, const char *field);
/* The same without white space around it. */
char *kd_field_text(struct kd_kubefields *in, const char *field);
/* A path, made to belong to the folder of the kubeconfig. */
char *kd_field_path(struct kd_kubefields *in, const char *field);
/* PEM from FIELD-data, else from the file that FIELD names, which is then *ret_file. Owned. */
char *kd_field_pem(struct kd_kubefields *in, const char *field, char **ret_file);
bool kd_field_bool(struct kd_kubefields *in, const char *field);
/* A list of texts, each on one line and as it is. */
void kd_field_strings(struct kd_kubefields *in, const char *field, struct kd_strlist *list);
/* The texts of a node of the document: a sequence of scalars. */
void kd_field_list(struct kd_kubefields *in, const char *field, const yaml_node_t *node,
                   struct kd_strlist *list);
/* The mapping that `field` is, as a reader of its own; its node is NULL where not given. */
struct kd_kubefields kd_field_inner(struct kd_kubefields *in, const char *field);
/* Fails for a text with a control character in it; `value` may be NULL. */
void kd_field_one_line(struct kd_kubefields *in, const yaml_node_t *node, const char *field);

void kd_strlist_add(struct kd_strlist *list, const char *text);
void kd_strlist_wipe(struct kd_strlist *list);

#endif
