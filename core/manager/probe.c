#include "manager/probe.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"
#include "client/discovery.h"
#include "client/identity.h"
#include "manager/manager.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REVIEW "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

struct probe {
    struct kd_loop *loop;
    struct kd_client *client;
    struct kd_served *served;
    unsigned n_failed;
};

static void say(const char *step, const char *fmt, ...) KD_PRINTF(2, 3);

static void say(const char *step, const char *fmt, ...)
{
    va_list args;
    printf("%-16s", step);
    va_start(args, fmt);
    (void)vprintf(fmt, args);
    va_end(args);
    printf("\n");
}

static void fail(struct probe *probe, const char *step, const char *what, const char *remedy)
{
    probe->n_failed++;
    say(step, "no: %s; %s", what, remedy);
}

/* -- one request, waited for */

struct answer {
    bool done;
    struct kd_response response;
    struct kd_buf body;
};

static int on_data(void *arg, const char *ptr, size_t len)
{
    struct answer *answer = arg;
    return kd_buf_put(&answer->body, ptr, len);
}

static void on_done(void *arg, const struct kd_response *response)
{
    struct answer *answer = arg;
    answer->response = *response;
    answer->done = true;
}

static void ask(struct probe *probe, const char *method, const char *path, struct kd_str body,
                struct answer *answer)
{
    static const struct kd_response_sink sink = { .data = on_data, .done = on_done };
    const struct kd_request request = { .method = method,
                                        .path = path,
                                        .body = body,
                                        .verb = "check",
                                        .url_template = path,
                                        .sink = &sink,
                                        .arg = answer };
    *answer = (struct answer){ .done = false };
    kd_buf_init(&answer->body, KD_MIB);
    (void)kd_client_start(probe->client, &request);
    while (!answer->done) {
        kd_loop_run_once(probe->loop, KD_SEC_NS);
    }
}

/* -- the steps */

static void say_source(const struct kd_cluster *cluster)
{
    KD_AUTO_FREE char *proxy = kd_cluster_proxy_text(cluster);
    say("found in", "%s%s%s", cluster->source, cluster->context[0] ? ", context " : "",
        cluster->context);
    say("server", "%s", cluster->server);
    if (proxy[0]) {
        say("proxy", "%s, from %s", proxy, cluster->proxy_from);
    }
    say("trust", "%s",
        cluster->insecure  ? "no certificate is checked, as the kubeconfig says"
        : cluster->ca_file ? cluster->ca_file
        : cluster->ca_pem  ? "the kubeconfig's certificate authority"
                           : "the system's certificate authorities");
}

static void say_identity(const struct kd_cluster *cluster)
{
    const struct kd_identity identity = { .cluster = cluster,
                                          .tls = strncmp(cluster->server, "https://", 8) == 0 };
    say("credentials", "%s%s%s", kd_identity_kind(&identity), cluster->user ? " of user " : "",
        cluster->user ? cluster->user : "");
    if (cluster->as.user) {
        say("acting for", "%s", cluster->as.user);
    }
}

/* Reached means: an HTTP answer came, whatever it says. */
static bool probe_server(struct probe *probe)
{
    struct answer answer;
    ask(probe, "GET", "/version", (struct kd_str){ NULL, 0 }, &answer);
    const struct kd_response *response = &answer.response;
    struct json_object *version = answer.body.len ? json_tokener_parse(answer.body.ptr) : NULL;
    struct json_object *text = NULL;
    if (response->http_code == 0) {
        fail(probe, "connection", response->text,
             response->error == KD_ECONFIG ? "correct the user's credentials"
                                           : "look at server, proxy and certificate-authority");
    } else if (response->http_code == 401) {
        fail(probe, "authentication", response->text,
             "the server does not know these credentials; log in again or renew them");
    } else {
        (void)json_object_object_get_ex(version, "gitVersion", &text);
        say("connection", "yes, %s", text ? json_object_get_string(text) : "version not told");
    }
    json_object_put(version);
    kd_buf_release(&answer.body);
    return probe->n_failed == 0;
}

static void on_served(void *arg, int error, const char *why, struct kd_served *served)
{
    struct probe *probe = arg;
    probe->served = served ? served : kd_zalloc(sizeof(*served));
    if (error) {
        fail(probe, "discovery", why, "allow the user to read /api and /apis (system:discovery)");
    } else {
        say("discovery", "%zu kinds are served", served->n);
    }
}

static bool probe_discovery(struct probe *probe)
{
    (void)kd_discovery_start(probe->client, on_served, probe);
    while (!probe->served) {
        kd_loop_run_once(probe->loop, KD_SEC_NS);
    }
    return probe->n_failed == 0;
}

/* One right: what may be done to which resource, and where ("": everywhere). */
struct right {
    const char *group;
    const char *resource;
    const char *verb;
    const char *ns;
};

static struct json_object *review(const struct right *right)
{
    struct json_object *root = json_object_new_object();
    struct json_object *spec = json_object_new_object();
    struct json_object *what = json_object_new_object();
    (void)json_object_object_add(root, "apiVersion",
                                 json_object_new_string("authorization.k8s.io/v1"));
    (void)json_object_object_add(root, "kind", json_object_new_string("SelfSubjectAccessReview"));
    (void)json_object_object_add(root, "spec", spec);
    (void)json_object_object_add(spec, "resourceAttributes", what);
    (void)json_object_object_add(what, "group", json_object_new_string(right->group));
    (void)json_object_object_add(what, "resource", json_object_new_string(right->resource));
    (void)json_object_object_add(what, "verb", json_object_new_string(right->verb));
    (void)json_object_object_add(what, "namespace", json_object_new_string(right->ns));
    return root;
}

static bool is_allowed(const struct answer *answer)
{
    struct json_object *root = answer->body.len ? json_tokener_parse(answer->body.ptr) : NULL;
    struct json_object *status = NULL;
    struct json_object *allowed = NULL;
    bool yes = json_object_object_get_ex(root, "status", &status) &&
               json_object_object_get_ex(status, "allowed", &allowed) &&
               json_object_get_boolean(allowed);
    json_object_put(root);
    return yes;
}

/* NULL when it is granted, else why not; the caller frees. */
static char *ask_right(struct probe *probe, const struct right *right)
{
    struct answer answer;
    struct json_object *body = review(right);
    ask(probe, "POST", REVIEW, kd_str_from(json_object_to_json_string(body)), &answer);
    const char *dot = right->group[0] ? "." : "";
    const char *in = right->ns[0] ? " in namespace " : "";
    char *why = answer.response.error ? kd_strdup(answer.response.text)
                : is_allowed(&answer) ? NULL
                                      : kd_asprintf("may not %s %s%s%s%s%s", right->verb,
                                                    right->resource, dot, right->group, in,
                                                    right->ns);
    json_object_put(body);
    kd_buf_release(&answer.body);
    return why;
}

static bool probe_verb(struct probe *probe, const struct kd_kind *kind, const char *verb,
                       const char *ns)
{
    const struct right right = { kind->group, kind->resource, verb, ns };
    KD_AUTO_FREE char *why = ask_right(probe, &right);
    if (why) {
        fail(probe, kind->kind, why, "grant it to the user by a ClusterRole or Role");
    }
    return !why;
}

static bool probe_namespace(struct probe *probe, const struct kd_kind *kind, const char *ns)
{
    bool list = probe_verb(probe, kind, "list", ns);
    return probe_verb(probe, kind, "watch", ns) && list;
}

static bool probe_rights(struct probe *probe, const struct kd_instance_kind *instance_kind)
{
    const struct kd_strlist *namespaces = &instance_kind->instance->entry->namespaces;
    bool good = true;
    for (size_t i = 0; i < namespaces->n; i++) {
        good = probe_namespace(probe, &instance_kind->def, namespaces->items[i]) && good;
    }
    return namespaces->n ? good : probe_namespace(probe, &instance_kind->def, "");
}

static void not_served(struct probe *probe, const struct kd_kind *kind)
{
    const struct kd_served_kind *other =
        kd_served_find(probe->served, kind->group, NULL, kind->kind);
    KD_AUTO_FREE char *what =
        kd_asprintf("%s%s%s is not served%s%s", kind->group, kind->group[0] ? "/" : "",
                    kind->version, other ? ", but the version " : "", other ? other->version : "");
    fail(probe, kind->kind, what,
         other ? "use a plugin for that version" : "leave the kind out, or install its definition");
}

static void probe_kind(struct probe *probe, const struct kd_instance_kind *instance_kind)
{
    const struct kd_kind *kind = &instance_kind->def;
    const struct kd_served_kind *served =
        kd_served_find(probe->served, kind->group, kind->version, kind->kind);
    if (!served) {
        not_served(probe, kind);
    } else if (served->namespaced != (kind->scope != KD_SCOPE_CLUSTER)) {
        fail(probe, kind->kind, "its scope is another than the plugin says", "use a right plugin");
    } else if (probe_rights(probe, instance_kind)) {
        say(kind->kind, "yes, list and watch");
    }
}

static void probe_kinds(struct probe *probe, const struct kd_plugins *plugins)
{
    struct kd_instance *const *instances;
    size_t n = kd_plugins_instances(plugins, &instances);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < instances[i]->n_kinds; j++) {
            probe_kind(probe, &instances[i]->kinds[j]);
        }
    }
}

/* What the election cannot do without, and what it only does worse without. */
static void probe_election(struct probe *probe, const struct kd_leader_settings *leader)
{
    static const struct {
        const char *group;
        const char *resource;
        const char *verb;
        const char *without; /* NULL: needed */
    } rows[] = {
        { "coordination.k8s.io", "leases", "get", NULL },
        { "coordination.k8s.io", "leases", "create", NULL },
        { "coordination.k8s.io", "leases", "update", NULL },
        { "coordination.k8s.io", "leases", "watch", "a follower looks every retry_period instead" },
        { "events.k8s.io", "events", "create", "no event tells who leads" },
        { "events.k8s.io", "events", "patch", "an event that repeats is told only once" },
    };
    unsigned failed = probe->n_failed;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        const struct right right = { rows[i].group, rows[i].resource, rows[i].verb, leader->ns };
        KD_AUTO_FREE char *why = ask_right(probe, &right);
        if (why && !rows[i].without) {
            fail(probe, "leader", why, "grant it by a Role there, or set leader.enabled to false");
        } else if (why) {
            say("leader", "%s: %s", why, rows[i].without);
        }
    }
    if (probe->n_failed == failed) {
        say("leader", "yes, the lease %s in namespace %s", leader->name, leader->ns);
    }
}

static int run(struct probe *probe, const struct kd_config *config,
               const struct kd_plugins *plugins)
{
    if (probe_server(probe) && probe_discovery(probe)) {
        probe_kinds(probe, plugins);
        if (config->leader.enabled) {
            probe_election(probe, &config->leader);
        }
    }
    kd_served_free(probe->served);
    kd_client_free(probe->client);
    return probe->n_failed ? KD_EXIT_FAILED : KD_EXIT_CLEAN;
}

int kd_probe_cluster(const struct kd_config *config, const struct kd_plugins *plugins,
                     char *const *env)
{
    struct probe probe = { .loop = kd_loop_new() };
    struct kd_cluster *cluster = NULL;
    struct kd_error error = { 0 };
    int code = KD_EXIT_CONFIG;
    int rc = kd_cluster_find(&config->cluster, env, &cluster, &error);
    if (rc == 0) {
        say_source(cluster);
        say_identity(cluster);
        rc = kd_client_new(probe.loop, cluster, &config->cluster, NULL, &probe.client, &error);
    }
    if (rc < 0) {
        say("cluster", "no: %s", error.text);
    } else {
        code = run(&probe, config, plugins);
    }
    kd_loop_free(probe.loop);
    kd_cluster_free(cluster);
    return code;
}
