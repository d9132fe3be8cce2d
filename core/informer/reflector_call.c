/* A reflector's requests: what they ask for, and what their end means. */
#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/reflector.h"

#include <inttypes.h>
#include <stdio.h>

#define ROOM_NS (30 * KD_SEC_NS) /* what a watch may take beyond its own time */
#define SHORT_NS KD_SEC_NS       /* a watch without event that ends sooner has failed (B13) */
#define SHORTS_MAX 5u            /* so many of them in a row call for a list */
#define HASTY_MAX 5u             /* watches with events may end so fast so often in a row */
#define PATH_MAX_BYTES (16 * KD_KIB)

#define AS_LIST "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
#define AS_OBJECT "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

static void put_path(struct kd_buf *buf, const struct kd_informer_spec *spec, const char *ns)
{
    (void)kd_buf_puts(buf, spec->group[0] ? "/apis/" : "/api/");
    if (spec->group[0]) {
        (void)kd_buf_put_url(buf, kd_str_from(spec->group));
        (void)kd_buf_putc(buf, '/');
    }
    (void)kd_buf_put_url(buf, kd_str_from(spec->version));
    if (ns) {
        (void)kd_buf_puts(buf, "/namespaces/");
        (void)kd_buf_puts(buf, ns);
    }
    (void)kd_buf_putc(buf, '/');
    (void)kd_buf_put_url(buf, kd_str_from(spec->resource));
}

int kd_informer_object_path(const struct kd_informer *informer, struct kd_key key,
                            struct kd_buf *out)
{
    KD_AUTO_BUF struct kd_buf ns;
    kd_buf_init(&ns, PATH_MAX_BYTES);
    KD_TRY(kd_buf_put_url(&ns, key.ns));
    put_path(out, &informer->spec, key.ns.len ? ns.ptr : NULL);
    (void)kd_buf_putc(out, '/'); /* as above: remembered by the buffer */
    (void)kd_buf_put_url(out, key.name);
    return kd_buf_failed(out) ? KD_ETOOBIG : 0;
}

const char *kd_informer_accept(const struct kd_informer *informer)
{
    return informer->shape.metadata_only ? AS_OBJECT : NULL;
}

static void put_query(struct kd_buf *buf, const char *key, const char *value)
{
    bool first = memchr(buf->ptr, '?', buf->len) == NULL;
    if (value[0]) {
        (void)kd_buf_printf(buf, "%c%s=", first ? '?' : '&', key);
        (void)kd_buf_put_url(buf, kd_str_from(value));
    }
}

static const char *list_version(const struct kd_reflector *self)
{
    return self->ask_truth ? "" : self->version[0] ? self->version : "0";
}

static void put_list_query(const struct kd_reflector *self, struct kd_buf *buf)
{
    const struct kd_informer_spec *spec = &self->informer->spec;
    const char *version = list_version(self);
    bool unset = version[0] == '\0' || strcmp(version, "0") == 0;
    /* A server answers a version from its cache in one piece; pages would send it to etcd. */
    if (spec->list_page > 0 && !self->ask_whole && (unset || self->pages_seen || self->next_page)) {
        char number[24];
        (void)snprintf(number, sizeof(number), "%" PRId64, spec->list_page);
        put_query(buf, "limit", number);
    }
    if (self->next_page) {
        put_query(buf, "continue", self->next_page);
        return;
    }
    put_query(buf, "resourceVersion", version);
    if (!unset) {
        put_query(buf, "resourceVersionMatch", "NotOlderThan");
    }
}

/* Between watch_timeout and twice that, at random. */
static int64_t watch_seconds(struct kd_reflector *self)
{
    int64_t least = self->informer->spec.watch_timeout_ns / KD_SEC_NS;
    least = least > 0 ? least : 1;
    return least + (int64_t)kd_rand_below(&self->informer->rand, (uint64_t)least + 1);
}

static void put_watch_query(struct kd_reflector *self, struct kd_buf *buf, int64_t seconds)
{
    bool streaming = self->phase == KD_PHASE_STREAMING;
    const char *version = streaming && self->ask_truth ? "" : self->version;
    put_query(buf, "watch", "true");
    put_query(buf, "allowWatchBookmarks", "true");
    put_query(buf, "resourceVersion", version);
    if (streaming) {
        put_query(buf, "sendInitialEvents", "true");
        put_query(buf, "resourceVersionMatch", "NotOlderThan");
    }
    (void)kd_buf_printf(buf, "&timeoutSeconds=%" PRId64, seconds);
    self->unversioned = !streaming && version[0] == '\0';
}

static void on_started(void *arg, int http_code)
{
    struct kd_reflector *self = arg;
    (void)http_code;
    self->started = true;
    if (self->phase == KD_PHASE_WATCHING && self->reason[0] && !self->in_stream) {
        kd_reflector_healed(self);
        kd_status_publish(self->informer);
    }
}

static int on_data(void *arg, const char *ptr, size_t len)
{
    return kd_reflector_data(arg, ptr, len);
}

static enum kd_news failed(struct kd_reflector *self, const char *reason, int code,
                           const char *text)
{
    kd_reflector_complain(self, KD_INFORMER_FAILING, reason, code, text);
    return KD_NEWS_FAILED;
}

static enum kd_news end_of_page(struct kd_reflector *self)
{
    struct kd_error error = { 0 };
    int rc = kd_splitter_finish(self->splitter, &error);
    if (rc == 0) {
        rc = kd_reflector_page(self, &error);
    }
    if (self->verdict_known) {
        return self->verdict;
    }
    if (rc < 0) {
        return failed(self, "malformed", 200, error.text);
    }
    return self->next_page ? KD_NEWS_MORE : KD_NEWS_COMPLETE;
}

static bool was_short(const struct kd_reflector *self)
{
    return kd_now_ns(self->informer->env.clock) - self->began_ns < SHORT_NS;
}

bool kd_reflector_hurries(struct kd_reflector *self)
{
    self->hasty = was_short(self) ? self->hasty + 1 : 0;
    if (self->hasty == HASTY_MAX + 1) {
        KD_WARN("watches end within a second, pausing before each",
                KD_F("kind", self->informer->spec.kind));
    }
    return self->hasty > HASTY_MAX;
}

/* A watch that ended, well or by a cut. */
static enum kd_news end_of_watch(struct kd_reflector *self, const char *text)
{
    bool hurries = kd_reflector_hurries(self);
    if (self->phase == KD_PHASE_STREAMING) {
        kd_reflector_complain(self, KD_INFORMER_FAILING, "streamEnded", 200,
                              "the stream ended before its list was complete");
        return KD_NEWS_CLOSED;
    }
    if (self->progress || !was_short(self)) {
        return hurries ? KD_NEWS_SHORT : KD_NEWS_CLOSED;
    }
    kd_reflector_complain(self, KD_INFORMER_FAILING, "shortWatch", 200, text);
    if (++self->shorts < SHORTS_MAX) {
        return KD_NEWS_SHORT;
    }
    self->shorts = 0;
    return KD_NEWS_WORN;
}

static enum kd_news end_of_stream(struct kd_reflector *self)
{
    struct kd_error error = { 0 };
    if (kd_splitter_finish(self->splitter, &error) < 0) {
        /* A line that was cut off will come again: the version has not moved over it. */
        KD_DEBUG("watch cut off", KD_F("kind", self->informer->spec.kind),
                 KD_F("error", error.text));
    }
    return self->verdict_known ? self->verdict
                               : end_of_watch(self, "the watch ended at once, without an event");
}

static const char *net_reason(int error)
{
    return error == KD_ETIMEOUT ? "timeout" : error == KD_ETOOBIG ? "tooBig" : "network";
}

static enum kd_news news_of_end(struct kd_reflector *self, const struct kd_response *response)
{
    if (self->verdict_known) {
        return self->verdict;
    }
    if (response->error == 0) {
        return self->phase == KD_PHASE_LISTING ? end_of_page(self) : end_of_stream(self);
    }
    if (response->error == KD_EHTTP) {
        struct kd_status status = response->status;
        (void)snprintf(self->last_error, sizeof(self->last_error), "%s", response->text);
        return kd_reflector_news_of(self, &status);
    }
    if (self->started && self->phase != KD_PHASE_LISTING) {
        return end_of_watch(self, response->text);
    }
    return failed(self, net_reason(response->error), response->http_code, response->text);
}

static void on_done(void *arg, const struct kd_response *response)
{
    struct kd_reflector *self = arg;
    self->call = NULL;
    enum kd_news news = news_of_end(self, response);
    kd_reflector_hang_up(self);
    kd_reflector_tell(self, news);
    kd_status_publish(self->informer);
}

void kd_reflector_hang_up(struct kd_reflector *self)
{
    const struct kd_informer_env *env = &self->informer->env;
    if (self->call) {
        env->call_cancel(env->arg, self->call);
        self->call = NULL;
    }
    kd_splitter_free(self->splitter);
    self->splitter = NULL;
    env->timer_stop(env->arg, self->timer);
}

void kd_reflector_abandon(struct kd_reflector *self)
{
    const struct kd_informer_env *env = &self->informer->env;
    if (self->call && env->call_abandon) {
        env->call_abandon(env->arg, self->call);
        self->call = NULL;
    }
    kd_reflector_hang_up(self);
}

static void begin(struct kd_reflector *self)
{
    self->started = false;
    self->progress = false;
    self->verdict_known = false;
    self->wait_ns = 0;
    self->began_ns = kd_now_ns(self->informer->env.clock);
    self->fruit = false;
    if (self->phase != KD_PHASE_WATCHING && !self->next_page) {
        self->barren = 0;
        self->blind = false; /* a list begins: what an earlier one saw counts no more */
        kd_table_unmark(&self->informer->table, kd_reflector_scope(self));
        kd_counter_add(self->informer->metrics.lists, 1);
    }
    if (self->phase != KD_PHASE_LISTING) {
        kd_counter_add(self->informer->metrics.watches, 1);
    }
    self->splitter = kd_reflector_splitter(self);
    self->verb = self->phase == KD_PHASE_LISTING ? "list" : "watch";
}

static void send(struct kd_reflector *self, const char *path, uint32_t flags)
{
    static const struct kd_response_sink sink = { on_started, on_data, on_done };
    const struct kd_informer *informer = self->informer;
    bool listing = self->phase == KD_PHASE_LISTING;
    bool metadata = informer->shape.metadata_only;
    KD_AUTO_BUF struct kd_buf url;
    kd_buf_init(&url, PATH_MAX_BYTES);
    put_path(&url, &informer->spec, self->ns ? "{namespace}" : NULL);
    struct kd_request request = {
        .method = "GET",
        .path = path,
        .accept = !metadata ? NULL
                  : listing ? AS_LIST
                            : AS_OBJECT,
        .flags = flags,
        .verb = self->verb,
        .url_template = url.ptr,
        .sink = &sink,
        .arg = self,
    };
    self->call = informer->env.call_start(informer->env.arg, &request);
}

void kd_reflector_ask(struct kd_reflector *self)
{
    const struct kd_informer_spec *spec = &self->informer->spec;
    bool listing = self->phase == KD_PHASE_LISTING;
    int64_t seconds = watch_seconds(self);
    KD_AUTO_BUF struct kd_buf path;
    KD_AUTO_BUF struct kd_buf ns;
    kd_buf_init(&path, KD_MIB);
    kd_buf_init(&ns, PATH_MAX_BYTES);
    (void)kd_buf_put_url(&ns, kd_str_from(self->ns));
    put_path(&path, spec, self->ns ? ns.ptr : NULL);
    put_query(&path, "labelSelector", spec->label_selector);
    put_query(&path, "fieldSelector", spec->field_selector);
    begin(self);
    if (listing) {
        put_list_query(self, &path);
    } else {
        put_watch_query(self, &path, seconds);
        int64_t limit_ns = seconds * KD_SEC_NS + ROOM_NS;
        self->grown_ns = self->began_ns;
        self->end_ns = kd_time_add_ns(self->began_ns, limit_ns);
        kd_reflector_limit(self,
                           self->phase == KD_PHASE_STREAMING ? spec->stream_deadline_ns : limit_ns);
    }
    send(self, path.ptr, listing ? KD_REQUEST_LIST : KD_REQUEST_WATCH);
}
