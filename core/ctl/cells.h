/* Cells that take more than one path to read. Each appends to out, or nothing when it knows not. */
#ifndef KD_CTL_CELLS_H
#define KD_CTL_CELLS_H

#include "ctl/text_table.h"

/* `data` is the Kubernetes object. */
void kd_ctl_cell_pod_ready(struct kd_buf *out, struct kd_value data);
void kd_ctl_cell_pod_status(struct kd_buf *out, struct kd_value data);
void kd_ctl_cell_pod_restarts(struct kd_buf *out, struct kd_value data);
void kd_ctl_cell_pod_containers(struct kd_buf *out, struct kd_value data);
void kd_ctl_cell_node_status(struct kd_buf *out, struct kd_value data);
void kd_ctl_cell_node_roles(struct kd_buf *out, struct kd_value data);
void kd_ctl_cell_node_address(struct kd_buf *out, struct kd_value data);
void kd_ctl_cell_service_ports(struct kd_buf *out, struct kd_value data);
/* Of what makes pods by a template, and has a selector. */
void kd_ctl_cell_containers(struct kd_buf *out, struct kd_value data);
void kd_ctl_cell_images(struct kd_buf *out, struct kd_value data);
void kd_ctl_cell_selector(struct kd_buf *out, struct kd_value data);
/* {"a":"b"} as "a=b,...". */
void kd_ctl_cell_labels(struct kd_buf *out, struct kd_value labels);
/* The value as text: a string decoded, a number with its digits. */
void kd_ctl_cell_value(struct kd_buf *out, struct kd_value value);
/* The next cell of a table: what stands at that path, as text; what is longer than a megabyte is
 * cut. */
void kd_ctl_cell_at(struct kd_ctl_table *table, struct kd_value item, const char *path);

#endif
