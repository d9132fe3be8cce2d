/* What the host takes over of a plugin's kinds, and who owns them. */
#include "host.h"

#include <dlfcn.h>

/* The kinds as they stand in the loaded file. */
static const struct kd_plugin *in_file(const struct host *host, const char *name)
{
    char *path = host_file(host, name);
    void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    kd_free(path);
    assert_non_null(handle);
    const struct kd_plugin *plugin = dlsym(handle, "kindred_plugin");
    assert_int_equal(dlclose(handle), 0); /* it stays resident */
    return plugin;
}

static void test_a_deep_copy_with_the_hosts_strides(void **state)
{
    struct host *host = *state;
    host_copy(host, "grown");
    assert_loaded(host_load_one(host, "grown"));
    const struct kd_instance *instance = host_instance(host, 0);
    const struct kd_kind *file = in_file(host, "grown")->kinds;
    assert_int_equal(instance->n_kinds, 2);
    const struct kd_kind *first = &instance->kinds[0].def;
    assert_int_equal(first->struct_size, sizeof(struct kd_kind));
    assert_string_equal(first->kind, "First");
    assert_ptr_not_equal(first->kind, file->kind);
    assert_string_equal(first->group, "example.org");
    assert_string_equal(first->version, "v2");
    assert_string_equal(first->resource, "firsts");
    assert_int_equal(first->scope, KD_SCOPE_CLUSTER);
    assert_int_equal(first->n_fields, 2);
    assert_ptr_not_equal(first->fields, file->fields);
    assert_string_equal(first->fields[1], "/spec/b/c");
    assert_int_equal(first->n_noise, 1);
    assert_string_equal(first->noise[0], "/status/*/seen");
    assert_int_equal(first->n_short_names, 2);
    assert_string_equal(first->short_names[1], "gro");
    assert_int_equal(first->n_indexes, 2);
    assert_int_equal(first->index_size, sizeof(struct kd_index));
    assert_string_equal(first->indexes[1].name, "c");
    assert_string_equal(first->indexes[1].path, "/spec/b/c");
    const struct kd_kind *second = &instance->kinds[1].def;
    assert_string_equal(second->kind, "Second");
    assert_string_equal(second->group, "");
    assert_null(second->fields);
    assert_null(second->indexes);
    assert_null(second->short_names);
    assert_ptr_equal(instance->kinds[1].instance, instance);
}

static void test_described_kinds(void **state)
{
    struct host *host = *state;
    struct kd_setting setting = { .key = (char *)(uintptr_t) "text",
                                  .type = KD_SETTING_STRING,
                                  .text = (char *)(uintptr_t) "Widget" };
    host_copy(host, "settings");
    struct kd_kind_entry *entry = host_entry(host, "settings", "settings");
    entry->settings = &setting;
    entry->n_settings = 1;
    assert_loaded(host_load(host));
    const struct kd_kind *kind = &host_instance(host, 0)->kinds[0].def;
    assert_string_equal(kind->kind, "Widget");
    assert_string_equal(kind->resource, "things"); /* its own text is gone by now */
    setting.text = (char *)(uintptr_t) "";
    assert_refused(host_load(host), KD_EABI, "no kind", "at least one", "none");
    setting.text = (char *)(uintptr_t) "bad";
    assert_refused(host_load(host), KD_EPLUGIN, "describe failed", "from the settings",
                   kd_errno_text(KD_EINVAL));
}

static void test_two_owners_are_refused_by_name(void **state)
{
    struct host *host = *state;
    host_copy_from(host, PLUGINS, "pod", "pod");
    host_entry(host, "pod", "one");
    host_entry(host, "pod", "two");
    const struct kd_plugin_report *reports = host_load(host);
    assert_loaded(&reports[0]);
    assert_refused(&reports[1], KD_EEXIST, "one instance owns a kind", "one", "kind Pod");
    assert_string_equal(reports[1].name, "two");
    assert_string_equal(reports[1].version, "1.0.0");
    assert_int_equal(host_n_instances(host), 1);
}

static void test_an_owner_and_any_number_of_observers(void **state)
{
    struct host *host = *state;
    host_copy_from(host, PLUGINS, "pod", "pod");
    host_copy(host, "observer");
    host_entry(host, "observer", "o1");
    host_entry(host, "pod", "pod");
    host_entry(host, "observer", "o2");
    (void)host_load(host);
    assert_int_equal(host_n_instances(host), 3);
    assert_true(host_instance(host, 0)->kinds[0].def.flags & KD_KIND_OBSERVER);
    assert_false(host_instance(host, 1)->kinds[0].def.flags & KD_KIND_OBSERVER);
}

static void test_the_real_plugins(void **state)
{
    static const struct {
        const char *name, *group, *kind, *resource;
        uint32_t scope;
    } want[] = {
        { "pod", "", "Pod", "pods", KD_SCOPE_NAMESPACED },
        { "node", "", "Node", "nodes", KD_SCOPE_CLUSTER },
        { "service", "", "Service", "services", KD_SCOPE_NAMESPACED },
        { "deployment", "apps", "Deployment", "deployments", KD_SCOPE_NAMESPACED },
        { "replicaset", "apps", "ReplicaSet", "replicasets", KD_SCOPE_NAMESPACED },
        { "endpointslice", "discovery.k8s.io", "EndpointSlice", "endpointslices",
          KD_SCOPE_NAMESPACED },
    };
    struct host *host = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(want); i++) {
        host_copy_from(host, PLUGINS, want[i].name, want[i].name);
        assert_loaded(host_load_one(host, want[i].name));
        assert_int_equal(host_instance(host, 0)->n_kinds, 1);
        const struct kd_kind *kind = &host_instance(host, 0)->kinds[0].def;
        assert_string_equal(kind->group, want[i].group);
        assert_string_equal(kind->version, "v1");
        assert_string_equal(kind->kind, want[i].kind);
        assert_string_equal(kind->resource, want[i].resource);
        assert_int_equal(kind->scope, want[i].scope);
        assert_int_equal(kind->flags, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_a_deep_copy_with_the_hosts_strides),
        HOST_TEST(test_described_kinds),
        HOST_TEST(test_two_owners_are_refused_by_name),
        HOST_TEST(test_an_owner_and_any_number_of_observers),
        HOST_TEST(test_the_real_plugins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
