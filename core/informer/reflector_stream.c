/* What a reflector makes of the bytes it receives: items of a list, lines of a watch. */
#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/packed.h"
#include "informer/reflector.h"

#include <inttypes.h>

#define END_MARK "k8s.io/initial-events-end"

/* The stream has said how it ends; the call is aborted with this code. */
static int decide(struct kd_reflector *self, enum kd_news news)
{
    self->verdict_known = true;
    self->verdict = news;
    return KD_ECANCELED;
}

static int malformed(struct kd_reflector *self, const char *text)
{
    kd_reflector_complain(self, KD_INFORMER_FAILING, "malformed", 200, text);
    return decide(self, KD_NEWS_FAILED);
}

static void set_version(struct kd_reflector *self, struct kd_str version)
{
    if (version.len && version.len < KD_VERSION_MAX) {
        memcpy(self->version, version.ptr, version.len);
        self->version[version.len] = '\0';
    }
}

/* An object that cannot be taken. What is known of it stays; without a name nobody can say which it
 * is, and the list shows no longer what is gone. */
static void pass_over(struct kd_reflector *self, struct kd_str head, uint64_t size, const char *why)
{
    struct kd_informer *informer = self->informer;
    struct kd_key key;
    bool line = self->phase != KD_PHASE_LISTING;
    kd_arena_reset(&informer->scratch.arena, 0);
    bool named = kd_head_key(head, line ? 3 : 2, &informer->scratch.arena, &key);
    kd_intake_skipped(informer, named ? &key : NULL, size, why);
    if (named) {
        kd_table_mark(&informer->table, key);
    } else {
        self->blind = true;
    }
}

static void on_skipped(void *arg, struct kd_str head, uint64_t size)
{
    struct kd_reflector *self = arg;
    pass_over(self, head, size, "over max_object_bytes");
    if (self->phase == KD_PHASE_WATCHING) {
        kd_reflector_progress(self);
    }
}

static int take(struct kd_reflector *self, struct kd_value object, struct kd_str text,
                enum kd_arrival arrival, struct kd_str *ret_version)
{
    int rc = kd_intake(self->informer, object, arrival, self->version, ret_version);
    if (rc == KD_EEXIST) {
        return decide(self,
                      kd_reflector_expired(self)); /* of a list that goes back in time (B20) */
    }
    if (rc == KD_ENOMEM) {
        kd_reflector_complain(self, KD_INFORMER_FAILING, "memory", 200, "out of memory");
        return decide(self, KD_NEWS_FAILED);
    }
    if (rc < 0) {
        pass_over(self, text, text.len, rc == KD_ETOOBIG ? "too large" : "no usable name");
    }
    return 0;
}

static enum kd_arrival list_arrival(const struct kd_reflector *self)
{
    return self->ask_truth ? KD_ARRIVAL_TRUE : KD_ARRIVAL_LISTED;
}

static int on_item(struct kd_reflector *self, struct kd_str text)
{
    struct kd_value item;
    struct kd_str version;
    struct kd_error error = { 0 };
    if (kd_json_parse(text, &item, &error) < 0) {
        pass_over(self, text, text.len, error.text);
        return 0;
    }
    return take(self, item, text, list_arrival(self), &version);
}

static int on_status(struct kd_reflector *self, struct kd_value object)
{
    struct kd_status status;
    kd_status_read((struct kd_str){ object.ptr, object.len }, 500, &status);
    return decide(self, kd_reflector_news_of(self, &status));
}

static bool is_end_mark(struct kd_value object)
{
    struct kd_value annotations;
    struct kd_value mark;
    return kd_json_at(object, "/metadata/annotations", &annotations) &&
           kd_json_get(annotations, KD_STR(END_MARK), &mark) &&
           kd_json_string_is(mark, KD_STR("true"));
}

/* A list that is older than what was asked for is not taken (B20). */
static int check_is_newer(const struct kd_reflector *self, struct kd_str version,
                          struct kd_error *reterr)
{
    uint64_t had = 0;
    uint64_t got = 0;
    if (!self->ask_truth && kd_version_pack(kd_str_from(self->version), &had) &&
        kd_version_pack(version, &got) && got < had) {
        return kd_fail(reterr, KD_EPARSE, "the list is of version %" PRIu64 ", older than %s", got,
                       self->version);
    }
    return 0;
}

/* Of a bookmark only the version counts (B10). While a list streams in, only the one that ends it
 * does (B11). */
static int on_bookmark(struct kd_reflector *self, struct kd_value object)
{
    struct kd_error error = { 0 };
    struct kd_value version;
    struct kd_str text = { NULL, 0 };
    bool streaming = self->phase == KD_PHASE_STREAMING;
    if (streaming && !is_end_mark(object)) {
        return 0;
    }
    kd_arena_reset(&self->informer->scratch.arena, 0);
    if (kd_json_at(object, "/metadata/resourceVersion", &version) &&
        kd_json_string(version, &self->informer->scratch.arena, &text) == 0) {
        if (streaming && check_is_newer(self, text, &error) < 0) {
            return decide(self, kd_reflector_expired(self));
        }
        set_version(self, text);
    }
    self->unversioned = false;
    if (streaming) {
        kd_reflector_tell(self, KD_NEWS_COMPLETE);
    } else {
        kd_reflector_progress(self);
    }
    return 0;
}

static int on_change(struct kd_reflector *self, struct kd_value object, struct kd_str line,
                     bool added, bool deleted)
{
    struct kd_str version = { NULL, 0 };
    bool streaming = self->phase == KD_PHASE_STREAMING;
    enum kd_arrival arrival = deleted     ? KD_ARRIVAL_DELETED
                              : streaming ? list_arrival(self)
                                          : KD_ARRIVAL_CHANGED;
    KD_TRY(take(self, object, line, arrival, &version));
    if (streaming) {
        if (added) {
            self->grown_ns = kd_now_ns(self->informer->env.clock);
        }
        return 0; /* initial objects come in no order: their versions say nothing (B06) */
    }
    self->unversioned = self->unversioned && added;
    if (!self->unversioned) {
        set_version(self, version);
    }
    kd_reflector_progress(self);
    return 0;
}

static int on_event(struct kd_reflector *self, struct kd_value type, struct kd_value object,
                    struct kd_str line)
{
    bool added = kd_json_string_is(type, KD_STR("ADDED"));
    bool deleted = kd_json_string_is(type, KD_STR("DELETED"));
    if (added || deleted || kd_json_string_is(type, KD_STR("MODIFIED"))) {
        return on_change(self, object, line, added, deleted);
    }
    if (kd_json_string_is(type, KD_STR("BOOKMARK"))) {
        return on_bookmark(self, object);
    }
    if (kd_json_string_is(type, KD_STR("ERROR"))) {
        return on_status(self, object);
    }
    kd_intake_skipped(self->informer, NULL, line.len, "unknown type of event");
    return 0;
}

static int on_line(struct kd_reflector *self, struct kd_str text)
{
    struct kd_value line;
    struct kd_value key;
    struct kd_value value;
    struct kd_value type = { 0 };
    struct kd_value object = { 0 };
    struct kd_iter iter;
    struct kd_error error = { 0 };
    if (kd_json_parse(text, &line, &error) < 0) {
        return malformed(self, error.text);
    }
    kd_json_iter_init(&iter, line);
    while (kd_json_iter_next(&iter, &key, &value)) {
        if (kd_json_string_is(key, KD_STR("type"))) {
            type = value;
        } else if (kd_json_string_is(key, KD_STR("object"))) {
            object = value;
        }
    }
    if (type.type == KD_JSON_STRING) {
        return on_event(self, type, object, text);
    }
    if (kd_json_get(line, KD_STR("kind"), &value) && kd_json_string_is(value, KD_STR("Status"))) {
        return on_status(self, line); /* a bare one (B17) */
    }
    return malformed(self, "a line of the watch is no event");
}

/* Servers send a list's metadata before its items, so that none of an older list gets in. */
static int check_list_head(struct kd_reflector *self)
{
    KD_AUTO_BUF struct kd_buf text;
    struct kd_value root;
    struct kd_value version;
    struct kd_str number;
    struct kd_error error = { 0 };
    struct kd_arena *arena = &self->informer->scratch.arena;
    kd_buf_init(&text, KD_MAX_ENVELOPE + 2);
    KD_TRY(kd_buf_put_str(&text, kd_splitter_envelope(self->splitter)));
    KD_TRY(kd_buf_putc(&text, '}'));
    kd_arena_reset(arena, 0);
    if (kd_json_parse(kd_buf_str(&text), &root, NULL) == 0 &&
        kd_json_at(root, "/metadata/resourceVersion", &version) &&
        kd_json_string(version, arena, &number) == 0 && check_is_newer(self, number, &error) < 0) {
        return malformed(self, error.text);
    }
    return 0;
}

static int on_object(void *arg, struct kd_str text)
{
    struct kd_reflector *self = arg;
    bool first = !self->fruit;
    self->fruit = true;
    if (self->phase != KD_PHASE_LISTING) {
        return on_line(self, text);
    }
    if (first) {
        KD_TRY(check_list_head(self));
    }
    return on_item(self, text);
}

struct kd_splitter *kd_reflector_splitter(struct kd_reflector *self)
{
    struct kd_split_sink sink = { self, on_object, on_skipped };
    int64_t max = self->informer->spec.max_object_bytes;
    bool list = self->phase == KD_PHASE_LISTING;
    return kd_splitter_new(list ? KD_SPLIT_LIST : KD_SPLIT_LINES, &sink,
                           max > 0 ? (uint64_t)max : UINT32_MAX);
}

int kd_reflector_data(struct kd_reflector *self, const char *ptr, size_t len)
{
    struct kd_error error = { 0 };
    int rc = kd_splitter_feed(self->splitter, ptr, len, &error);
    if (rc < 0 && !self->verdict_known) {
        rc = malformed(self, error.text);
    }
    kd_training_consider(self->informer);
    kd_status_publish(self->informer);
    return rc;
}

static int list_version(struct kd_reflector *self, struct kd_str version, struct kd_error *reterr)
{
    KD_TRY(check_is_newer(self, version, reterr));
    self->version[0] = '\0';
    set_version(self, version);
    return 0;
}

/* "{}" from something that is no API server would empty the kind. */
static int check_is_list(struct kd_value root, struct kd_error *reterr)
{
    static const struct kd_str list = KD_STR_INIT("List\"");
    struct kd_value kind;
    struct kd_value items;
    bool named = kd_json_get(root, KD_STR("kind"), &kind) && kind.type == KD_JSON_STRING &&
                 kind.len > list.len &&
                 memcmp(kind.ptr + kind.len - list.len, list.ptr, list.len) == 0;
    if (named || kd_json_get(root, KD_STR("items"), &items)) {
        return 0;
    }
    return kd_fail(reterr, KD_EPARSE, "the answer is no list: it has neither kind nor items");
}

/* To the page after this one, unless the pages lead nowhere. */
static int turn_page(struct kd_reflector *self, struct kd_str token, struct kd_error *reterr)
{
    bool same = self->next_page && kd_str_is(token, self->next_page);
    self->barren = self->fruit && !same ? 0 : self->barren + 1;
    if (self->barren > KD_MAX_BARREN_PAGES) {
        return kd_fail(reterr, KD_ETOOBIG,
                       "more than %u pages follow one another without an item or under one token",
                       KD_MAX_BARREN_PAGES);
    }
    kd_free(self->next_page);
    self->next_page = kd_str_dup(token);
    return 0;
}

int kd_reflector_page(struct kd_reflector *self, struct kd_error *reterr)
{
    struct kd_value root;
    struct kd_value value;
    struct kd_arena *arena = &self->informer->scratch.arena;
    KD_TRY(kd_json_parse(kd_splitter_envelope(self->splitter), &root, reterr));
    if (kd_json_get(root, KD_STR("kind"), &value) && kd_json_string_is(value, KD_STR("Status"))) {
        return on_status(self, root);
    }
    KD_TRY(check_is_list(root, reterr));
    kd_arena_reset(arena, 0);
    if (!kd_json_get(root, KD_STR("metadata"), &value)) {
        self->next_page = kd_free(self->next_page);
        return list_version(self, (struct kd_str){ NULL, 0 }, reterr);
    }
    struct kd_str token = kd_json_get_str(value, KD_STR("continue"), arena);
    if (token.len) {
        return turn_page(self, token, reterr);
    }
    self->next_page = kd_free(self->next_page);
    return list_version(self, kd_json_get_str(value, KD_STR("resourceVersion"), arena), reterr);
}
