#include "config/yaml.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"

static int parse(struct kd_yaml *yaml, const char *path, const struct kd_buf *buf,
                 struct kd_error *reterr)
{
    yaml_parser_t parser;
    KD_ASSERT(yaml_parser_initialize(&parser)); /* fails without memory only */
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)buf->ptr, buf->len);
    yaml->loaded = yaml_parser_load(&parser, &yaml->doc);
    int rc = 0;
    if (!yaml->loaded) { /* the parser's words never quote the text */
        rc = kd_fail(reterr, KD_ECONFIG, "%s:%zu: %s; correct the YAML", path,
                     parser.problem_mark.line + 1,
                     parser.problem ? parser.problem : "not readable as YAML");
    }
    yaml_parser_delete(&parser);
    return rc;
}

/* Wide encodings are told by their byte order mark or by the NUL bytes that ASCII has in them. */
static bool is_wide(const struct kd_buf *buf)
{
    return buf->len >= 2 &&
           (memcmp(buf->ptr, "\xff\xfe", 2) == 0 || memcmp(buf->ptr, "\xfe\xff", 2) == 0 ||
            memchr(buf->ptr, '\0', buf->len));
}

int kd_yaml_read(struct kd_yaml *yaml, const char *path, struct kd_error *reterr)
{
    struct kd_buf buf;
    *yaml = (struct kd_yaml){ .loaded = false };
    kd_buf_init(&buf, KD_MAX_KUBECONFIG);
    int rc = kd_file_read(path, &buf, reterr);
    if (rc == 0 && is_wide(&buf)) {
        rc = kd_fail(reterr, KD_ECONFIG,
                     "%s: is not UTF-8 but UTF-16 or the like; save it as UTF-8", path);
    } else if (rc == 0) {
        rc = parse(yaml, path, &buf, reterr);
    } else if (rc != KD_ENOENT) {
        rc = KD_ECONFIG; /* with the text of the read */
    }
    buf.ptr = kd_free_secret(buf.ptr, buf.cap);
    kd_buf_release(&buf);
    return rc;
}

void kd_yaml_release(struct kd_yaml *yaml)
{
    if (!yaml->loaded) {
        return;
    }
    for (yaml_node_t *node = yaml->doc.nodes.start; node < yaml->doc.nodes.top; node++) {
        if (node->type == YAML_SCALAR_NODE) {
            explicit_bzero(node->data.scalar.value, node->data.scalar.length);
        }
    }
    yaml_document_delete(&yaml->doc);
    yaml->loaded = false;
}

bool kd_yaml_is_null(const yaml_node_t *node)
{
    static const char *const words[] = { "", "~", "null", "Null", "NULL" };
    if (!node || node->type != YAML_SCALAR_NODE ||
        node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
        return !node;
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(words); i++) {
        if (strcmp((const char *)node->data.scalar.value, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

yaml_node_t *kd_yaml_root(struct kd_yaml *yaml)
{
    yaml_node_t *root = yaml->loaded ? yaml_document_get_root_node(&yaml->doc) : NULL;
    return kd_yaml_is_null(root) ? NULL : root;
}

yaml_node_t *kd_yaml_member(struct kd_yaml *yaml, const yaml_node_t *node, const char *name)
{
    yaml_node_t *found = NULL;
    if (!node || node->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&yaml->doc, pair->key);
        if (key && key->type == YAML_SCALAR_NODE &&
            strcmp((const char *)key->data.scalar.value, name) == 0) {
            found = yaml_document_get_node(&yaml->doc, pair->value);
        }
    }
    return kd_yaml_is_null(found) ? NULL : found;
}

size_t kd_yaml_count(const yaml_node_t *node)
{
    return node && node->type == YAML_SEQUENCE_NODE
               ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
               : 0;
}

yaml_node_t *kd_yaml_item(struct kd_yaml *yaml, const yaml_node_t *node, size_t i)
{
    return yaml_document_get_node(&yaml->doc, node->data.sequence.items.start[i]);
}

const char *kd_yaml_text(const yaml_node_t *node)
{
    if (kd_yaml_is_null(node) || node->type != YAML_SCALAR_NODE || node->data.scalar.length == 0) {
        return NULL;
    }
    return (const char *)node->data.scalar.value;
}

int kd_yaml_bool(const yaml_node_t *node, bool *ret)
{
    const char *text = kd_yaml_text(node);
    if (kd_yaml_is_null(node)) {
        *ret = false;
        return 0;
    }
    bool plain = text && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    bool truth = plain && kd_str_eq_nocase(kd_str_from(text), KD_STR("true"));
    KD_ENSURE(truth || (plain && kd_str_eq_nocase(kd_str_from(text), KD_STR("false"))), KD_ECONFIG);
    *ret = truth;
    return 0;
}

int kd_yaml_line(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}
