/* Questions about the store itself: is it whole, and a copy of it. */
#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "server/api.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES (256 * KD_KIB)

struct problems {
    struct kd_buf *out;
    size_t n;
};

static void on_problem(void *arg, const char *text)
{
    struct problems *problems = arg;
    (void)kd_buf_puts(problems->out, problems->n++ ? "," : ""); /* remembered by the buffer */
    (void)kd_buf_put_json(problems->out, kd_str_from(text));
}

int kd_api_store_check(struct kd_answer *answer)
{
    struct kd_buf *out = &answer->piece;
    struct problems problems = { .out = out };
    (void)kd_buf_puts(out, "{\"problems\":["); /* as above */
    KD_TRY(kd_store_check(answer->context->store, on_problem, &problems));
    (void)kd_buf_printf(out, "],\"ok\":%s}\n", problems.n ? "false" : "true");
    return KD_STEP_DONE;
}

struct copy {
    int fd;
    uint64_t sent;
};

static void release_copy(void *state)
{
    struct copy *copy = state;
    (void)close(copy->fd); /* it has no name: the space is free again */
}

static int next_piece(struct kd_answer *answer)
{
    struct copy *copy = answer->state;
    KD_TRY(kd_buf_reserve(&answer->piece, PIECE_BYTES));
    ssize_t n = pread(copy->fd, answer->piece.ptr, PIECE_BYTES, (off_t)copy->sent);
    if (n < 0) {
        return errno == EINTR ? KD_STEP_MORE : KD_EIO;
    }
    answer->piece.len = (size_t)n;
    copy->sent += (uint64_t)n;
    return n > 0 ? KD_STEP_MORE : KD_STEP_DONE;
}

int kd_api_store_backup(struct kd_answer *answer)
{
    struct copy *copy = kd_arena_alloc(&answer->arena, sizeof(*copy));
    struct kd_error error = { 0 };
    int fd = -1;
    KD_ENSURE(copy, KD_ENOMEM);
    if (kd_store_backup(answer->context->store, &fd, &error) < 0) {
        KD_WARN("no backup", KD_F("error", error.text));
        return kd_answer_fail(answer, 500, "%s", error.text);
    }
    *copy = (struct copy){ .fd = fd };
    answer->state = copy;
    answer->release = release_copy;
    answer->content_type = "application/vnd.sqlite3";
    answer->step = next_piece;
    return next_piece(answer);
}
