/* Which sections of an object differ between two states, noise left out. */
#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"
#include "json/plan.h"
#include "kit/kit.h"

#include <string.h>

#define MAX_NOISE 1024

/* A section is what `at` points to, without what lies under the paths of `without`. */
struct section {
    uint32_t bit;
    const char *at;
    const char *const *without;
    size_t n_without;
};

static const char *const labels_and_annotations[] = { "/metadata/labels", "/metadata/annotations" };
static const char *const known[] = { "/metadata", "/spec", "/status" };

static const struct section sections[] = {
    { KD_CHANGED_LABELS, "/metadata/labels", NULL, 0 },
    { KD_CHANGED_ANNOTATIONS, "/metadata/annotations", NULL, 0 },
    { KD_CHANGED_METADATA, "/metadata", labels_and_annotations, 2 },
    { KD_CHANGED_SPEC, "/spec", NULL, 0 },
    { KD_CHANGED_STATUS, "/status", NULL, 0 },
    { KD_CHANGED_REST, "", known, 3 },
};

/* Appends `json` without the paths. */
static int strip(struct kd_str json, const char *const *paths, size_t n, struct kd_buf *out)
{
    struct kd_json_plan *plan = NULL;
    struct kd_value root;
    KD_TRY(kd_json_parse(json, &root, NULL));
    if (n == 0) {
        return kd_buf_put_str(out, json);
    }
    KD_TRY(kd_json_plan_new(paths, n, true, &plan, NULL));
    int rc = kd_json_plan_strip(plan, root, out);
    kd_json_plan_free(plan);
    return rc;
}

/* The object without what the section hashes pass over. */
static int quiet(const struct kd_kind *kind, const char *json, struct kd_buf *out)
{
    static const char *const always[] = { "/apiVersion", "/kind", "/metadata/resourceVersion",
                                          "/metadata/managedFields" };
    const char *paths[MAX_NOISE + KD_ARRAY_LEN(always)];
    size_t n = 0;
    for (; n < KD_ARRAY_LEN(always); n++) {
        paths[n] = always[n];
    }
    for (uint32_t i = 0; kind && i < kind->n_noise && i < MAX_NOISE; i++) {
        paths[n++] = kind->noise[i];
    }
    return strip(kd_str_from(json), paths, n, out);
}

static bool same_section(const struct section *section, const struct kd_buf *a,
                         const struct kd_buf *b)
{
    KD_AUTO_BUF struct kd_buf left;
    KD_AUTO_BUF struct kd_buf right;
    struct kd_value x = { 0 };
    struct kd_value y = { 0 };
    kd_buf_init(&left, KD_KIT_TEXT_MAX);
    kd_buf_init(&right, KD_KIT_TEXT_MAX);
    if (strip(kd_buf_str(a), section->without, section->n_without, &left) < 0 ||
        strip(kd_buf_str(b), section->without, section->n_without, &right) < 0 ||
        kd_json_parse(kd_buf_str(&left), &x, NULL) < 0 ||
        kd_json_parse(kd_buf_str(&right), &y, NULL) < 0) {
        return false;
    }
    bool has_x = !section->at[0] || kd_json_at(x, section->at, &x);
    bool has_y = !section->at[0] || kd_json_at(y, section->at, &y);
    return has_x == has_y &&
           (!has_x || kd_str_eq((struct kd_str){ x.ptr, x.len }, (struct kd_str){ y.ptr, y.len }));
}

uint32_t kd_kit_changed(const struct kd_kind *kind, const char *before, const char *after)
{
    KD_AUTO_BUF struct kd_buf a;
    KD_AUTO_BUF struct kd_buf b;
    uint32_t changed = 0;
    kd_buf_init(&a, KD_KIT_TEXT_MAX);
    kd_buf_init(&b, KD_KIT_TEXT_MAX);
    if (quiet(kind, before, &a) < 0 || quiet(kind, after, &b) < 0) {
        return KD_CHANGED_ALL;
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(sections); i++) {
        changed |= same_section(&sections[i], &a, &b) ? 0 : sections[i].bit;
    }
    return changed;
}
