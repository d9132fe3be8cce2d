/*
 * What TLS with the API server needs, as one immutable, ref-counted piece: CA, client certificate
 * and key. Running transfers hold the one that they began with.
 */
#ifndef KD_CLIENT_MATERIAL_H
#define KD_CLIENT_MATERIAL_H

#include "base/error.h"

struct kd_material {
    unsigned refs;
    char *ca_pem;   /* NULL: the system's */
    char *cert_pem; /* with key_pem, or both NULL */
    char *key_pem;  /* kept secret */
};

/* Copies the texts, any of which may be NULL. One reference, the caller's. */
struct kd_material *kd_material_new(const char *ca_pem, const char *cert_pem,
                                    const char *key_pem) KD_MUST_USE;
struct kd_material *kd_material_ref(struct kd_material *material);
/* Accepts NULL, returns NULL. */
struct kd_material *kd_material_unref(struct kd_material *material);

#endif
