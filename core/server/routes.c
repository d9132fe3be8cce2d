#include "server/routes.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "server/api.h"
#include "server/health.h"

#include <event2/http.h>

#define REQUEST_ARENA (16 * KD_MIB)
#define PAGE_MAX (256 * KD_MIB)

static const char plain_type[] = "text/plain; charset=utf-8";

struct route {
    const char *path;
    enum evhttp_cmd_type method; /* EVHTTP_REQ_GET stands for HEAD too */
    kd_step_fn step;
    bool quick;   /* does not wait behind queries that take their time */
    bool process; /* about this process, not about the graph */
};

static const struct route api_routes[] = {
    { "/api/v1/kinds", EVHTTP_REQ_GET, kd_api_kinds, true, true },
    { "/api/v1/plugins", EVHTTP_REQ_GET, kd_api_plugins, true, true },
    { "/api/v1/metrics", EVHTTP_REQ_GET, kd_api_metrics, true, true },
    { "/api/v1/resources", EVHTTP_REQ_GET, kd_api_resources, false, false },
    { "/api/v1/relationships", EVHTTP_REQ_GET, kd_api_relationships, false, false },
    { "/api/v1/graph", EVHTTP_REQ_GET, kd_api_graph, false, false },
    { "/api/v1/changes", EVHTTP_REQ_GET, kd_api_changes, false, false },
    { "/api/v1/path", EVHTTP_REQ_GET, kd_api_path, false, false },
    { "/api/v1/impact", EVHTTP_REQ_GET, kd_api_impact, false, false },
    { "/api/v1/orphans", EVHTTP_REQ_GET, kd_api_orphans, false, false },
    { "/api/v1/trace", EVHTTP_REQ_GET, kd_api_trace, true, true },
    { "/api/v1/store/check", EVHTTP_REQ_GET, kd_api_store_check, false, true },
    { "/api/v1/store/backup", EVHTTP_REQ_GET, kd_api_store_backup, false, true },
    { "/api/v1/unresolved", EVHTTP_REQ_GET, kd_api_unresolved, false, false },
};

/* Path and query of the request line; "*" and full URLs have none that we serve. */
static struct kd_str split_target(struct evhttp_request *request, struct kd_str *ret_query)
{
    struct kd_str path = kd_str_from(evhttp_request_get_uri(request));
    struct kd_str rest = path;
    path = kd_str_cut(&rest, '?');
    struct kd_str query = rest;
    *ret_query = query.ptr ? kd_str_cut(&query, '#') : (struct kd_str){ NULL, 0 };
    return path;
}

static bool is_read(struct evhttp_request *request)
{
    enum evhttp_cmd_type method = evhttp_request_get_command(request);
    return method == EVHTTP_REQ_GET || method == EVHTTP_REQ_HEAD;
}

void kd_route_health(struct evhttp_request *request, void *arg)
{
    struct kd_context *context = arg;
    struct kd_params params = { 0 };
    struct kd_error error = { 0 };
    struct kd_str query;
    KD_AUTO_ARENA struct kd_arena arena;
    KD_AUTO_BUF struct kd_buf out;
    kd_arena_init(&arena, REQUEST_ARENA);
    kd_buf_init(&out, PAGE_MAX);
    struct kd_str path = split_target(request, &query);
    int code = 405;
    if (is_read(request) && kd_params_parse(query, &arena, &params, &error) < 0) {
        code = 400;
        (void)kd_buf_puts(&out, error.text); /* short: it fits */
    } else if (is_read(request)) {
        code = kd_health_answer(&context->source, path, &params, &arena, &out);
    }
    if (code == 404 || code == 405) {
        (void)kd_buf_puts(&out, code == 404 ? "not found: /healthz and /readyz are here\n"
                                            : "only GET and HEAD\n");
    }
    kd_reply_text(request, code, plain_type, kd_buf_str(&out));
}

void kd_route_metrics(struct evhttp_request *request, void *arg)
{
    struct kd_context *context = arg;
    struct kd_str query;
    struct kd_str path = split_target(request, &query);
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, PAGE_MAX);
    if (!is_read(request)) {
        kd_reply_text(request, 405, plain_type, KD_STR("only GET and HEAD\n"));
    } else if (!kd_str_is(path, "/metrics")) {
        kd_reply_text(request, 404, plain_type, KD_STR("not found: /metrics is here\n"));
    } else if (kd_metrics_write(context->metrics, &out) < 0) {
        kd_reply_text(request, 500, plain_type, KD_STR("the page is too large\n"));
    } else {
        kd_reply_text(request, 200, KD_METRICS_TYPE, kd_buf_str(&out));
    }
}

static void set_log_level(struct evhttp_request *request, struct kd_str query)
{
    struct kd_params params = { 0 };
    struct kd_error error = { 0 };
    uint32_t level = 0;
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, REQUEST_ARENA);
    if (evhttp_request_get_command(request) != EVHTTP_REQ_PUT) {
        kd_reply_error(request, 405, "use PUT /api/v1/log?level=debug|info|warn|error");
    } else if (kd_params_parse(query, &arena, &params, &error) < 0) {
        kd_reply_error(request, 400, error.text);
    } else if (kd_log_level_parse(kd_params_get(&params, "level"), &level) < 0) {
        kd_reply_error(request, 400, "level must be debug, info, warn or error");
    } else {
        kd_log_set_level(level);
        KD_INFO("log level set", KD_F("level", kd_log_level_name(level)));
        kd_reply_text(request, 200, "application/json", KD_STR("{}\n"));
    }
}

static const struct route *find_route(struct kd_str path)
{
    for (size_t i = 0; i < KD_ARRAY_LEN(api_routes); i++) {
        if (kd_str_is(path, api_routes[i].path)) {
            return &api_routes[i];
        }
    }
    return NULL;
}

static void begin_answer(struct kd_context *context, struct evhttp_request *request,
                         const struct route *route, struct kd_str query)
{
    struct kd_error error = { 0 };
    struct kd_answer *answer = kd_answer_new(context, request);
    if (kd_params_parse(query, &answer->arena, &answer->params, &error) < 0) {
        kd_answer_refuse(answer, 400, error.text);
    } else {
        answer->quick = route->quick;
        kd_answer_run(answer, route->step);
    }
}

/* {"error": why, "leader": who}: a client goes there, or comes again. */
static void refuse(struct evhttp_request *request, const char *why, const char *leader)
{
    KD_AUTO_BUF struct kd_buf body;
    kd_buf_init(&body, KD_MAX_ERROR_BODY);
    (void)kd_buf_puts(&body, "{\"error\":");
    (void)kd_buf_put_json(&body, kd_str_from(why));
    (void)kd_buf_puts(&body, ",\"leader\":");
    (void)kd_buf_put_json(&body, kd_str_from(leader));
    (void)kd_buf_puts(&body, "}\n"); /* both are short: it fits */
    kd_reply_text(request, 503, "application/json", kd_buf_str(&body));
}

static bool may_answer(const struct kd_context *context, const struct route *route,
                       char why[KD_WHY_MAX], char leader[KD_WHY_MAX])
{
    const struct kd_server_source *source = &context->source;
    return !source->may_answer || source->may_answer(source->arg, route->process, why, leader);
}

void kd_route_api(struct evhttp_request *request, void *arg)
{
    struct kd_context *context = arg;
    struct kd_str query;
    struct kd_str path = split_target(request, &query);
    if (kd_str_is(path, "/api/v1/log")) {
        set_log_level(request, query);
        return;
    }
    char why[KD_WHY_MAX];
    char leader[KD_WHY_MAX];
    const struct route *route = find_route(path);
    if (!route) {
        kd_reply_error(request, 404, "no such path: the API is under /api/v1");
    } else if (!is_read(request)) {
        kd_reply_error(request, 405, "only GET and HEAD are served here");
    } else if (!may_answer(context, route, why, leader)) {
        refuse(request, why, leader);
    } else {
        begin_answer(context, request, route, query);
    }
}
