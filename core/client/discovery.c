#include "client/discovery.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"

#include <json-c/json.h>
#include <string.h>

#define ACCEPT                                                                                     \
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"                        \
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
#define MAX_PATHS 1000   /* groups and versions */
#define MAX_SERVED 50000 /* kinds */
#define ROOTS 2          /* /api and /apis, without which nothing is known */

struct kd_discovery {
    struct kd_client *client;
    kd_discovery_done *done;
    void *arg;
    char **paths; /* to be asked, in this order */
    size_t n_paths;
    size_t next;
    struct kd_call *call;
    struct kd_buf body;
    struct kd_served *served;
};

/* -- what is served */

void kd_served_free(struct kd_served *served)
{
    for (size_t i = 0; served && i < served->n; i++) {
        kd_free(served->items[i].group);
        kd_free(served->items[i].version);
        kd_free(served->items[i].kind);
        kd_free(served->items[i].resource);
    }
    if (served) {
        kd_free(served->items);
        kd_free(served);
    }
}

const struct kd_served_kind *kd_served_find(const struct kd_served *served, const char *group,
                                            const char *version, const char *kind)
{
    for (size_t i = 0; i < served->n; i++) {
        const struct kd_served_kind *item = &served->items[i];
        if (strcmp(item->group, group) == 0 && strcmp(item->kind, kind) == 0 &&
            (!version || strcmp(item->version, version) == 0)) {
            return item;
        }
    }
    return NULL;
}

static void add_kind(struct kd_served *served, const char *group, const char *version,
                     const char *kind, const char *resource, bool namespaced)
{
    if (served->n < MAX_SERVED && version[0] && kind[0] && resource[0] && !strchr(resource, '/')) {
        served->items = kd_realloc_array(served->items, served->n + 1, sizeof(*served->items));
        served->items[served->n++] = (struct kd_served_kind){
            .group = kd_strdup(group),
            .version = kd_strdup(version),
            .kind = kd_strdup(kind),
            .resource = kd_strdup(resource),
            .namespaced = namespaced,
        };
    }
}

/* -- documents: what is missing or of another type reads as empty */

static struct json_object *member(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    return json_object_is_type(object, json_type_object) &&
                   json_object_object_get_ex(object, key, &value)
               ? value
               : NULL;
}

static const char *text_at(struct json_object *object, const char *key)
{
    struct json_object *value = member(object, key);
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

static size_t count_at(struct json_object *object, const char *key)
{
    struct json_object *list = member(object, key);
    return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

static struct json_object *item_at(struct json_object *object, const char *key, size_t i)
{
    return json_object_array_get_idx(member(object, key), i);
}

static void take_aggregated(struct kd_served *served, struct json_object *root)
{
    for (size_t g = 0; g < count_at(root, "items"); g++) {
        struct json_object *group = item_at(root, "items", g);
        const char *name = text_at(member(group, "metadata"), "name");
        for (size_t v = 0; v < count_at(group, "versions"); v++) {
            struct json_object *version = item_at(group, "versions", v);
            for (size_t r = 0; r < count_at(version, "resources"); r++) {
                struct json_object *resource = item_at(version, "resources", r);
                add_kind(served, name, text_at(version, "version"),
                         text_at(member(resource, "responseKind"), "kind"),
                         text_at(resource, "resource"),
                         strcmp(text_at(resource, "scope"), "Namespaced") == 0);
            }
        }
    }
}

static void take_resources(struct kd_served *served, struct json_object *root)
{
    struct kd_str version = kd_str_from(text_at(root, "groupVersion"));
    struct kd_str group = { "", 0 };
    if (memchr(version.ptr, '/', version.len)) {
        group = kd_str_cut(&version, '/');
    }
    KD_AUTO_FREE char *group_text = kd_str_dup(group);
    for (size_t i = 0; i < count_at(root, "resources"); i++) {
        struct json_object *item = item_at(root, "resources", i);
        add_kind(served, group_text, version.ptr, text_at(item, "kind"), text_at(item, "name"),
                 json_object_get_boolean(member(item, "namespaced")));
    }
}

static void add_path(struct kd_discovery *discovery, const char *root, const char *name)
{
    if (discovery->n_paths < MAX_PATHS) {
        discovery->paths =
            kd_realloc_array(discovery->paths, discovery->n_paths + 1, sizeof(*discovery->paths));
        discovery->paths[discovery->n_paths++] = kd_asprintf("%s%s", root, name);
    }
}

/* Of each group the preferred version first. */
static void take_groups(struct kd_discovery *discovery, struct json_object *root)
{
    for (size_t g = 0; g < count_at(root, "groups"); g++) {
        struct json_object *group = item_at(root, "groups", g);
        const char *first = text_at(member(group, "preferredVersion"), "groupVersion");
        if (first[0]) {
            add_path(discovery, "/apis/", first);
        }
        for (size_t v = 0; v < count_at(group, "versions"); v++) {
            const char *other = text_at(item_at(group, "versions", v), "groupVersion");
            if (other[0] && strcmp(other, first) != 0) {
                add_path(discovery, "/apis/", other);
            }
        }
    }
}

static void take_versions(struct kd_discovery *discovery, struct json_object *root)
{
    for (size_t v = 0; v < count_at(root, "versions"); v++) {
        struct json_object *version = item_at(root, "versions", v);
        if (json_object_is_type(version, json_type_string)) {
            add_path(discovery, "/api/", json_object_get_string(version));
        }
    }
}

static bool take_document(struct kd_discovery *discovery)
{
    struct json_object *root = discovery->body.len ? json_tokener_parse(discovery->body.ptr) : NULL;
    const char *kind = text_at(root, "kind");
    bool known = true;
    if (strcmp(kind, "APIGroupDiscoveryList") == 0) {
        take_aggregated(discovery->served, root);
    } else if (strcmp(kind, "APIVersions") == 0) {
        take_versions(discovery, root);
    } else if (strcmp(kind, "APIGroupList") == 0) {
        take_groups(discovery, root);
    } else if (strcmp(kind, "APIResourceList") == 0) {
        take_resources(discovery->served, root);
    } else {
        known = false;
    }
    json_object_put(root);
    return known;
}

/* -- the questions */

static void free_discovery(struct kd_discovery *discovery)
{
    for (size_t i = 0; i < discovery->n_paths; i++) {
        kd_free(discovery->paths[i]);
    }
    kd_free(discovery->paths);
    kd_buf_release(&discovery->body);
    kd_served_free(discovery->served);
    kd_free(discovery);
}

static void ask(struct kd_discovery *discovery);

static int on_data(void *arg, const char *ptr, size_t len)
{
    struct kd_discovery *discovery = arg;
    return kd_buf_put(&discovery->body, ptr, len);
}

static void finish(struct kd_discovery *discovery, int error, const char *why)
{
    struct kd_served *served = error ? NULL : kd_steal(discovery->served);
    discovery->done(discovery->arg, error, why, served);
    free_discovery(discovery);
}

/* A group whose own server is away is left out; without the roots nothing is known. */
static void on_done(void *arg, const struct kd_response *response)
{
    struct kd_discovery *discovery = arg;
    bool is_root = discovery->next <= ROOTS;
    discovery->call = NULL;
    if (response->error && is_root) {
        finish(discovery, response->error, response->text);
    } else if (!response->error && !take_document(discovery) && is_root) {
        finish(discovery, KD_EPARSE, "the server's list of what it serves is not readable");
    } else if (discovery->next < discovery->n_paths) {
        ask(discovery);
    } else {
        finish(discovery, 0, "");
    }
}

static void ask(struct kd_discovery *discovery)
{
    static const struct kd_response_sink sink = { .data = on_data, .done = on_done };
    const struct kd_request request = { .method = "GET",
                                        .path = discovery->paths[discovery->next++],
                                        .accept = ACCEPT,
                                        .verb = "get",
                                        .url_template = "/apis",
                                        .sink = &sink,
                                        .arg = discovery };
    kd_buf_clear(&discovery->body, 0);
    discovery->call = kd_client_start(discovery->client, &request);
}

struct kd_discovery *kd_discovery_start(struct kd_client *client, kd_discovery_done *done,
                                        void *arg)
{
    struct kd_discovery *discovery = kd_zalloc(sizeof(*discovery));
    discovery->client = client;
    discovery->done = done;
    discovery->arg = arg;
    discovery->served = kd_zalloc(sizeof(*discovery->served));
    kd_buf_init(&discovery->body, 32 * KD_MIB);
    add_path(discovery, "/api", "");
    add_path(discovery, "/apis", "");
    ask(discovery);
    return discovery;
}

void kd_discovery_cancel(struct kd_discovery *discovery)
{
    if (discovery) {
        kd_call_cancel(discovery->call);
        free_discovery(discovery);
    }
}
