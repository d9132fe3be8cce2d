#include "ctl/resources.h"

#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"
#include "json/splitter.h"

#define PAGE_ITEMS 1000
#define ITEM_MAX (256 * KD_MIB)
#define TARGET_MAX (128 * KD_KIB)

struct page {
    struct kd_splitter *splitter;
    kd_ctl_item_fn fn;
    void *arg;
    uint64_t *ret_seq;     /* NULL once it is known */
    struct kd_error error; /* of fn, or of an item that is no JSON */
};

static int on_item(void *arg, struct kd_str text)
{
    struct page *page = arg;
    struct kd_value item = { 0 };
    KD_TRY(kd_json_parse(text, &item, &page->error));
    return page->fn(page->arg, item, &page->error);
}

static void on_skipped(void *arg, struct kd_str head, uint64_t size)
{
    struct page *page = arg;
    (void)head;
    (void)kd_fail(&page->error, KD_ETOOBIG, "an item of %llu bytes is over the limit",
                  (unsigned long long)size); /* ends the walk after this piece */
}

static int on_bytes(void *arg, const char *ptr, size_t len, struct kd_error *reterr)
{
    struct page *page = arg;
    int rc = kd_splitter_feed(page->splitter, ptr, len, reterr);
    if (page->error.code < 0) {
        return kd_fail(reterr, page->error.code, "%s", page->error.text);
    }
    return rc;
}

static void write_target(struct kd_buf *target, const struct kd_ctl_query *query, const char *token)
{
    kd_buf_clear(target, TARGET_MAX);
    (void)kd_buf_printf(target, "/api/v1/%s?limit=%d", /* it has room */
                        query->orphans ? "orphans" : "resources", PAGE_ITEMS);
    kd_ctl_query_add(target, "kind", query->kind);
    kd_ctl_query_add(target, "namespace", query->ns);
    kd_ctl_query_add(target, "name", query->name);
    kd_ctl_query_add(target, "labelSelector", query->labels);
    kd_ctl_query_add(target, "fieldSelector", query->fields);
    kd_ctl_query_add(target, "continue", token);
}

/* The seq of the first page: the feed behind it has all that the walk may miss. */
static int read_seq(struct kd_value envelope, uint64_t *ret, struct kd_error *reterr)
{
    struct kd_value seq = { 0 };
    int64_t number = 0;
    if (!kd_json_get(envelope, KD_STR("seq"), &seq) || kd_json_int(seq, &number) < 0) {
        return kd_fail(reterr, KD_EPARSE, "the server did not say where its feed stands");
    }
    *ret = (uint64_t)number;
    return 0;
}

/* Leaves in `token` what continues the list, "" at its end. */
static int read_page(struct kd_ctl_session *session, const char *target, struct page *page,
                     struct kd_buf *token, struct kd_error *reterr)
{
    const struct kd_ctl_sink sink = { page, on_bytes };
    struct kd_value envelope = { 0 };
    struct kd_value more = { 0 };
    KD_TRY(kd_ctl_http_get(session->http, target, false, &sink, reterr));
    KD_TRY(kd_splitter_finish(page->splitter, reterr));
    KD_TRY(kd_json_parse(kd_splitter_envelope(page->splitter), &envelope, reterr));
    if (page->ret_seq) {
        KD_TRY(read_seq(envelope, kd_steal(page->ret_seq), reterr));
    }
    kd_buf_clear(token, TARGET_MAX);
    (void)kd_buf_puts(token, ""); /* not NULL, whatever follows */
    if (kd_json_get(envelope, KD_STR("continue"), &more) && more.type == KD_JSON_STRING) {
        int rc = kd_json_string_put(more, token);
        return rc < 0 ? kd_fail(reterr, rc, "the list's continue token is too long") : 0;
    }
    return 0;
}

int kd_ctl_resources(struct kd_ctl_session *session, const struct kd_ctl_query *query,
                     kd_ctl_item_fn fn, void *arg, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf target;
    KD_AUTO_BUF struct kd_buf token;
    struct page page = { .fn = fn, .arg = arg, .ret_seq = query->ret_seq };
    const struct kd_split_sink sink = { &page, on_item, on_skipped };
    int rc = 0;
    kd_buf_init(&target, TARGET_MAX);
    kd_buf_init(&token, TARGET_MAX);
    do {
        write_target(&target, query, token.len > 0 ? token.ptr : NULL);
        if (kd_buf_failed(&target)) {
            return kd_fail(reterr, KD_ETOOBIG, "the question is too long");
        }
        page.splitter = kd_splitter_new(KD_SPLIT_LIST, &sink, ITEM_MAX);
        rc = read_page(session, target.ptr, &page, &token, reterr);
        kd_splitter_free(page.splitter);
    } while (rc == 0 && token.len > 0);
    return rc;
}

struct kd_ref kd_ctl_ref_of(struct kd_value item, const char *member, struct kd_arena *arena)
{
    struct kd_value value = { 0 };
    struct kd_ref ref = { 0 };
    if (kd_json_get(item, kd_str_from(member), &value)) {
        ref.group = kd_json_get_str(value, KD_STR("group"), arena);
        ref.version = kd_json_get_str(value, KD_STR("version"), arena);
        ref.kind = kd_json_get_str(value, KD_STR("kind"), arena);
        ref.ns = kd_json_get_str(value, KD_STR("namespace"), arena);
        ref.name = kd_json_get_str(value, KD_STR("name"), arena);
        ref.uid = kd_json_get_str(value, KD_STR("uid"), arena);
    }
    return ref;
}
