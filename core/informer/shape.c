#include "informer/shape.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"

#define LAST_APPLIED "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"

static char *make_head(const struct kd_informer_spec *spec)
{
    KD_AUTO_BUF struct kd_buf buf;
    KD_AUTO_FREE char *version = spec->group[0] ? kd_asprintf("%s/%s", spec->group, spec->version)
                                                : kd_strdup(spec->version);
    kd_buf_init(&buf, KD_MAX_ENVELOPE);
    (void)kd_buf_puts(&buf, "{\"apiVersion\":");
    (void)kd_buf_put_json(&buf, kd_str_from(version));
    (void)kd_buf_puts(&buf, ",\"kind\":");
    (void)kd_buf_put_json(&buf, kd_str_from(spec->kind));
    return kd_buf_failed(&buf) ? NULL : kd_buf_steal(&buf);
}

static int plan_make(const char *const *paths, size_t n, bool wild, const char *what,
                     struct kd_json_plan **ret, struct kd_error *reterr)
{
    int rc = kd_json_plan_new(paths, n, wild, ret, reterr);
    if (rc < 0) {
        (void)kd_fail_prefix(reterr, rc, "%s", what);
        if (reterr) {
            reterr->code = KD_ECONFIG;
        }
        return KD_ECONFIG;
    }
    return 0;
}

static int make_keep(struct kd_shape *shape, const struct kd_informer_spec *spec,
                     struct kd_error *reterr)
{
    const char **paths = kd_zalloc_array(spec->n_fields + 1, sizeof(char *));
    paths[0] = "/metadata";
    for (size_t i = 0; i < spec->n_fields; i++) {
        paths[i + 1] = spec->fields[i];
    }
    int rc = plan_make(paths, spec->n_fields + 1, false, "fields", &shape->keep, reterr);
    kd_free(paths);
    return rc;
}

static bool under(const char *path, const char *prefix)
{
    size_t len = strlen(prefix);
    return strncmp(path, prefix, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static enum kd_section section_of(const char *path)
{
    static const struct {
        const char *prefix;
        enum kd_section section;
    } sections[] = {
        { "/metadata/labels", KD_SECTION_LABELS },
        { "/metadata/annotations", KD_SECTION_ANNOTATIONS },
        { "/metadata", KD_SECTION_METADATA },
        { "/spec", KD_SECTION_SPEC },
        { "/status", KD_SECTION_STATUS },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(sections); i++) {
        if (under(path, sections[i].prefix)) {
            return sections[i].section;
        }
    }
    return KD_SECTION_REST;
}

/* "/metadata" as a whole lies in three sections at once: such noise hides changes of all. */
static bool is_noisy(const struct kd_informer_spec *spec, enum kd_section section)
{
    for (size_t i = 0; i < spec->n_noise; i++) {
        const char *path = spec->noise[i];
        if (section_of(path) == section || strcmp(path, "/metadata") == 0 || path[1] == '*' ||
            under(path, "/metadata/*")) {
            return true;
        }
    }
    return false;
}

static int make_indexes(struct kd_shape *shape, const struct kd_informer_spec *spec,
                        struct kd_error *reterr)
{
    shape->indexes = kd_zalloc_array(spec->n_indexes + 1, sizeof(struct kd_shape_index));
    for (size_t i = 0; i < spec->n_indexes; i++) {
        const char *path = spec->indexes[i].path;
        struct kd_json_plan *plan = NULL;
        KD_TRY(plan_make(&path, 1, false, spec->indexes[i].name, &plan, reterr));
        kd_json_plan_free(plan);
        enum kd_section section = section_of(path);
        shape->indexes[shape->n_indexes++] =
            (struct kd_shape_index){ kd_strdup(path), section, is_noisy(spec, section) };
    }
    return 0;
}

int kd_shape_init(struct kd_shape *shape, const struct kd_informer_spec *spec,
                  struct kd_error *reterr)
{
    static const char *const last_applied = LAST_APPLIED;
    *shape = (struct kd_shape){ 0 };
    bool fields = strcmp(spec->mode, "fields") == 0;
    shape->metadata_only = strcmp(spec->mode, "metadata") == 0;
    if (!fields && !shape->metadata_only && strcmp(spec->mode, "full") != 0) {
        return kd_fail(reterr, KD_ECONFIG, "mode \"%s\": it is full, fields or metadata",
                       spec->mode);
    }
    shape->head = make_head(spec);
    if (!shape->head) {
        return kd_fail(reterr, KD_ECONFIG, "the kind's name is too long");
    }
    uint64_t object = spec->max_object_bytes > 0 ? (uint64_t)spec->max_object_bytes : UINT32_MAX;
    shape->max_json = (object < UINT32_MAX ? object : UINT32_MAX) + KD_MAX_ENVELOPE;
    if (fields) {
        KD_TRY(make_keep(shape, spec, reterr));
    }
    if (shape->metadata_only) {
        KD_TRY(plan_make(&last_applied, 1, false, "metadata", &shape->drop, reterr));
    }
    if (spec->n_noise) {
        KD_TRY(plan_make(spec->noise, spec->n_noise, true, "noise", &shape->noise, reterr));
    }
    return make_indexes(shape, spec, reterr);
}

void kd_shape_release(struct kd_shape *shape)
{
    kd_free(shape->head);
    kd_json_plan_free(shape->keep);
    kd_json_plan_free(shape->drop);
    kd_json_plan_free(shape->noise);
    for (size_t i = 0; i < shape->n_indexes; i++) {
        kd_free(shape->indexes[i].path);
    }
    kd_free(shape->indexes);
    *shape = (struct kd_shape){ 0 };
}

struct kd_str kd_shape_value(const struct kd_shape *shape, size_t index,
                             const struct kd_outline *outline, struct kd_arena *arena)
{
    struct kd_str text = { NULL, 0 };
    bool kept = !shape->metadata_only || under(shape->indexes[index].path, "/metadata");
    if (!kept) { /* a server may send whole objects all the same */
        return text;
    }
    struct kd_value value = kd_outline_at(outline, shape->indexes[index].path);
    if (value.type != KD_JSON_STRING || kd_json_string(value, arena, &text) < 0) {
        return (struct kd_str){ NULL, 0 };
    }
    return text;
}
