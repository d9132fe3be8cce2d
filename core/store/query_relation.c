/*
 * Queries over relations, in two steps: a few hundred ids in their order, found by the indexes
 * alone, then the rows of each. So a walk that goes on where another one stopped looks at no row
 * twice, however many relations an end has. A relation has one row per origin; they are drawn
 * together: the first origin's mention names the ends, any uid that differs makes it unresolved.
 */
#include "base/limits.h"
#include "base/str.h"
#include "store/attrs.h"
#include "store/ends.h"
#include "store/state.h"

#define KEEP_ARENA (64 * KD_KIB)
#define MAX_SQL (4 * KD_KIB)
#define CHUNK 512 /* ids at a time */

/* How an end is asked for. A named end is found by its index, a filter looks at each relation. */
enum end_form { END_ANY, END_NAMED, END_FILTER };

/*
 * Parameters of the ids' query: 1 after_id, 2 type, 3-6 and 7-10 kind, group, ns and name of
 * subject and object, 11 how many.
 */
#define KINDS                                                                                      \
    "(SELECT id FROM kind WHERE (?%d IS NULL OR name = ?%d) AND (?%d IS NULL OR grp = ?%d))"

static enum end_form form_of(const struct kd_match *match)
{
    if (!match) {
        return END_ANY;
    }
    return match->ns && match->name ? END_NAMED : END_FILTER;
}

static void put_end(struct kd_buf *sql, enum end_form form, const char *column, const char *node,
                    int first)
{
    int kind = first;
    int group = first + 1;
    int ns = first + 2;
    int name = first + 3;
    if (form == END_NAMED) {
        (void)kd_buf_printf(sql,
                            " AND rel.%s IN (SELECT id FROM node WHERE kind IN " KINDS
                            " AND ns = ?%d AND name = ?%d)",
                            column, kind, kind, group, group, ns, name);
    } else if (form == END_FILTER) {
        (void)kd_buf_printf(sql,
                            " AND %s.kind IN " KINDS " AND (?%d IS NULL OR %s.ns = ?%d)"
                            " AND (?%d IS NULL OR %s.name = ?%d)",
                            node, kind, kind, group, group, ns, node, ns, name, node, name);
    }
}

/* Nodes are joined for a filter alone; the other forms need no more than one index. */
static void put_from(struct kd_buf *sql, enum end_form subject, enum end_form object)
{
    const char *index = object == END_NAMED    ? "INDEXED BY rel_object"
                        : subject == END_NAMED ? "INDEXED BY rel_subject"
                                               : "NOT INDEXED";
    (void)kd_buf_printf(sql, "SELECT rel.id FROM rel %s%s%s WHERE rel.id > ?1", index,
                        subject == END_FILTER ? " CROSS JOIN node s ON s.id = rel.subject" : "",
                        object == END_FILTER ? " CROSS JOIN node o ON o.id = rel.object" : "");
}

static int prepare(struct kd_reader *reader, enum end_form subject, enum end_form object,
                   bool with_type, sqlite3_stmt **ret)
{
    KD_AUTO_BUF struct kd_buf sql;
    kd_buf_init(&sql, MAX_SQL);
    put_from(&sql, subject, object);
    (void)kd_buf_puts(&sql, with_type ? " AND rel.type = ?2" : "");
    put_end(&sql, subject, "subject", "s", 3);
    put_end(&sql, object, "object", "o", 7);
    (void)kd_buf_puts(&sql, " ORDER BY rel.id LIMIT ?11");
    KD_ENSURE(!kd_buf_failed(&sql), KD_ENOMEM);
    return kd_db_code(sqlite3_prepare_v3(reader->db.handle, sql.ptr, (int)sql.len,
                                         SQLITE_PREPARE_PERSISTENT, ret, NULL));
}

static int bind(sqlite3_stmt *stmt, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int rc = kd_db_bind(stmt, fmt, args);
    va_end(args);
    return kd_db_code(rc);
}

static int take_query(struct kd_reader *reader, const struct kd_match *subject,
                      const struct kd_match *object, bool with_type, unsigned *ret_form,
                      sqlite3_stmt **ret)
{
    enum end_form s = form_of(subject);
    enum end_form o = form_of(object);
    *ret_form = ((unsigned)s * 3 + (unsigned)o) * 2 + with_type;
    *ret = kd_steal(reader->relation_queries[*ret_form]);
    return *ret ? 0 : prepare(reader, s, o, with_type, ret);
}

static void give_query(struct kd_reader *reader, unsigned form, sqlite3_stmt *stmt)
{
    (void)sqlite3_reset(stmt); /* repeats the error of the step */
    if (reader->relation_queries[form]) {
        (void)sqlite3_finalize(stmt);
    } else {
        reader->relation_queries[form] = stmt;
    }
}

static int bind_query(sqlite3_stmt *stmt, const struct kd_match *subject,
                      const struct kd_match *object, int64_t type, uint64_t after_id)
{
    static const struct kd_match any = { 0 };
    static const struct kd_str none = { 0 };
    const struct kd_match *s = subject ? subject : &any;
    const struct kd_match *o = object ? object : &any;
    int64_t after = after_id > INT64_MAX ? INT64_MAX : (int64_t)after_id;
    return bind(stmt, "iinnnnnnnni", after, type, kd_cstr(s->kind), kd_cstr(s->group),
                s->ns ? *s->ns : none, s->name ? *s->name : none, kd_cstr(o->kind),
                kd_cstr(o->group), o->ns ? *o->ns : none, o->name ? *o->name : none,
                (int64_t)CHUNK);
}

static void read_end(sqlite3_stmt *stmt, int node, int said, int resource, struct kd_end *ret)
{
    *ret = (struct kd_end){
        .kind = sqlite3_column_int64(stmt, node),
        .ns = kd_db_text(stmt, node + 1),
        .name = kd_db_text(stmt, node + 2),
        .said_version = sqlite3_column_int64(stmt, said),
        .said_uid = kd_db_text(stmt, said + 1),
        .there = !kd_db_is_null(stmt, resource),
        .version = sqlite3_column_int64(stmt, resource + 1),
        .uid = kd_db_text(stmt, resource + 2),
    };
}

static int begin_relation(struct kd_reader *reader, sqlite3_stmt *stmt,
                          const struct kd_end *subject, const struct kd_end *object,
                          struct kd_arena *arena, struct kd_stored_relation *out)
{
    KD_AUTO_BUF struct kd_buf attrs;
    kd_buf_init(&attrs, KD_MAX_RELATION_TEXT);
    kd_arena_reset(arena, KEEP_ARENA);
    out->id = (uint64_t)sqlite3_column_int64(stmt, 0);
    KD_TRY(kd_terms_text(&reader->terms, &reader->db, sqlite3_column_int64(stmt, 1), &out->type));
    KD_TRY(kd_attrs_object(&attrs, kd_db_text(stmt, 2), kd_db_text(stmt, 3)));
    out->attrs = kd_arena_copy(arena, kd_buf_str(&attrs));
    KD_ENSURE(out->attrs.ptr, KD_ENOMEM);
    KD_TRY(kd_end_ref(reader, subject, arena, &out->subject));
    KD_TRY(kd_end_ref(reader, object, arena, &out->object));
    out->resolved = subject->there && object->there;
    return 0;
}

/* What is asked for, and how it is looked up. */
struct question {
    const struct kd_match *subject;
    const struct kd_match *object;
    int64_t type; /* 0: any */
};

/* A walk over relations. */
struct relation_walk {
    struct kd_reader *reader;
    struct question question;
    struct kd_arena arena; /* of the current one */
    struct kd_stored_relation current;
    bool has_current;
    int (*fn)(void *arg, const struct kd_stored_relation *relation);
    void *arg;
};

static int hand_on(struct relation_walk *walk)
{
    bool has = walk->has_current;
    walk->has_current = false;
    int rc = has ? walk->fn(walk->arg, &walk->current) : 0;
    return rc < 0 ? rc : 0;
}

static int take_row(struct relation_walk *walk, sqlite3_stmt *stmt)
{
    struct kd_end subject;
    struct kd_end object;
    read_end(stmt, 4, 10, 14, &subject);
    read_end(stmt, 7, 12, 17, &object);
    if (!walk->has_current) {
        KD_TRY(begin_relation(walk->reader, stmt, &subject, &object, &walk->arena, &walk->current));
        walk->has_current = true;
    }
    if (kd_end_differs(&subject) || kd_end_differs(&object)) {
        walk->current.resolved = false;
    }
    return 0;
}

/* All rows of one relation; then it is handed on, with the statement free for a nested walk. */
static int take_relation(struct relation_walk *walk, int64_t id)
{
    struct kd_db *db = &walk->reader->db;
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_REL_ROWS, &stmt, "i", id));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1 && (rc = take_row(walk, stmt)) == 0) {
    }
    kd_db_end(db, KD_SQL_REL_ROWS, stmt);
    return rc < 0 ? rc : hand_on(walk);
}

/* The next ids behind after_id; gives their number, at most CHUNK. */
static int read_ids(struct relation_walk *walk, uint64_t after_id, int64_t ids[CHUNK])
{
    const struct question *question = &walk->question;
    sqlite3_stmt *stmt = NULL;
    unsigned form = 0;
    int n = 0;
    KD_TRY(take_query(walk->reader, question->subject, question->object, question->type != 0, &form,
                      &stmt));
    int rc = bind_query(stmt, question->subject, question->object, question->type, after_id);
    while (rc >= 0 && n < CHUNK && (rc = kd_db_next(stmt)) == 1) {
        ids[n++] = sqlite3_column_int64(stmt, 0);
    }
    give_query(walk->reader, form, stmt);
    return rc < 0 ? rc : n;
}

static int walk_relations(struct relation_walk *walk, uint64_t after_id)
{
    int64_t ids[CHUNK];
    int n = CHUNK;
    while (n == CHUNK) {
        n = read_ids(walk, after_id, ids);
        for (int i = 0; i < n; i++) {
            KD_TRY(take_relation(walk, ids[i]));
            after_id = (uint64_t)ids[i];
        }
    }
    return n < 0 ? n : 0;
}

/* 1: known, 0: no relation can be of that type. */
static int find_type(struct kd_reader *reader, const char *type, int64_t *ret)
{
    return type ? kd_db_number(&reader->db, KD_SQL_FIND_WORD, ret, "t", kd_cstr(type)) : 1;
}

int kd_store_each_relation(struct kd_store *store, const struct kd_match *subject,
                           const struct kd_match *object, const char *type, uint64_t after_id,
                           int (*fn)(void *arg, const struct kd_stored_relation *relation),
                           void *arg)
{
    struct relation_walk walk = { .question = { subject, object, 0 }, .fn = fn, .arg = arg };
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &walk.reader));
    kd_arena_init(&walk.arena, KD_MAX_SCRATCH);
    int rc = find_type(walk.reader, type, &walk.question.type);
    rc = rc == 1 ? walk_relations(&walk, after_id) : rc;
    kd_arena_release(&walk.arena);
    kd_reader_give(&store->readers, walk.reader);
    return rc;
}
