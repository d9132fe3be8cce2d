#include "archive/rows.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "informer/codec.h"
#include "json/json.h"
#include "store/attrs.h"

void kd_rows_release(struct kd_rows *rows)
{
    kd_terms_reset(&rows->terms);
    kd_db_close(&rows->db);
    kd_arena_release(&rows->arena);
}

static struct kd_str text_at(struct kd_rows *rows, struct kd_value row, const char *member)
{
    return kd_json_get_str(row, kd_str_from(member), &rows->arena);
}

static struct kd_value member_of(struct kd_value row, const char *member)
{
    struct kd_value value = { 0 };
    (void)kd_json_get(row, kd_str_from(member), &value); /* none: an empty value */
    return value;
}

/* The node that a reference names, which is made when it is new. */
static int find_node(struct kd_rows *rows, struct kd_value ref, int64_t *ret,
                     struct kd_error *reterr)
{
    struct kd_kind_term *kind = NULL;
    struct kd_str kind_name = text_at(rows, ref, "kind");
    struct kd_str ns = text_at(rows, ref, "namespace");
    struct kd_str name = text_at(rows, ref, "name");
    if (kind_name.len == 0 || name.len == 0) {
        return kd_fail(reterr, KD_EPARSE, "a reference lacks its kind or its name");
    }
    KD_TRY(kd_terms_kind(&rows->terms, &rows->db, text_at(rows, ref, "group"), kind_name, true,
                         &kind));
    int rc = kd_db_number(&rows->db, KD_SQL_FIND_NODE, ret, "itt", kind->id, ns, name);
    if (rc == 0) {
        rc = kd_db_run(&rows->db, KD_SQL_ADD_NODE, "itt", kind->id, ns, name);
        *ret = sqlite3_last_insert_rowid(rows->db.handle);
    }
    return rc < 0 ? rc : 0;
}

/* A word's id; 0 for none. */
static int find_word(struct kd_rows *rows, struct kd_str text, int64_t *ret)
{
    *ret = 0;
    return text.len ? kd_terms_word(&rows->terms, &rows->db, text, ret) : 0;
}

static int read_time(struct kd_rows *rows, struct kd_value row, const char *member, int64_t *ret,
                     struct kd_error *reterr)
{
    struct kd_str text = text_at(rows, row, member);
    *ret = 0;
    if (text.len > 0 && kd_rfc3339_parse(text, ret) < 0) {
        return kd_fail(reterr, KD_EPARSE, "%s is no time: " KD_STR_FMT, member, KD_STR_ARG(text));
    }
    return 0;
}

/* "{}" stands for a resource without an object. */
static int add_record(struct kd_rows *rows, int64_t node, struct kd_value data)
{
    struct kd_encoded encoded = { 0 };
    if (data.type != KD_JSON_OBJECT || data.len <= 2) {
        return 0;
    }
    KD_TRY(kd_codec_encode((struct kd_str){ data.ptr, data.len }, NULL, &encoded));
    return kd_db_run(&rows->db, KD_SQL_SET_RECORD, "iiizzb", node, (int64_t)encoded.encoding,
                     (int64_t)encoded.raw_len, INT64_C(0), INT64_C(0), encoded.bytes);
}

static struct kd_str raw(struct kd_value value)
{
    return value.type == KD_JSON_OBJECT ? (struct kd_str){ value.ptr, value.len } : KD_STR("");
}

int kd_rows_add_resource(struct kd_rows *rows, struct kd_value row, struct kd_error *reterr)
{
    struct kd_value ref = member_of(row, "ref");
    int64_t node = 0;
    int64_t version = 0;
    int64_t plugin = 0;
    int64_t created_ns = 0;
    int64_t updated_ns = 0;
    KD_TRY(find_node(rows, ref, &node, reterr));
    /* As the store writes them: a version may be "", which is a word too. */
    KD_TRY(kd_terms_word(&rows->terms, &rows->db, text_at(rows, ref, "version"), &version));
    KD_TRY(kd_terms_word(&rows->terms, &rows->db, text_at(rows, row, "plugin"), &plugin));
    KD_TRY(read_time(rows, row, "createdAt", &created_ns, reterr));
    KD_TRY(read_time(rows, row, "updatedAt", &updated_ns, reterr));
    KD_TRY(kd_db_run(&rows->db, KD_SQL_SET_RESOURCE, "ioiitttiio", node, text_at(rows, ref, "uid"),
                     version, plugin, text_at(rows, row, "resourceVersion"),
                     raw(member_of(row, "labels")), raw(member_of(row, "annotations")), created_ns,
                     updated_ns, KD_STR("")));
    return add_record(rows, node, member_of(row, "data"));
}

/* Whether some origin says an attribute: then it is no part of the relation's identity. */
static bool is_extra(struct kd_value origins, struct kd_str key)
{
    struct kd_iter iter;
    struct kd_value none;
    struct kd_value origin;
    struct kd_value found;
    kd_json_iter_init(&iter, origins);
    while (kd_json_iter_next(&iter, &none, &origin)) {
        if (kd_json_get(member_of(origin, "attributes"), key, &found)) {
            return true;
        }
    }
    return false;
}

static int put_member(struct kd_buf *out, struct kd_value key, struct kd_value value)
{
    KD_TRY(out->len ? kd_buf_putc(out, ',') : 0);
    KD_TRY(kd_buf_put(out, key.ptr, key.len));
    KD_TRY(kd_buf_putc(out, ':'));
    return kd_buf_put(out, value.ptr, value.len);
}

/* Parts the predicate's members, but for its type, which is the first, by what they are for. */
static int part_members(struct kd_rows *rows, struct kd_value row, struct kd_buf *identity,
                        struct kd_buf *extra)
{
    struct kd_value origins = member_of(row, "origins");
    struct kd_value key;
    struct kd_value value;
    struct kd_iter iter;
    kd_json_iter_init(&iter, member_of(row, "predicate"));
    (void)kd_json_iter_next(&iter, &key, &value); /* the type */
    while (kd_json_iter_next(&iter, &key, &value)) {
        struct kd_str text;
        KD_TRY(kd_json_string(key, &rows->arena, &text));
        KD_TRY(put_member(is_extra(origins, text) ? extra : identity, key, value));
    }
    return 0;
}

/* The type is the predicate's first member; an attribute may have its name too. */
static int find_type(struct kd_rows *rows, struct kd_value row, int64_t *ret,
                     struct kd_error *reterr)
{
    struct kd_value key = { 0 };
    struct kd_value value = { 0 };
    struct kd_str type = { NULL, 0 };
    struct kd_iter iter;
    kd_json_iter_init(&iter, member_of(row, "predicate"));
    if (!kd_json_iter_next(&iter, &key, &value) || !kd_json_string_is(key, KD_STR("type")) ||
        kd_json_string(value, &rows->arena, &type) < 0 || type.len == 0) {
        return kd_fail(reterr, KD_EPARSE, "the predicate does not begin with its type");
    }
    return kd_terms_word(&rows->terms, &rows->db, type, ret);
}

/* Members of an object, without its braces. */
static struct kd_str members_of(struct kd_value object)
{
    bool any = object.type == KD_JSON_OBJECT && object.len > 2;
    return any ? (struct kd_str){ object.ptr + 1, object.len - 2 } : KD_STR("");
}

static int add_origin(struct kd_rows *rows, int64_t relation, struct kd_value origin,
                      struct kd_error *reterr)
{
    int64_t node = 0;
    int64_t plugin = 0;
    int64_t subject_version = 0;
    int64_t object_version = 0;
    KD_TRY(find_node(rows, member_of(origin, "ref"), &node, reterr));
    KD_TRY(kd_terms_word(&rows->terms, &rows->db, text_at(rows, origin, "plugin"), &plugin));
    KD_TRY(find_word(rows, text_at(rows, origin, "subjectVersion"), &subject_version));
    KD_TRY(find_word(rows, text_at(rows, origin, "objectVersion"), &object_version));
    return kd_db_run(&rows->db, KD_SQL_SET_ORIGIN, "iiitzzoo", relation, node, plugin,
                     members_of(member_of(origin, "attributes")), subject_version, object_version,
                     text_at(rows, origin, "subjectUid"), text_at(rows, origin, "objectUid"));
}

static int add_origins(struct kd_rows *rows, int64_t relation, struct kd_value origins,
                       struct kd_error *reterr)
{
    struct kd_iter iter;
    struct kd_value none;
    struct kd_value origin;
    size_t n = 0;
    kd_json_iter_init(&iter, origins);
    while (kd_json_iter_next(&iter, &none, &origin)) {
        KD_TRY(add_origin(rows, relation, origin, reterr));
        n++;
    }
    return n > 0 ? 0 : kd_fail(reterr, KD_EPARSE, "a relation that nobody says");
}

int kd_rows_add_relation(struct kd_rows *rows, struct kd_value row, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf identity;
    KD_AUTO_BUF struct kd_buf extra;
    int64_t subject = 0;
    int64_t object = 0;
    int64_t type = 0;
    int64_t id = rows->n_relations + 1;
    kd_buf_init(&identity, KD_MAX_ATTRS_TEXT);
    kd_buf_init(&extra, KD_MAX_ATTRS_TEXT);
    KD_TRY(find_type(rows, row, &type, reterr));
    KD_TRY(find_node(rows, member_of(row, "subject"), &subject, reterr));
    KD_TRY(find_node(rows, member_of(row, "object"), &object, reterr));
    KD_TRY(part_members(rows, row, &identity, &extra));
    KD_TRY(kd_db_run(&rows->db, KD_SQL_ADD_REL, "iiiitt", id, subject, type, object,
                     kd_buf_str(&identity), kd_buf_str(&extra)));
    rows->n_relations = id;
    return add_origins(rows, id, member_of(row, "origins"), reterr);
}
