/* One set of plugins follows another: entries that stay keep their instance. */
#include "unit/plugin/host.h"

#include "../../plugins/settings.h"

/* A configuration of the entries given, each "plugin", "plugin name" or "plugin name text". */
static struct kd_config *config_of(struct host *host, const char *kinds)
{
    struct kd_config *config = NULL;
    struct kd_faults faults = { 0 };
    KD_AUTO_FREE char *path = kd_asprintf("%s/k.conf", host->path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fprintf(file, "kinds = ( %s );\n", kinds) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(kd_config_load(path, NULL, &config, &faults), 0);
    return config;
}

static struct kd_plugins *next(struct host *host, const struct kd_plugins *from, const char *kinds)
{
    struct kd_config *config = config_of(host, kinds);
    struct kd_plugins *plugins = kd_plugins_reload(from, &host->config.plugins, config);
    kd_config_free(config); /* nothing of it is needed any more */
    kd_plugins_init(plugins);
    return plugins;
}

static struct kd_instance *instance(const struct kd_plugins *plugins, size_t i)
{
    struct kd_instance *const *instances;
    assert_true(i < kd_plugins_instances(plugins, &instances));
    return instances[i];
}

#define ENTRY(name, text)                                                                          \
    "{ plugin = \"settings\"; name = \"" name "\"; settings = { text = \"" text "\"; }; }"

static void test_what_stays_is_shared(void **state)
{
    struct host *host = *state;
    host_copy(host, "settings");
    struct kd_plugins *first = next(host, NULL, ENTRY("a", "A") ", " ENTRY("b", "B"));
    struct kd_instance *a = instance(first, 0);
    const struct settings_self *self = a->self;
    int64_t live = self->live;
    struct kd_plugins *second = next(host, first, ENTRY("c", "C") ", " ENTRY("a", "A"));
    assert_ptr_equal(instance(second, 1), a);
    assert_ptr_equal(a->self, self);
    assert_string_equal(instance(second, 0)->name, "c");
    kd_plugins_free(first); /* fini of b alone */
    assert_string_equal(a->name, "a");
    assert_string_equal(a->entry->settings[0].text, "A");
    struct kd_plugins *third = next(host, second, ENTRY("a", "other"));
    const struct settings_self *other = instance(third, 0)->self;
    assert_ptr_not_equal(other, self);
    assert_int_equal(other->live, live + 2); /* a, c and itself */
    assert_int_equal(other->settings->text.len, 5);
    kd_plugins_free(second);
    kd_plugins_free(third);
}

static void test_a_set_that_is_given_up_changes_nothing(void **state)
{
    struct host *host = *state;
    host_copy(host, "settings");
    struct kd_plugins *first = next(host, NULL, ENTRY("a", "A"));
    struct kd_instance *a = instance(first, 0);
    int64_t live = ((const struct settings_self *)a->self)->live;
    for (int i = 0; i < 5; i++) { /* the plugin has room for eight */
        kd_plugins_free(next(host, first, ENTRY("a", "A") ", " ENTRY("b", "B")));
    }
    assert_true(a->started);
    struct kd_plugins *last = next(host, first, ENTRY("b", "B"));
    assert_int_equal(((const struct settings_self *)instance(last, 0)->self)->live, live + 1);
    kd_plugins_free(last);
    kd_plugins_free(first);
}

/* Whoever stands first has the kind, as at the start. */
static void test_an_owner_that_stays_may_lose_its_kind(void **state)
{
    struct host *host = *state;
    host_copy(host, "settings");
    struct kd_plugins *first = next(host, NULL, ENTRY("a", "A"));
    struct kd_plugins *second = next(host, first, ENTRY("b", "A") ", " ENTRY("a", "A"));
    const struct kd_plugin_report *refused = kd_plugins_newly_refused(second, first);
    assert_non_null(refused);
    assert_string_equal(refused->name, "a");
    kd_plugins_free(second);
    assert_true(instance(first, 0)->started);
    assert_null(kd_plugins_newly_refused(first, first));
    kd_plugins_free(first);
}

static void test_what_was_refused_is_tried_again(void **state)
{
    struct host *host = *state;
    const struct kd_plugin_report *reports;
    struct kd_plugins *first = next(host, NULL, "{ plugin = \"settings\"; }");
    assert_int_equal(kd_plugins_report(first, &reports), 1);
    assert_int_equal(reports[0].state, KD_PLUGIN_REFUSED);
    struct kd_plugins *second = next(host, first, "{ plugin = \"settings\"; }");
    assert_null(kd_plugins_newly_refused(second, first)); /* it is known */
    kd_plugins_free(first);
    host_copy(host, "settings");
    struct kd_plugins *third = next(host, second, "{ plugin = \"settings\"; }");
    assert_int_equal(kd_plugins_report(third, &reports), 1);
    assert_int_equal(reports[0].state, KD_PLUGIN_LOADED);
    kd_plugins_free(second);
    kd_plugins_free(third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_what_stays_is_shared),
        HOST_TEST(test_a_set_that_is_given_up_changes_nothing),
        HOST_TEST(test_an_owner_that_stays_may_lose_its_kind),
        HOST_TEST(test_what_was_refused_is_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
