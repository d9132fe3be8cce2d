#include "server/api.h"

#include "base/limits.h"
#include "base/str.h"
#include "server/kindname.h"
#include "server/selector.h"
#include "server/write.h"

/* A piece ends after so many bytes or so many rows looked at, whichever comes first. */
#define PIECE_BYTES (64 * KD_KIB)
#define PIECE_ROWS 2000
#define SCRATCH_KEEP (256 * KD_KIB)

/* Where the walk stands; lives in the answer's arena. */
struct walk {
    struct kd_answer *answer;
    struct kd_match match;
    struct kd_str ns, name;
    const struct kd_selector *labels;
    const struct kd_selector *fields;
    uint64_t limit; /* 0: all */
    uint64_t sent;
    uint64_t seq;
    bool has_last; /* `last` is the last row looked at */
    struct kd_ref last;
    struct kd_buf last_text;  /* owns last's bytes */
    struct kd_buf after_text; /* those of the last piece's, which the walk goes on behind */
    struct kd_buf token;      /* names the last row sent */
    struct kd_arena scratch;
    size_t rows;
    bool more;    /* a row beyond the limit was seen */
    bool orphans; /* only what stands alone is asked for */
};

/* A continue token is the key of the last item sent: hex of kind, group, ns and name, "." between.
 */
static void write_token(struct kd_buf *out, const struct kd_ref *ref)
{
    const struct kd_str parts[] = { ref->kind, ref->group, ref->ns, ref->name };
    kd_buf_clear(out, KD_KIB);
    for (size_t i = 0; i < KD_ARRAY_LEN(parts); i++) {
        (void)kd_buf_puts(out, i ? "." : ""); /* names are short: it fits */
        for (size_t j = 0; j < parts[i].len; j++) {
            (void)kd_buf_printf(out, "%02x", (unsigned char)parts[i].ptr[j]);
        }
    }
}

static bool read_hex(struct kd_str hex, struct kd_arena *arena, struct kd_str *ret)
{
    static const char digits[] = "0123456789abcdef";
    char *out = kd_arena_alloc(arena, hex.len / 2 + 1);
    if (!out || hex.len % 2 != 0) {
        return false;
    }
    for (size_t i = 0; i < hex.len; i += 2) {
        const char *high = memchr(digits, hex.ptr[i], 16);
        const char *low = memchr(digits, hex.ptr[i + 1], 16);
        if (!high || !low) {
            return false;
        }
        out[i / 2] = (char)((high - digits) << 4 | (low - digits));
    }
    out[hex.len / 2] = '\0';
    *ret = (struct kd_str){ out, hex.len / 2 };
    return true;
}

static bool read_token(struct kd_str token, struct kd_arena *arena, struct kd_ref *ret)
{
    struct kd_str *parts[] = { &ret->kind, &ret->group, &ret->ns, &ret->name };
    for (size_t i = 0; i < KD_ARRAY_LEN(parts); i++) {
        bool last = i + 1 == KD_ARRAY_LEN(parts);
        struct kd_str part = kd_str_cut(&token, '.');
        if ((last ? token.ptr != NULL : token.ptr == NULL) || !read_hex(part, arena, parts[i])) {
            return false;
        }
    }
    return ret->kind.len > 0 && ret->name.len > 0;
}

/* Copies the key of the last row looked at, for the next page. */
static int keep_last(struct walk *walk, const struct kd_ref *ref)
{
    const struct kd_str parts[] = { ref->kind, ref->group, ref->ns, ref->name };
    struct kd_str *copies[] = { &walk->last.kind, &walk->last.group, &walk->last.ns,
                                &walk->last.name };
    size_t offset = 0;
    kd_buf_clear(&walk->last_text, KD_KIB);
    for (size_t i = 0; i < KD_ARRAY_LEN(parts); i++) {
        KD_TRY(kd_buf_put_str(&walk->last_text, parts[i]));
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(parts); i++) {
        *copies[i] = (struct kd_str){ walk->last_text.ptr + offset, parts[i].len };
        offset += parts[i].len;
    }
    walk->has_last = true;
    return 0;
}

static int select_row(struct walk *walk, const struct kd_stored *stored, bool *ret)
{
    bool related = false;
    kd_arena_reset(&walk->scratch, SCRATCH_KEEP);
    *ret = kd_selector_matches(walk->labels, stored->labels, &walk->scratch) &&
           kd_selector_matches(walk->fields, stored->data, &walk->scratch);
    if (*ret && walk->orphans) {
        KD_TRY(kd_store_is_related(walk->answer->context->store, &stored->ref, &related));
        *ret = !related;
    }
    return 0;
}

static int on_row(void *arg, const struct kd_stored *stored)
{
    struct walk *walk = arg;
    struct kd_buf *out = &walk->answer->piece;
    bool selected = false;
    KD_TRY(select_row(walk, stored, &selected));
    if (selected && walk->limit && walk->sent == walk->limit) {
        walk->more = true;
        return KD_EAGAIN;
    }
    KD_TRY(keep_last(walk, &stored->ref));
    if (selected) {
        (void)kd_buf_puts(out, walk->sent ? "," : ""); /* remembered by the buffer */
        kd_write_resource(out, stored);
        write_token(&walk->token, &stored->ref);
        walk->sent++;
    }
    return ++walk->rows >= PIECE_ROWS || out->len >= PIECE_BYTES ? KD_EAGAIN : 0;
}

static int next_piece(struct kd_answer *answer)
{
    struct walk *walk = answer->state;
    const struct kd_ref after = walk->last; /* the store reads it while on_row makes new ones */
    const struct kd_buf after_text = walk->last_text;
    walk->last_text = walk->after_text;
    walk->after_text = after_text;
    walk->rows = 0;
    int rc = kd_store_each(answer->context->store, &walk->match, walk->has_last ? &after : NULL,
                           true, on_row, walk);
    if (rc == KD_EAGAIN && !walk->more) {
        return KD_STEP_MORE;
    }
    if (rc == 0 || walk->more) {
        (void)kd_buf_printf(&answer->piece, "],\"continue\":\"%s\",\"seq\":%llu}\n",
                            walk->more ? walk->token.ptr : "", (unsigned long long)walk->seq);
    }
    return rc == 0 || walk->more ? KD_STEP_DONE : rc;
}

static void release_walk(void *state)
{
    struct walk *walk = state;
    kd_buf_release(&walk->last_text);
    kd_buf_release(&walk->after_text);
    kd_buf_release(&walk->token);
    kd_arena_release(&walk->scratch);
}

static int read_kind(struct kd_answer *answer, struct walk *walk)
{
    struct kd_str kind = kd_params_get(&answer->params, "kind");
    struct kd_kind_name found;
    if (kind.len == 0) {
        return 0;
    }
    if (kd_kind_find(answer->context, kind, &answer->arena, &found) < 0) {
        return kd_answer_fail(answer, 404,
                              "no kind \"" KD_STR_FMT
                              "\" is kept; kindredctl kinds (/api/v1/kinds) lists those",
                              KD_STR_ARG(kind));
    }
    walk->match.group = found.group;
    walk->match.kind = found.kind;
    return 0;
}

static int read_query(struct kd_answer *answer, struct walk *walk)
{
    const struct kd_params *params = &answer->params;
    struct kd_error error = { 0 };
    struct kd_str token = kd_params_get(params, "continue");
    KD_TRY(read_kind(answer, walk));
    walk->ns = kd_params_get(params, "namespace");
    walk->name = kd_params_get(params, "name");
    walk->match.ns = walk->ns.len ? &walk->ns : NULL;
    walk->match.name = walk->name.len ? &walk->name : NULL;
    if (kd_label_selector_parse(kd_params_get(params, "labelSelector"), &answer->arena,
                                &walk->labels, &error) < 0 ||
        kd_field_selector_parse(kd_params_get(params, "fieldSelector"), &answer->arena,
                                &walk->fields, &error) < 0 ||
        kd_params_number(params, "limit", KD_MAX_API_LIMIT, 0, &walk->limit, &error) < 0) {
        return kd_answer_fail(answer, 400, "%s", error.text);
    }
    if (token.len > 0) {
        struct kd_ref last = { 0 };
        if (!read_token(token, &answer->arena, &last)) {
            return kd_answer_fail(answer, 400, "continue is no token of an earlier answer");
        }
        KD_TRY(keep_last(walk, &last));
    }
    return 0;
}

static int begin(struct kd_answer *answer, bool orphans)
{
    struct walk *walk = kd_arena_alloc(&answer->arena, sizeof(*walk));
    KD_ENSURE(walk, KD_ENOMEM);
    *walk = (struct walk){ .answer = answer, .orphans = orphans };
    kd_buf_init(&walk->last_text, 16 * KD_KIB);
    kd_buf_init(&walk->after_text, 16 * KD_KIB);
    kd_buf_init(&walk->token, 32 * KD_KIB);
    kd_arena_init(&walk->scratch, KD_MAX_SCRATCH);
    answer->state = walk;
    answer->release = release_walk;
    KD_TRY(read_query(answer, walk));
    answer->step = next_piece;
    (void)kd_buf_puts(&answer->piece, "{\"items\":["); /* an empty buffer has room */
    KD_TRY(kd_store_view_begin(answer->context->store, &walk->seq));
    int rc = next_piece(answer);
    kd_store_view_end(answer->context->store);
    return rc;
}

int kd_api_resources(struct kd_answer *answer)
{
    return begin(answer, false);
}

int kd_api_orphans(struct kd_answer *answer)
{
    return begin(answer, true);
}
