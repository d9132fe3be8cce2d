/*
 * A seeded run: a small model of a server with objects, a log of events and a compacted past
 * answers with list pages, events, cuts, expiries and errors, through the env without sockets.
 * In the end the table must equal the server's objects, and so must what the subscriber was told.
 * KD_SEEDS=N runs N seeds, KD_SEED=S one; a failing seed prints itself.
 */
#include "unit/informer/fake.h"

#include <inttypes.h>
#include <stdlib.h>

#define KEYS 24
#define STEPS 2500
#define LOG_MAX 4096

struct change {
    unsigned key;
    uint64_t version;
    uint64_t value; /* 0: deleted */
    uint64_t uid;
};

struct object {
    uint64_t value;
    uint64_t uid;
    uint64_t version;
};

struct server {
    struct object objects[KEYS];
    struct change log[LOG_MAX];
    size_t n_log;
    uint64_t version;
    uint64_t compacted;       /* events up to here are gone */
    struct object page[KEYS]; /* what a list under way is cut from */
    uint64_t page_version;
    unsigned page_at;
    size_t sent;            /* of the log, to the watch at hand */
    bool streamed;          /* its initial events */
    struct fake_call *call; /* that the state above belongs to */
    size_t n_requests;
    struct object told[KEYS]; /* what the subscriber believes */
    size_t wrong;
    struct kd_rand rand;
};

static struct server server;

static unsigned key_number(struct kd_key key)
{
    return (unsigned)(key.name.ptr[0] - 'a');
}

static void on_event(void *arg, const struct kd_informer_event *event)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_str text;
    struct kd_value root;
    struct kd_value value;
    int64_t number = 0;
    (void)arg;
    kd_arena_init(&arena, KD_MIB);
    struct object *told = &server.told[key_number(kd_record_key(event->record))];
    bool had = told->value != 0;
    server.wrong += (event->type == KD_EVENT_ADDED) == had;
    if (event->type == KD_EVENT_DELETED) {
        told->value = 0;
        return;
    }
    assert_int_equal(kd_record_decode(event->record, &arena, &text), 0);
    assert_int_equal(kd_json_parse(text, &root, NULL), 0);
    assert_true(kd_json_at(root, "/spec/value", &value));
    assert_int_equal(kd_json_int(value, &number), 0);
    told->value = (uint64_t)number;
}

static void change(unsigned key)
{
    struct object *object = &server.objects[key];
    bool gone = object->value && kd_rand_below(&server.rand, 4) == 0;
    server.version++;
    if (!object->value) {
        object->uid = server.version;
    }
    object->value = gone ? 0 : server.version;
    object->version = server.version;
    assert_true(server.n_log < LOG_MAX);
    server.log[server.n_log++] = (struct change){ key, server.version, object->value, object->uid };
}

static void put_object(struct kd_buf *buf, unsigned key, const struct object *object)
{
    (void)kd_buf_printf(buf,
                        "{\"metadata\":{\"name\":\"%c\",\"namespace\":\"d\",\"uid\":\"%" PRIu64
                        "\",\"resourceVersion\":\"%" PRIu64 "\"},\"spec\":{\"value\":%" PRIu64 "}}",
                        (char)('a' + key), object->uid, object->version,
                        object->value ? object->value : 1);
}

/* The number behind key= in the path; 0 without. */
static uint64_t asked(const char *path, const char *key)
{
    const char *at = strstr(path, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static void send_page(struct fake *fake)
{
    KD_AUTO_BUF struct kd_buf buf;
    const char *path = fake_path(fake);
    bool whole = strstr(path, "limit=") == NULL;
    unsigned end = server.page_at + 5;
    bool first = true;
    kd_buf_init(&buf, KD_MIB);
    if (!strstr(path, "continue=")) {
        memcpy(server.page, server.objects, sizeof(server.page));
        server.page_version = server.version;
        server.page_at = 0;
        end = 5;
    }
    end = whole || end > KEYS ? KEYS : end;
    (void)kd_buf_puts(&buf, "{\"items\":[");
    for (; server.page_at < end; server.page_at++) {
        if (server.page[server.page_at].value) {
            (void)kd_buf_puts(&buf, first ? "" : ",");
            put_object(&buf, server.page_at, &server.page[server.page_at]);
            first = false;
        }
    }
    (void)kd_buf_printf(&buf,
                        "],\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\",\"continue\":"
                        "\"%s\"}}",
                        server.page_version, end < KEYS ? "more" : "");
    fake_answer(fake, buf.ptr);
}

static void send_initial(struct fake *fake)
{
    KD_AUTO_BUF struct kd_buf buf;
    kd_buf_init(&buf, KD_MIB);
    for (unsigned key = 0; key < KEYS; key++) {
        if (server.objects[key].value) {
            (void)kd_buf_puts(&buf, "{\"type\":\"ADDED\",\"object\":");
            put_object(&buf, key, &server.objects[key]);
            (void)kd_buf_puts(&buf, "}\n");
        }
    }
    (void)kd_buf_printf(&buf,
                        "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":"
                        "\"%" PRIu64 "\",\"annotations\":{\"k8s.io/initial-events-end\":"
                        "\"true\"}}}}\n",
                        server.version);
    server.streamed = true;
    server.sent = server.n_log;
    /* Now and then it ends in the middle. */
    if (kd_rand_below(&server.rand, 8) == 0) {
        buf.len /= 2;
        buf.ptr[buf.len] = '\0';
    }
    fake_send(fake, buf.ptr);
}

static void send_changes(struct fake *fake)
{
    KD_AUTO_BUF struct kd_buf buf;
    kd_buf_init(&buf, KD_MIB);
    for (size_t n = 1 + kd_rand_below(&server.rand, 5); n && server.sent < server.n_log; n--) {
        const struct change *one = &server.log[server.sent++];
        struct object object = { one->value, one->uid, one->version };
        (void)kd_buf_printf(&buf, "{\"object\":");
        put_object(&buf, one->key, &object);
        (void)kd_buf_printf(&buf, ",\"type\":\"%s\"}\n", one->value ? "MODIFIED" : "DELETED");
    }
    if (server.sent == server.n_log) {
        (void)kd_buf_printf(&buf,
                            "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{"
                            "\"resourceVersion\":\"%" PRIu64 "\"}}}\n",
                            server.version);
    }
    fake_send(fake, buf.ptr);
}

/* Places the watch at its version, or says that it is gone; true when it goes on. */
static bool begin_watch(struct fake *fake)
{
    uint64_t from = asked(fake_path(fake), "resourceVersion=");
    server.call = fake->last;
    server.n_requests = fake->n_requests;
    server.streamed = !fake_asks(fake, "sendInitialEvents");
    if (server.streamed && from < server.compacted) {
        if (kd_rand_below(&server.rand, 2)) {
            fake_fail(fake, 410, STATUS("410", "Expired", "too old"));
        } else {
            fake_send(fake, EVENT("ERROR", STATUS("410", "Expired", "too old")));
        }
        return false;
    }
    for (server.sent = 0; server.sent < server.n_log && server.log[server.sent].version <= from;
         server.sent++) {
    }
    return true;
}

static void answer(struct fake *fake)
{
    bool watch = fake_asks(fake, "watch=true");
    if (!watch) {
        send_page(fake);
        return;
    }
    bool known = server.call == fake->last && server.n_requests == fake->n_requests;
    if (!known && !begin_watch(fake)) {
        return;
    }
    if (server.streamed) {
        send_changes(fake);
    } else {
        send_initial(fake);
    }
}

static void fault(struct fake *fake)
{
    static const int codes[] = { 500, 503, 429, 403, 404, 410, 422, 401 };
    switch (kd_rand_below(&server.rand, 5)) {
    case 0:
        fake_cut(fake);
        break;
    case 1: /* in the middle of a line or an item */
        fake_send(fake, fake_asks(fake, "watch=true") ? "{\"type\":\"ADDED\",\"obj"
                                                      : "{\"items\":[{\"metadata\":{\"na");
        fake_cut(fake);
        break;
    case 2:
        if (fake_asks(fake, "watch=true")) {
            fake_send(fake, STATUS("500", "InternalError", "no") "\n");
            break;
        }
        fake_answer(fake, "<html>");
        break;
    default:
        fake_fail(fake, codes[kd_rand_below(&server.rand, KD_ARRAY_LEN(codes))], "");
    }
}

static void step(struct fake *fake)
{
    uint64_t what = kd_rand_below(&server.rand, 100);
    if (what < 30) {
        change((unsigned)kd_rand_below(&server.rand, KEYS));
    } else if (!fake->last->live || what < 34) {
        fake_advance(fake, (int64_t)kd_rand_below(&server.rand, 20) * KD_SEC_NS);
    } else if (what < 84) {
        answer(fake);
    } else if (what < 90) {
        fault(fake);
    } else if (what < 93) {
        server.compacted = server.version;
    } else if (what < 97 && fake_asks(fake, "watch=true")) {
        fake_send(fake, "");
        fake_end(fake);
    }
}

static bool is_settled(const struct fake *fake)
{
    const struct kd_reflector *reflector = fake->informer->reflectors[0];
    return reflector->phase == KD_PHASE_WATCHING &&
           strtoull(reflector->version, NULL, 10) == server.version;
}

static size_t count_faults(const struct fake *fake)
{
    size_t wrong = server.wrong;
    size_t n = 0;
    for (unsigned key = 0; key < KEYS; key++) {
        char name = (char)('a' + key);
        struct kd_record *record =
            kd_informer_get(fake->informer, (struct kd_key){ KD_STR("d"), { &name, 1 } });
        int order = 1;
        KD_AUTO_FREE char *version = kd_asprintf("%" PRIu64, server.objects[key].version);
        wrong += (record != NULL) != (server.objects[key].value != 0);
        wrong += record && (!kd_record_version_cmp(record, kd_str_from(version), &order) || order);
        wrong += server.told[key].value != server.objects[key].value;
        n += record != NULL;
        kd_record_unref(record);
    }
    return wrong + (fake_status(fake).objects != n);
}

static size_t run(uint64_t seed)
{
    static struct fake fake;
    const struct kd_informer_sink sink = { .event = on_event };
    struct kd_informer_spec spec = fake_spec();
    server = (struct server){ .version = 100 };
    kd_rand_init(&server.rand, seed);
    fake_init(&fake);
    struct kd_informer_env env = fake_env(&fake, seed);
    spec.stream_list = seed % 2;
    spec.list_page = 5;
    assert_int_equal(kd_informer_new_in(&env, NULL, &spec, &fake.informer, NULL), 0);
    fake.subscription = kd_informer_subscribe(fake.informer, &sink);
    kd_informer_start(fake.informer);
    for (size_t i = 0; i < STEPS; i++) {
        step(&fake);
    }
    for (size_t i = 0; i < 1000 && !is_settled(&fake); i++) {
        if (fake.last->live) {
            answer(&fake);
        } else {
            fake_advance(&fake, 60 * KD_SEC_NS);
        }
    }
    size_t wrong = is_settled(&fake) ? count_faults(&fake) : 1000;
    fake_release(&fake);
    return wrong;
}

static void the_table_equals_the_server(void **state)
{
    const char *one = getenv("KD_SEED");
    const char *many = getenv("KD_SEEDS");
    uint64_t seed = one ? strtoull(one, NULL, 10) : 1;
    uint64_t n = one ? 1 : many ? strtoull(many, NULL, 10) : 20;
    (void)state;
    for (uint64_t end = seed + n; seed < end; seed++) {
        size_t wrong = run(seed);
        if (wrong) {
            fail_msg("KD_SEED=%" PRIu64 ": %zu differences", seed, wrong);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_table_equals_the_server) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
