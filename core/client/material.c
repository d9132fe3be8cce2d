#include "client/material.h"

#include "base/alloc.h"
#include "base/secret.h"
#include "base/str.h"

struct kd_material *kd_material_new(const char *ca_pem, const char *cert_pem, const char *key_pem)
{
    struct kd_material *material = kd_zalloc(sizeof(*material));
    material->refs = 1;
    material->ca_pem = ca_pem ? kd_strdup(ca_pem) : NULL;
    material->cert_pem = cert_pem ? kd_strdup(cert_pem) : NULL;
    material->key_pem = key_pem ? kd_secret_keep(kd_str_from(key_pem)) : NULL;
    return material;
}

struct kd_material *kd_material_ref(struct kd_material *material)
{
    material->refs++;
    return material;
}

struct kd_material *kd_material_unref(struct kd_material *material)
{
    if (material && --material->refs == 0) {
        kd_free(material->ca_pem);
        kd_free(material->cert_pem);
        kd_secret_drop(material->key_pem);
        kd_free(material);
    }
    return NULL;
}
