#include "config/yamljson.h"

#include "base/alloc.h"
#include "base/str.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

#define MAX_DEPTH 64    /* an alias may lead back to its own node */
#define MAX_NODES 10000 /* aliases multiply */

struct budget {
    bool ok;
    unsigned left;
};

static struct json_object *to_json(struct kd_yaml *yaml, const yaml_node_t *node, int depth,
                                   struct budget *budget);

static struct json_object *text_of(struct kd_str text)
{
    return json_object_new_string_len(text.ptr, (int)text.len);
}

/* Plain scalars by YAML 1.2's core types; anything else is text. */
static struct json_object *scalar(const yaml_node_t *node)
{
    struct kd_str text = { (const char *)node->data.scalar.value, node->data.scalar.length };
    bool value = false;
    char *end = NULL;
    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
        return text_of(text);
    }
    if (text.len && kd_yaml_bool(node, &value) == 0) {
        return json_object_new_boolean(value);
    }
    errno = 0;
    long long integer = strtoll(text.ptr, &end, 10);
    if (text.len && errno == 0 && *end == '\0') {
        return json_object_new_int64(integer);
    }
    double number = strtod(text.ptr, &end);
    if (text.len && strspn(text.ptr, "+-.0123456789eE") == text.len && *end == '\0' &&
        isfinite(number)) {
        return json_object_new_double_s(number, text.ptr);
    }
    return text_of(text);
}

static struct json_object *sequence(struct kd_yaml *yaml, const yaml_node_t *node, int depth,
                                    struct budget *budget)
{
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; budget->ok && i < kd_yaml_count(node); i++) {
        (void)json_object_array_add(list,
                                    to_json(yaml, kd_yaml_item(yaml, node, i), depth + 1, budget));
    }
    return list;
}

static struct json_object *mapping(struct kd_yaml *yaml, const yaml_node_t *node, int depth,
                                   struct budget *budget)
{
    struct json_object *map = json_object_new_object();
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; budget->ok && pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&yaml->doc, pair->key);
        budget->ok = key && key->type == YAML_SCALAR_NODE;
        if (budget->ok) {
            const yaml_node_t *value = yaml_document_get_node(&yaml->doc, pair->value);
            (void)json_object_object_add(map, (const char *)key->data.scalar.value,
                                         to_json(yaml, value, depth + 1, budget));
        }
    }
    return map;
}

static struct json_object *to_json(struct kd_yaml *yaml, const yaml_node_t *node, int depth,
                                   struct budget *budget)
{
    budget->ok = budget->ok && depth < MAX_DEPTH && budget->left-- > 0;
    if (!budget->ok || kd_yaml_is_null(node)) {
        return NULL;
    }
    return node->type == YAML_SEQUENCE_NODE  ? sequence(yaml, node, depth, budget)
           : node->type == YAML_MAPPING_NODE ? mapping(yaml, node, depth, budget)
                                             : scalar(node);
}

char *kd_yaml_json(struct kd_yaml *yaml, const yaml_node_t *node)
{
    struct budget budget = { true, MAX_NODES };
    struct json_object *json = to_json(yaml, node, 0, &budget);
    char *text = budget.ok && json
                     ? kd_strdup(json_object_to_json_string_ext(
                           json, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE))
                     : NULL;
    json_object_put(json);
    return text;
}
