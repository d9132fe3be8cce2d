/*
 * Which objects of a kind an entry asks for: its namespaces and field selector, as the API takes
 * them. Where all namespaces are listed, the excluded ones are part of the field selector; where
 * some are, those that are excluded are not among them. What lives in no namespace is listed whole.
 */
#ifndef KD_MANAGER_SCOPE_H
#define KD_MANAGER_SCOPE_H

#include "informer/informer.h"
#include "plugin/plugins.h"

struct kd_scope {
    struct kd_strlist namespaces; /* the array is owned, its texts are the entry's */
    char *field_selector;
};

void kd_scope_make(const struct kd_instance_kind *kind, struct kd_scope *ret);
void kd_scope_release(struct kd_scope *scope);
bool kd_scope_same(const struct kd_instance_kind *a, const struct kd_instance_kind *b);

#endif
