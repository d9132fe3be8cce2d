#include "leader/record.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "json/json.h"

#include <json-c/json.h>
#include <stdio.h>

#define SCRATCH (256 * 1024)
#define MAX_DURATION_S INT32_MAX /* as the API has it */

static void copy_text(struct kd_value object, const char *key, struct kd_arena *arena, char *out,
                      size_t size)
{
    struct kd_str text = kd_json_get_str(object, kd_str_from(key), arena);
    out[0] = '\0';
    if (text.len < size) {
        (void)snprintf(out, size, KD_STR_FMT, KD_STR_ARG(text));
    }
}

static bool is_absent(struct kd_value object, const char *key, struct kd_value *ret)
{
    return !kd_json_get(object, kd_str_from(key), ret) || ret->type == KD_JSON_NULL;
}

static int64_t read_duration(struct kd_value spec)
{
    struct kd_value value;
    int64_t seconds = 0;
    if (is_absent(spec, "leaseDurationSeconds", &value)) {
        return 0;
    }
    if (kd_json_int(value, &seconds) < 0) {
        return KD_LEASE_UNREADABLE;
    }
    if (seconds > MAX_DURATION_S) {
        seconds = MAX_DURATION_S;
    }
    return seconds > 0 ? seconds * KD_SEC_NS : 0;
}

static int64_t read_transitions(struct kd_value spec)
{
    struct kd_value value;
    int64_t number = 0;
    if (is_absent(spec, "leaseTransitions", &value) || kd_json_int(value, &number) < 0 ||
        number < 0 || number >= INT32_MAX) {
        return 0;
    }
    return number;
}

static void read_parts(struct kd_value root, struct kd_arena *arena, struct kd_lease *lease)
{
    struct kd_value metadata = { 0 };
    struct kd_value spec = { 0 };
    (void)kd_json_get(root, KD_STR("metadata"), &metadata); /* was looked for */
    (void)kd_json_get(root, KD_STR("spec"), &spec);         /* absent: nobody holds it */
    copy_text(metadata, "resourceVersion", arena, lease->version, sizeof(lease->version));
    copy_text(spec, "acquireTime", arena, lease->acquired, sizeof(lease->acquired));
    copy_text(spec, "renewTime", arena, lease->renewed, sizeof(lease->renewed));
    lease->holder = kd_str_dup(kd_json_get_str(spec, KD_STR("holderIdentity"), arena));
    lease->duration_ns = read_duration(spec);
    lease->transitions = read_transitions(spec);
    lease->print = kd_hash(spec.ptr, spec.len,
                           kd_hash(lease->version, strlen(lease->version), kd_hash_seed()));
}

int kd_lease_read(struct kd_str text, struct kd_lease *ret, struct kd_error *reterr)
{
    struct kd_value root;
    struct kd_value metadata;
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, SCRATCH);
    KD_TRY(kd_json_parse(text, &root, reterr));
    if (!kd_json_get(root, KD_STR("metadata"), &metadata) || metadata.type != KD_JSON_OBJECT) {
        return kd_fail(reterr, KD_EPARSE, "a Lease without metadata");
    }
    struct kd_lease lease = { .json = kd_str_dup(text) };
    read_parts(root, &arena, &lease);
    if (lease.version[0] == '\0') { /* without one, a claim would overrun whoever holds it */
        kd_lease_release(&lease);
        return kd_fail(reterr, KD_EPARSE, "a Lease without a usable resourceVersion");
    }
    *ret = lease;
    return 0;
}

void kd_lease_release(struct kd_lease *lease)
{
    kd_free(lease->json);
    kd_free(lease->holder);
    *lease = (struct kd_lease){ 0 };
}

bool kd_lease_is_free(const struct kd_lease *lease)
{
    return !lease->holder || lease->holder[0] == '\0' || lease->duration_ns == 0;
}

/* json-c replaces a member that is there. It fails only without memory. */
static bool set(struct json_object *object, const char *key, struct json_object *value)
{
    if (!value || json_object_object_add(object, key, value) != 0) {
        json_object_put(value);
        return false;
    }
    return true;
}

static bool set_text(struct json_object *object, const char *key, const char *text)
{
    return set(object, key, json_object_new_string(text));
}

static struct json_object *new_object(const struct kd_claim *claim)
{
    struct json_object *root = json_object_new_object();
    struct json_object *metadata = json_object_new_object();
    if (!root || !set(root, "metadata", metadata)) {
        json_object_put(root);
        return NULL;
    }
    if (set_text(root, "apiVersion", "coordination.k8s.io/v1") && set_text(root, "kind", "Lease") &&
        set_text(metadata, "namespace", claim->ns) && set_text(metadata, "name", claim->name)) {
        return root;
    }
    json_object_put(root);
    return NULL;
}

/* The spec of an object, made where it has none that can be written to. */
static struct json_object *spec_of(struct json_object *root)
{
    struct json_object *spec = NULL;
    if (json_object_object_get_ex(root, "spec", &spec) &&
        json_object_is_type(spec, json_type_object)) {
        return spec;
    }
    spec = json_object_new_object();
    return spec && set(root, "spec", spec) ? spec : NULL;
}

static bool fill(struct json_object *spec, const struct kd_claim *claim)
{
    return set_text(spec, "holderIdentity", claim->holder) &&
           set(spec, "leaseDurationSeconds", json_object_new_int64(claim->duration_s)) &&
           set_text(spec, "acquireTime", claim->acquired) &&
           set_text(spec, "renewTime", claim->renewed) &&
           set(spec, "leaseTransitions", json_object_new_int64(claim->transitions));
}

int kd_lease_write(const struct kd_lease *base, const struct kd_claim *claim, struct kd_buf *out)
{
    struct json_object *root =
        base && base->json ? json_tokener_parse(base->json) : new_object(claim);
    struct json_object *spec =
        root && json_object_is_type(root, json_type_object) ? spec_of(root) : NULL;
    int rc = KD_ENOMEM;
    if (spec && fill(spec, claim)) {
        rc = kd_buf_puts(out, json_object_to_json_string_ext(
                                  root, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    }
    json_object_put(root);
    return rc;
}

char *kd_micro_time(int64_t wall_ns, char out[KD_LEASE_TIME_MAX])
{
    char text[KD_RFC3339_MAX];
    (void)snprintf(out, KD_LEASE_TIME_MAX, "%s", kd_rfc3339(wall_ns, 6, text)); /* it fits */
    return out;
}
