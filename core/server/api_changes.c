#include "server/api.h"

#include "base/limits.h"
#include "base/str.h"
#include "server/kindname.h"
#include "server/write.h"

#define PIECE_CHANGES 500

struct feed {
    struct kd_answer *answer;
    uint64_t since;
    uint64_t rows; /* in this piece */
    bool follow;
    struct kd_kind_name kind; /* its kind is NULL: any */
    struct kd_str ns;         /* "": any */
};

/* Who asks for a kind or a namespace asks for resources. */
static bool is_wanted(const struct feed *feed, const struct kd_change *change)
{
    bool is_resource = change->type == KD_CHANGE_PUT || change->type == KD_CHANGE_DELETE;
    if (!feed->kind.kind && feed->ns.len == 0) {
        return true;
    }
    return is_resource && (feed->ns.len == 0 || kd_str_eq(change->ref.ns, feed->ns)) &&
           (!feed->kind.kind || kd_str_is(change->ref.kind, feed->kind.kind)) &&
           (!feed->kind.group || kd_str_is(change->ref.group, feed->kind.group));
}

static int on_change(void *arg, const struct kd_change *change)
{
    struct feed *feed = arg;
    if (is_wanted(feed, change)) {
        kd_write_change(&feed->answer->piece, change);
        (void)kd_buf_putc(&feed->answer->piece, '\n'); /* remembered by the buffer */
    }
    feed->since = change->seq;
    feed->rows++;
    return 0;
}

/* One who no longer leads has no more changes to tell: the reader goes to the leader. */
static bool is_over(const struct kd_answer *answer)
{
    const struct kd_server_source *source = &answer->context->source;
    char why[KD_WHY_MAX];
    char leader[KD_WHY_MAX];
    return answer->started && source->may_answer &&
           !source->may_answer(source->arg, false, why, leader);
}

static int next_piece(struct kd_answer *answer)
{
    struct feed *feed = answer->state;
    if (is_over(answer)) {
        return KD_STEP_DONE;
    }
    feed->rows = 0;
    int rc = kd_store_changes(answer->context->store, feed->since, PIECE_CHANGES, on_change, feed);
    if (rc == KD_ENOENT) {
        return kd_answer_fail(answer, 410,
                              "seq %llu is older than the changes that are kept: take the lists "
                              "again and go on from their seq",
                              (unsigned long long)feed->since);
    }
    KD_TRY(rc);
    if (feed->rows == PIECE_CHANGES) {
        return KD_STEP_MORE;
    }
    return feed->follow ? KD_STEP_WAIT : KD_STEP_DONE;
}

int kd_api_changes(struct kd_answer *answer)
{
    struct kd_error error = { 0 };
    struct kd_str follow = kd_params_get(&answer->params, "follow");
    struct kd_str kind = kd_params_get(&answer->params, "kind");
    struct feed *feed = kd_arena_alloc(&answer->arena, sizeof(*feed));
    KD_ENSURE(feed, KD_ENOMEM);
    *feed = (struct feed){ .answer = answer };
    if (kd_params_number(&answer->params, "since", INT64_MAX, 0, &feed->since, &error) < 0) {
        return kd_answer_fail(answer, 400, "%s", error.text);
    }
    if (kind.len > 0 && kd_kind_find(answer->context, kind, &answer->arena, &feed->kind) < 0) {
        return kd_answer_fail(answer, 404, "no kind \"" KD_STR_FMT "\" is kept", KD_STR_ARG(kind));
    }
    feed->ns = kd_params_get(&answer->params, "namespace");
    feed->follow = kd_str_is(follow, "1") || kd_str_is(follow, "true");
    answer->content_type = "application/x-ndjson";
    answer->state = feed;
    answer->step = next_piece;
    return next_piece(answer);
}
