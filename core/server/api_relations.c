#include "server/api.h"

#include "base/limits.h"
#include "server/kindname.h"
#include "server/write.h"

#define PIECE_BYTES (64 * KD_KIB)
#define PIECE_ROWS 1000

/* Where the walk stands; lives in the answer's arena. */
struct walk {
    struct kd_answer *answer;
    struct kd_match subject, object;
    bool has_subject, has_object;
    const char *predicate;
    uint64_t limit;
    uint64_t sent;
    uint64_t last_id;
    uint64_t seq;
    size_t rows; /* looked at for this piece */
    bool more;
    bool unresolved; /* only those are asked for */
};

static int on_relation(void *arg, const struct kd_stored_relation *relation)
{
    struct walk *walk = arg;
    struct kd_buf *out = &walk->answer->piece;
    bool selected = !walk->unresolved || !relation->resolved;
    if (selected && walk->limit && walk->sent == walk->limit) {
        walk->more = true;
        return KD_EAGAIN;
    }
    walk->last_id = relation->id;
    if (selected) {
        (void)kd_buf_puts(out, walk->sent ? "," : ""); /* remembered by the buffer */
        kd_write_relation(out, relation);
        walk->sent++;
    }
    return ++walk->rows >= PIECE_ROWS || out->len >= PIECE_BYTES ? KD_EAGAIN : 0;
}

static int next_piece(struct kd_answer *answer)
{
    struct walk *walk = answer->state;
    walk->rows = 0;
    int rc = kd_store_each_relation(
        answer->context->store, walk->has_subject ? &walk->subject : NULL,
        walk->has_object ? &walk->object : NULL, walk->predicate, walk->last_id, on_relation, walk);
    if (rc == KD_EAGAIN && !walk->more) {
        return KD_STEP_MORE;
    }
    if (rc < 0 && !walk->more) {
        return rc;
    }
    (void)kd_buf_puts(&answer->piece, "],\"continue\":\""); /* remembered by the buffer */
    if (walk->more) {
        (void)kd_buf_printf(&answer->piece, "%llu", (unsigned long long)walk->last_id);
    }
    (void)kd_buf_printf(&answer->piece, "\",\"seq\":%llu}\n", (unsigned long long)walk->seq);
    return KD_STEP_DONE;
}

static int read_end(struct kd_answer *answer, const char *name, struct kd_match *ret,
                    bool *ret_present, struct kd_error *reterr)
{
    struct kd_str text = kd_params_get(&answer->params, name);
    if (text.len == 0) {
        return 0;
    }
    *ret_present = true;
    return kd_reference_parse(answer->context, text, &answer->arena, ret, reterr);
}

static int read_query(struct kd_answer *answer, struct walk *walk)
{
    const struct kd_params *params = &answer->params;
    struct kd_error error = { 0 };
    struct kd_str predicate = kd_params_get(params, "predicate");
    if (read_end(answer, "subject", &walk->subject, &walk->has_subject, &error) < 0 ||
        read_end(answer, "object", &walk->object, &walk->has_object, &error) < 0 ||
        kd_params_number(params, "limit", KD_MAX_API_LIMIT, 0, &walk->limit, &error) < 0 ||
        kd_params_number(params, "continue", INT64_MAX, 0, &walk->last_id, &error) < 0) {
        return kd_answer_fail(answer, 400, "%s", error.text);
    }
    walk->predicate = predicate.len ? predicate.ptr : NULL;
    return 0;
}

static int begin(struct kd_answer *answer, bool unresolved)
{
    struct walk *walk = kd_arena_alloc(&answer->arena, sizeof(*walk));
    KD_ENSURE(walk, KD_ENOMEM);
    *walk = (struct walk){ .answer = answer, .unresolved = unresolved };
    KD_TRY(read_query(answer, walk));
    answer->state = walk;
    answer->step = next_piece;
    (void)kd_buf_puts(&answer->piece, "{\"items\":["); /* an empty buffer has room */
    KD_TRY(kd_store_view_begin(answer->context->store, &walk->seq));
    int rc = next_piece(answer);
    kd_store_view_end(answer->context->store);
    return rc;
}

int kd_api_relationships(struct kd_answer *answer)
{
    return begin(answer, false);
}

int kd_api_unresolved(struct kd_answer *answer)
{
    return begin(answer, true);
}
