/* changes: the feed, a line a change. */
#include "ctl/commands.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/names.h"
#include "ctl/resources.h"
#include "json/json.h"
#include "json/splitter.h"

#include <stdio.h>

#define CHANGE_MAX (64 * KD_MIB)
#define GONE 410
#define KEEP (64 * KD_KIB)

struct feed {
    struct kd_ctl_session *session;
    struct kd_splitter *splitter;
    uint64_t last; /* seq of the last change shown */
    bool headed;
    struct kd_arena arena; /* of one change */
};

static void put_relation(struct feed *feed, struct kd_value relation)
{
    struct kd_buf *out = &feed->session->out;
    struct kd_value predicate = { 0 };
    struct kd_ref subject = kd_ctl_ref_of(relation, "subject", &feed->arena);
    struct kd_ref object = kd_ctl_ref_of(relation, "object", &feed->arena);
    (void)kd_json_get(relation, KD_STR("predicate"), &predicate); /* none: its type shows as "-" */
    kd_ctl_relation_put(out, kd_json_get_str(predicate, KD_STR("type"), &feed->arena), &subject,
                        &object);
}

/* Columns of a fixed width: a feed has no end to wait for. */
static void put_change(struct feed *feed, struct kd_value change)
{
    struct kd_buf *out = &feed->session->out;
    struct kd_value relation = { 0 };
    struct kd_str type = kd_json_get_str(change, KD_STR("type"), &feed->arena);
    if (!feed->headed) {
        (void)kd_buf_printf(out, "%-12s%-11s%s\n", "SEQ", "TYPE", "WHAT");
        feed->headed = true;
    }
    (void)kd_buf_printf(out, "%-12llu%-11.*s", (unsigned long long)feed->last, KD_STR_ARG(type));
    if (kd_json_get(change, KD_STR("relation"), &relation)) {
        put_relation(feed, relation);
    } else {
        struct kd_ref ref = kd_ctl_ref_of(change, "resource", &feed->arena);
        kd_ctl_ref_put(out, &ref);
    }
    (void)kd_buf_putc(out, '\n');
}

static int on_line(void *arg, struct kd_str text)
{
    struct feed *feed = arg;
    struct kd_value change = { 0 };
    struct kd_value seq = { 0 };
    int64_t number = 0;
    KD_TRY(kd_json_parse(text, &change, NULL));
    KD_ENSURE(kd_json_get(change, KD_STR("seq"), &seq), KD_EPARSE);
    KD_TRY(kd_json_int(seq, &number));
    feed->last = (uint64_t)number;
    kd_arena_reset(&feed->arena, KEEP);
    if (feed->session->options->format == KD_CTL_JSON) {
        (void)kd_buf_put_str(&feed->session->out, text);
        (void)kd_buf_putc(&feed->session->out, '\n');
    } else {
        put_change(feed, change);
    }
    return 0;
}

/* A change holds references and attributes: one over the limit is none of ours. */
static void on_skipped(void *arg, struct kd_str head, uint64_t size)
{
    (void)arg;
    (void)head;
    (void)fprintf(stderr, "kindredctl: a change of %llu bytes was left out\n",
                  (unsigned long long)size);
}

static int on_bytes(void *arg, const char *ptr, size_t len, struct kd_error *reterr)
{
    struct feed *feed = arg;
    KD_TRY(kd_splitter_feed(feed->splitter, ptr, len, reterr));
    return feed->session->options->follow ? kd_ctl_flush(feed->session, reterr)
                                          : kd_ctl_flush_some(feed->session, reterr);
}

static int read_feed(struct feed *feed, struct kd_error *reterr)
{
    char target[96];
    bool follow = feed->session->options->follow;
    const struct kd_ctl_sink sink = { feed, on_bytes };
    (void)snprintf(target, sizeof(target), "/api/v1/changes?since=%llu%s", /* fits */
                   (unsigned long long)feed->last, follow ? "&follow=1" : "");
    KD_TRY(kd_ctl_http_get(feed->session->http, target, follow, &sink, reterr));
    KD_TRY(kd_splitter_finish(feed->splitter, reterr));
    return follow ? kd_fail(reterr, KD_ENET, "the server has ended the feed") : 0;
}

static int read_now(struct feed *feed, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf body;
    struct kd_value answer = { 0 };
    struct kd_value seq = { 0 };
    int64_t number = 0;
    kd_buf_init(&body, KD_CTL_ANSWER_MAX);
    KD_TRY(kd_ctl_fetch(feed->session, "/api/v1/resources?limit=1", &body, &answer, reterr));
    if (!kd_json_get(answer, KD_STR("seq"), &seq) || kd_json_int(seq, &number) < 0) {
        return kd_fail(reterr, KD_EPARSE, "the server did not say where its feed stands");
    }
    feed->last = (uint64_t)number;
    return 0;
}

/* A feed that has lost its beginning is followed from now on, unless a place was asked for. */
static int follow_from_now(struct feed *feed, struct kd_error *reterr)
{
    KD_TRY(read_now(feed, reterr));
    (void)fprintf(stderr, "kindredctl: the oldest changes are gone: following from seq %llu on\n",
                  (unsigned long long)feed->last);
    return read_feed(feed, reterr);
}

int kd_ctl_run_changes(struct kd_ctl_session *session, struct kd_error *reterr)
{
    const struct kd_ctl_options *options = session->options;
    struct feed feed = { .session = session, .last = options->since };
    const struct kd_split_sink sink = { &feed, on_line, on_skipped };
    kd_arena_init(&feed.arena, KD_MAX_SCRATCH);
    feed.splitter = kd_splitter_new(KD_SPLIT_LINES, &sink, CHANGE_MAX);
    int rc = read_feed(&feed, reterr);
    if (rc == KD_EHTTP && kd_ctl_http_status(session->http) == GONE && options->follow &&
        !options->has_since) {
        rc = follow_from_now(&feed, reterr);
    }
    if (rc == KD_ENET && options->follow && kd_ctl_http_status(session->http) != 0) {
        rc = kd_fail_prefix(reterr, rc, "go on with --since %llu", (unsigned long long)feed.last);
    }
    kd_splitter_free(feed.splitter);
    kd_arena_release(&feed.arena);
    return rc;
}
