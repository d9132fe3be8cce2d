#include "manager/reviewer.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

#define TOKEN_PATH "/apis/authentication.k8s.io/v1/tokenreviews"
#define ACCESS_PATH "/apis/authorization.k8s.io/v1/subjectaccessreviews"
#define USER_NS (60 * KD_SEC_NS)
#define ALLOWED_NS (300 * KD_SEC_NS)
#define DENIED_NS (30 * KD_SEC_NS)
#define ASK_NS (10 * KD_SEC_NS)
#define FIRST_PAUSE_NS (500 * KD_MS_NS)
#define MAX_TRIES 5u
#define SCRATCH KD_MIB
#define ALLOWED "allowed"

struct kd_review {
    struct kd_review *prev, *next;
    struct kd_reviewer *reviewer;
    char *token; /* overwritten before it is freed */
    char *verb;
    char *path;
    char *user; /* as JSON, once it is known */
    kd_ruling_fn *done;
    void *done_arg;
    struct kd_call *call;
    struct kd_buf body; /* of the answer */
    struct kd_timer pause;
    unsigned tries;
    int64_t pause_ns;
};

static void start(struct kd_review *review);

void kd_reviewer_init(struct kd_reviewer *reviewer, struct kd_loop *loop, struct kd_client *client)
{
    *reviewer = (struct kd_reviewer){ .loop = loop, .client = client };
}

static void review_free(struct kd_review *review)
{
    kd_free_secret(review->token, strlen(review->token));
    kd_free(review->verb);
    kd_free(review->path);
    kd_free(review->user);
    kd_buf_release(&review->body);
    kd_free(review);
}

/* Takes it off the list of those under way. */
static void review_end(struct kd_review *review)
{
    if (review->prev) {
        review->prev->next = review->next;
    } else {
        review->reviewer->first = review->next;
    }
    if (review->next) {
        review->next->prev = review->prev;
    }
    kd_call_cancel(review->call);
    kd_timer_release(&review->pause);
    review_free(review);
}

void kd_reviewer_close(struct kd_reviewer *reviewer)
{
    while (reviewer->first) {
        review_end(reviewer->first);
    }
    kd_verdicts_release(&reviewer->users);
    kd_verdicts_release(&reviewer->rights);
    reviewer->closed = true;
}

static void finish(struct kd_review *review, enum kd_ruling verdict, const char *why)
{
    review->done(review->done_arg, verdict, why);
    review_end(review);
}

/* -- what is known */

static struct kd_verdict_key user_key(const struct kd_review *review)
{
    const struct kd_str texts[] = { kd_str_from(review->token) };
    return kd_verdict_key(texts, KD_ARRAY_LEN(texts));
}

static struct kd_verdict_key right_key(const struct kd_review *review)
{
    const struct kd_str texts[] = { kd_str_from(review->user), kd_str_from(review->verb),
                                    kd_str_from(review->path) };
    return kd_verdict_key(texts, KD_ARRAY_LEN(texts));
}

/* Goes as far as what is known leads; then asks. */
static void go_on(struct kd_review *review)
{
    struct kd_reviewer *reviewer = review->reviewer;
    int64_t now_ns = kd_now_ns(&kd_system_clock);
    if (!review->user) {
        struct kd_verdict_key key = user_key(review);
        const char *user = kd_verdicts_get(&reviewer->users, &key, now_ns);
        review->user = user ? kd_strdup(user) : NULL;
    }
    if (review->user && !review->user[0]) {
        finish(review, KD_RULING_UNKNOWN, "the cluster does not know this token");
        return;
    }
    struct kd_verdict_key key = review->user ? right_key(review) : (struct kd_verdict_key){ { 0 } };
    const char *right = review->user ? kd_verdicts_get(&reviewer->rights, &key, now_ns) : NULL;
    if (!right) {
        start(review);
    } else if (strcmp(right, ALLOWED) == 0) {
        finish(review, KD_RULING_ALLOWED, "");
    } else {
        finish(review, KD_RULING_DENIED, right);
    }
}

/* -- what is asked; appends are looked at when the body is whole */

static void put_token_review(const struct kd_review *review, struct kd_buf *out)
{
    (void)kd_buf_puts(out, "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\","
                           "\"spec\":{\"token\":");
    (void)kd_buf_put_json(out, kd_str_from(review->token));
    (void)kd_buf_puts(out, "}}");
}

/* A member of the user under the name that it has in the other review; raw, as it came. */
static void put_member(struct kd_value user, const char *from, const char *to, struct kd_buf *out)
{
    struct kd_value value;
    if (kd_json_get(user, kd_str_from(from), &value)) {
        (void)kd_buf_printf(out, "\"%s\":", to);
        (void)kd_buf_put(out, value.ptr, value.len);
        (void)kd_buf_putc(out, ',');
    }
}

static void put_access_review(const struct kd_review *review, struct kd_buf *out)
{
    struct kd_value user = { 0 };
    (void)kd_buf_puts(out, "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":"
                           "\"SubjectAccessReview\",\"spec\":{");
    if (kd_json_parse(kd_str_from(review->user), &user, NULL) == 0) { /* it was well formed */
        put_member(user, "username", "user", out);
        put_member(user, "uid", "uid", out);
        put_member(user, "groups", "groups", out);
        put_member(user, "extra", "extra", out);
    }
    (void)kd_buf_puts(out, "\"nonResourceAttributes\":{\"path\":");
    (void)kd_buf_put_json(out, kd_str_from(review->path));
    (void)kd_buf_puts(out, ",\"verb\":");
    (void)kd_buf_put_json(out, kd_str_from(review->verb));
    (void)kd_buf_puts(out, "}}}");
}

/* -- what is answered */

static int take_user(struct kd_review *review, struct kd_value root)
{
    struct kd_value value = { 0 };
    struct kd_value user = { 0 };
    bool known = kd_json_at(root, "/status/authenticated", &value) && kd_json_true(value);
    KD_ENSURE(!known || kd_json_at(root, "/status/user", &user), KD_EPARSE);
    struct kd_str text = known ? (struct kd_str){ user.ptr, user.len } : KD_STR("");
    struct kd_verdict_key key = user_key(review);
    kd_verdicts_put(&review->reviewer->users, &key, text,
                    kd_now_ns(&kd_system_clock) + USER_NS);
    review->user = kd_str_dup(text);
    return 0;
}

static int take_right(struct kd_review *review, struct kd_value root)
{
    KD_AUTO_ARENA struct kd_arena arena;
    KD_AUTO_FREE char *why = NULL;
    struct kd_value value = { 0 };
    struct kd_value user = { 0 };
    kd_arena_init(&arena, SCRATCH);
    KD_ENSURE(kd_json_at(root, "/status/allowed", &value), KD_EPARSE);
    bool allowed = kd_json_true(value);
    KD_TRY(kd_json_parse(kd_str_from(review->user), &user, NULL));
    struct kd_str name = kd_json_get_str(user, KD_STR("username"), &arena);
    why = allowed ? kd_strdup(ALLOWED)
                  : kd_asprintf("\"" KD_STR_FMT "\" may not %s %s: a ClusterRole with "
                                "nonResourceURLs grants it",
                                KD_STR_ARG(name), review->verb, review->path);
    struct kd_verdict_key key = right_key(review);
    kd_verdicts_put(&review->reviewer->rights, &key, kd_str_from(why),
                    kd_now_ns(&kd_system_clock) + (allowed ? ALLOWED_NS : DENIED_NS));
    return 0;
}

static int take_answer(struct kd_review *review)
{
    struct kd_value root;
    KD_TRY(kd_json_parse(kd_buf_str(&review->body), &root, NULL));
    return review->user ? take_right(review, root) : take_user(review, root);
}

static bool may_help_later(const struct kd_response *response)
{
    return response->http_code == 0 || response->http_code == 429 || response->http_code >= 500;
}

static int on_data(void *arg, const char *ptr, size_t len)
{
    struct kd_review *review = arg;
    return kd_buf_put(&review->body, ptr, len);
}

static void on_done(void *arg, const struct kd_response *response)
{
    struct kd_review *review = arg;
    review->call = NULL;
    if (response->error == 0 && take_answer(review) == 0) {
        review->tries = 0;
        go_on(review);
    } else if (may_help_later(response) && ++review->tries < MAX_TRIES) {
        kd_timer_start(&review->pause, review->pause_ns);
        review->pause_ns += review->pause_ns / 2;
    } else {
        KD_WARN("the cluster cannot be asked about a caller",
                KD_F("path", review->path),
                KD_F("error", response->error ? response->text : "an answer without a status"));
        finish(review, KD_RULING_NONE, "the cluster could not be asked who you are");
    }
}

static void start(struct kd_review *review)
{
    static const struct kd_response_sink sink = { .data = on_data, .done = on_done };
    const char *path = review->user ? ACCESS_PATH : TOKEN_PATH;
    struct kd_buf body;
    kd_buf_init(&body, SCRATCH);
    kd_buf_clear(&review->body, 0);
    if (review->user) {
        put_access_review(review, &body);
    } else {
        put_token_review(review, &body);
    }
    const struct kd_request request = { .method = "POST",
                                        .path = path,
                                        .body = kd_buf_str(&body),
                                        .timeout_ns = ASK_NS,
                                        .verb = "create",
                                        .url_template = path,
                                        .sink = &sink,
                                        .arg = review };
    if (kd_buf_failed(&body)) {
        finish(review, KD_RULING_UNKNOWN, "the token is too long");
    } else {
        review->call = kd_client_start(review->reviewer->client, &request);
    }
    kd_free_secret(kd_steal(body.ptr), body.cap);
}

static void start_again(void *arg)
{
    start(arg);
}

static void begin(void *arg)
{
    struct kd_review *review = arg;
    struct kd_reviewer *reviewer = review->reviewer;
    if (reviewer->closed) {
        review_free(review);
        return;
    }
    kd_timer_init(&review->pause, reviewer->loop, start_again, review);
    review->next = reviewer->first;
    if (reviewer->first) {
        reviewer->first->prev = review;
    }
    reviewer->first = review;
    go_on(review);
}

void kd_reviewer_judge(struct kd_reviewer *reviewer, const struct kd_caller *caller,
                       kd_ruling_fn *done, void *done_arg)
{
    struct kd_review *review = kd_zalloc(sizeof(*review));
    review->reviewer = reviewer;
    review->token = kd_str_dup(caller->token);
    review->verb = kd_strdup(caller->verb);
    review->path = kd_str_dup(caller->path);
    review->done = done;
    review->done_arg = done_arg;
    review->pause_ns = FIRST_PAUSE_NS;
    kd_buf_init(&review->body, SCRATCH);
    kd_loop_post(reviewer->loop, begin, review);
}
