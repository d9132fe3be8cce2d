#include "store/terms.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"

static uint64_t hash_id(int64_t id)
{
    return kd_hash_mix(0, (uint64_t)id);
}

static uint64_t hash_kind(struct kd_str group, struct kd_str name)
{
    return kd_hash(group.ptr, group.len, kd_hash_str(name));
}

static struct kd_str own(struct kd_str str)
{
    return (struct kd_str){ kd_str_dup(str), str.len };
}

static void free_str(struct kd_str *str)
{
    char *ptr = (char *)(uintptr_t)str->ptr; /* made by own */
    kd_free(ptr);
}

void kd_terms_reset(struct kd_terms *terms)
{
    struct kd_hnode *node;
    while ((node = kd_hmap_begin(&terms->words_by_id))) {
        struct kd_word *word = KD_CONTAINER_OF(node, struct kd_word, by_id);
        kd_hmap_remove(&terms->words_by_id, node);
        free_str(&word->text);
        kd_free(word);
    }
    while ((node = kd_hmap_begin(&terms->kinds_by_id))) {
        struct kd_kind_term *kind = KD_CONTAINER_OF(node, struct kd_kind_term, by_id);
        kd_hmap_remove(&terms->kinds_by_id, node);
        free_str(&kind->group);
        free_str(&kind->name);
        kd_free(kind);
    }
    kd_hmap_release(&terms->words_by_text);
    kd_hmap_release(&terms->words_by_id);
    kd_hmap_release(&terms->kinds_by_text);
    kd_hmap_release(&terms->kinds_by_id);
}

static struct kd_word *add_word(struct kd_terms *terms, int64_t id, struct kd_str text)
{
    struct kd_word *word = kd_zalloc(sizeof(*word));
    word->id = id;
    word->text = own(text);
    kd_hmap_add(&terms->words_by_text, &word->by_text, kd_hash_str(text));
    kd_hmap_add(&terms->words_by_id, &word->by_id, hash_id(id));
    return word;
}

int kd_terms_word(struct kd_terms *terms, struct kd_db *db, struct kd_str text, int64_t *ret)
{
    struct kd_hnode *node = kd_hmap_first(&terms->words_by_text, kd_hash_str(text));
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_word *word = KD_CONTAINER_OF(node, struct kd_word, by_text);
        if (kd_str_eq(word->text, text)) {
            *ret = word->id;
            return 0;
        }
    }
    int64_t id = 0;
    int found = kd_db_number(db, KD_SQL_FIND_WORD, &id, "t", text);
    KD_TRY(found);
    if (!found) {
        KD_TRY(kd_db_run(db, KD_SQL_ADD_WORD, "t", text));
        id = sqlite3_last_insert_rowid(db->handle);
    }
    *ret = add_word(terms, id, text)->id;
    return 0;
}

int kd_terms_text(struct kd_terms *terms, struct kd_db *db, int64_t id, struct kd_str *ret)
{
    if (id == 0) {
        *ret = KD_STR("");
        return 0;
    }
    struct kd_hnode *node = kd_hmap_first(&terms->words_by_id, hash_id(id));
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_word *word = KD_CONTAINER_OF(node, struct kd_word, by_id);
        if (word->id == id) {
            *ret = word->text;
            return 0;
        }
    }
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_WORD_TEXT, &stmt, "i", id));
    int rc = kd_db_next(stmt);
    if (rc == 1) {
        *ret = add_word(terms, id, kd_db_text(stmt, 0))->text;
    }
    kd_db_end(db, KD_SQL_WORD_TEXT, stmt);
    return rc == 0 ? KD_ESTORE : rc < 0 ? rc : 0;
}

static struct kd_kind_term *add_kind(struct kd_terms *terms, int64_t id, struct kd_str group,
                                     struct kd_str name, int64_t stored)
{
    struct kd_kind_term *kind = kd_zalloc(sizeof(*kind));
    kind->id = id;
    kind->group = own(group);
    kind->name = own(name);
    kind->stored = stored;
    kd_hmap_add(&terms->kinds_by_text, &kind->by_text, hash_kind(group, name));
    kd_hmap_add(&terms->kinds_by_id, &kind->by_id, hash_id(id));
    return kind;
}

static struct kd_kind_term *cached_kind(const struct kd_terms *terms, struct kd_str group,
                                        struct kd_str name)
{
    struct kd_hnode *node = kd_hmap_first(&terms->kinds_by_text, hash_kind(group, name));
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_kind_term *kind = KD_CONTAINER_OF(node, struct kd_kind_term, by_text);
        if (kd_str_eq(kind->name, name) && kd_str_eq(kind->group, group)) {
            return kind;
        }
    }
    return NULL;
}

int kd_terms_kind(struct kd_terms *terms, struct kd_db *db, struct kd_str group, struct kd_str name,
                  bool make, struct kd_kind_term **ret)
{
    struct kd_kind_term *kind = cached_kind(terms, group, name);
    if (kind) {
        *ret = kind;
        return 0;
    }
    int64_t id = 0;
    int64_t stored = 0;
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_FIND_KIND, &stmt, "tt", name, group));
    int found = kd_db_next(stmt);
    if (found == 1) {
        id = sqlite3_column_int64(stmt, 0);
        stored = sqlite3_column_int64(stmt, 1);
    }
    kd_db_end(db, KD_SQL_FIND_KIND, stmt);
    KD_TRY(found);
    if (!found) {
        KD_ENSURE(make, KD_ENOENT);
        KD_TRY(kd_db_run(db, KD_SQL_ADD_KIND, "tt", name, group));
        id = sqlite3_last_insert_rowid(db->handle);
    }
    *ret = add_kind(terms, id, group, name, stored);
    return 0;
}

int kd_terms_kind_by_id(struct kd_terms *terms, struct kd_db *db, int64_t id,
                        struct kd_kind_term **ret)
{
    struct kd_hnode *node = kd_hmap_first(&terms->kinds_by_id, hash_id(id));
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_kind_term *kind = KD_CONTAINER_OF(node, struct kd_kind_term, by_id);
        if (kind->id == id) {
            *ret = kind;
            return 0;
        }
    }
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_KIND_TEXT, &stmt, "i", id));
    int rc = kd_db_next(stmt);
    if (rc == 1) {
        *ret = add_kind(terms, id, kd_db_text(stmt, 0), kd_db_text(stmt, 1),
                        sqlite3_column_int64(stmt, 2));
    }
    kd_db_end(db, KD_SQL_KIND_TEXT, stmt);
    return rc == 0 ? KD_ESTORE : rc < 0 ? rc : 0;
}
