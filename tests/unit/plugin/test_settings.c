/* A config entry's settings against what the plugin declares. */
#include "host.h"

#include "base/clock.h"
#include "plugins/settings.h"

#define MAX_SETTINGS 8

struct entry {
    struct host *host;
    struct kd_kind_entry *entry;
    struct kd_setting settings[MAX_SETTINGS];
};

static void begin(struct entry *entry, void **state)
{
    *entry = (struct entry){ .host = *state };
    host_copy(entry->host, "settings");
    entry->entry = host_entry(entry->host, "settings", "settings");
    entry->entry->settings = entry->settings;
}

static struct kd_setting *add(struct entry *entry, const char *key, enum kd_setting_type type)
{
    size_t n = entry->entry->n_settings++;
    assert_true(n < MAX_SETTINGS);
    entry->settings[n] = (struct kd_setting){
        .key = (char *)(uintptr_t)key,
        .type = type,
        .place = { (char *)(uintptr_t) "k.conf", 40 + (int)n },
    };
    return &entry->settings[n];
}

static void add_text(struct entry *entry, const char *key, const char *text)
{
    add(entry, key, KD_SETTING_STRING)->text = (char *)(uintptr_t)text;
}

static void add_number(struct entry *entry, const char *key, int64_t number)
{
    add(entry, key, KD_SETTING_INT)->number = number;
}

static const struct settings *filled(struct entry *entry)
{
    assert_loaded(host_load(entry->host));
    kd_plugins_init(entry->host->plugins);
    const struct settings_self *self = host_instance(entry->host, 0)->self;
    return self->settings;
}

static void assert_text(struct kd_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_string_equal(text.ptr, expected); /* NUL-terminated too */
}

static void test_defaults(void **state)
{
    struct entry entry;
    begin(&entry, state);
    const struct settings *settings = filled(&entry);
    assert_text(settings->text, "Thing");
    assert_null(settings->empty.ptr);
    assert_int_equal(settings->empty.len, 0);
    assert_int_equal(settings->number, -3);
    assert_int_equal(settings->any_number, 0);
    assert_int_equal(settings->wait_ns, 5 * KD_SEC_NS);
    assert_int_equal(settings->on, 1);
    assert_int_equal(settings->off, 0);
    assert_int_equal(settings->list.n, 0);
    assert_null(settings->long_key.ptr);
}

static void test_each_type(void **state)
{
    char *texts[] = { (char *)(uintptr_t) "a", (char *)(uintptr_t) "", (char *)(uintptr_t) "b c" };
    struct entry entry;
    begin(&entry, state);
    char key[] = SETTINGS_LONG_KEY;
    add_text(&entry, "text", "Other");
    add_text(&entry, "empty", "x");
    add_number(&entry, "number", 10);
    add_number(&entry, "any_number", INT64_MIN);
    add_text(&entry, "wait", "1m");
    add(&entry, "on", KD_SETTING_BOOL)->number = 0;
    add_text(&entry, key, "long");
    add(&entry, "list", KD_SETTING_STRINGS)->list = (struct kd_strlist){ texts, 3 };
    const struct settings *settings = filled(&entry);
    memset(key, 'x', sizeof(key) - 1);
    texts[0] = NULL; /* the host keeps copies */
    assert_text(settings->text, "Other");
    assert_text(settings->empty, "x");
    assert_int_equal(settings->number, 10);
    assert_int_equal(settings->any_number, INT64_MIN);
    assert_int_equal(settings->wait_ns, 60 * KD_SEC_NS);
    assert_int_equal(settings->on, 0);
    assert_text(settings->long_key, "long");
    assert_int_equal(settings->list.n, 3);
    assert_text(settings->list.items[0], "a");
    assert_text(settings->list.items[1], "");
    assert_text(settings->list.items[2], "b c");
}

struct fault {
    const char *key;
    enum kd_setting_type type;
    const char *text;
    int64_t number;
    const char *expected, *found;
};

static const struct fault faults[] = {
    { "number", KD_SETTING_INT, NULL, 11, "a whole number from -5 to 10", "11" },
    { "number", KD_SETTING_INT, NULL, -6, "a whole number from -5 to 10", "-6" },
    { "number", KD_SETTING_STRING, "3", 0, "a whole number from -5 to 10", "\"3\"" },
    { "any_number", KD_SETTING_BOOL, NULL, 1, "a whole number", "true or false" },
    { "wait", KD_SETTING_STRING, "10", 0, "a duration from 1s to 1m", "\"10\"" },
    { "wait", KD_SETTING_STRING, "2m", 0, "a duration from 1s to 1m", "\"2m\"" },
    { "wait", KD_SETTING_INT, NULL, 5, "a duration from 1s to 1m", "5" },
    { "on", KD_SETTING_INT, NULL, 1, "true or false", "1" },
    { "on", KD_SETTING_STRING, "true", 0, "true or false", "\"true\"" },
    { "text", KD_SETTING_INT, NULL, 1, "a string", "1" },
    { "text", KD_SETTING_STRINGS, NULL, 0, "a string", "an array of strings" },
    { "list", KD_SETTING_STRING, "a", 0, "an array of strings", "\"a\"" },
};

static void test_wrong_types_and_ranges(void **state)
{
    for (size_t i = 0; i < KD_ARRAY_LEN(faults); i++) {
        struct entry entry;
        begin(&entry, state);
        struct kd_setting *setting = add(&entry, faults[i].key, faults[i].type);
        setting->text = (char *)(uintptr_t)faults[i].text;
        setting->number = faults[i].number;
        char *rule = kd_asprintf("k.conf:40: setting \"%s\" of plugin settings must be %s",
                                 faults[i].key, faults[i].expected);
        const struct kd_plugin_report *report = host_load(entry.host);
        assert_refused(report, KD_ECONFIG, rule, faults[i].expected, faults[i].found);
        assert_string_equal(report->expected, faults[i].expected);
        assert_string_equal(report->found, faults[i].found);
        entry.host->config.n_kinds = 0;
        kd_free(rule);
    }
}

static void test_an_unknown_key_names_the_nearest(void **state)
{
    struct entry entry;
    begin(&entry, state);
    add_number(&entry, "nomber", 3);
    assert_refused(host_load(entry.host), KD_ECONFIG,
                   "k.conf:40: plugin settings has no setting \"nomber\"", "number", "nomber");
    entry.host->config.n_kinds = 0;
    host_copy(entry.host, "observer");
    *host_entry(entry.host, "observer", "observer") = (struct kd_kind_entry){
        .plugin = (char *)(uintptr_t) "observer",
        .name = (char *)(uintptr_t) "observer",
        .enabled = true,
        .settings = entry.settings,
        .n_settings = 1,
    };
    assert_refused(host_load(entry.host), KD_ECONFIG, "no setting \"nomber\"", "no settings at all",
                   "nomber");
}

static void test_a_refused_setting_can_be_put_right(void **state)
{
    struct entry entry;
    begin(&entry, state);
    add_number(&entry, "number", 100);
    assert_int_equal(host_load(entry.host)->state, KD_PLUGIN_REFUSED);
    entry.settings[0].number = 1;
    host_copy(entry.host, "settings"); /* the refused file was closed: a new one is no change */
    assert_int_equal(filled(&entry)->number, 1);
}

static void test_a_larger_stride(void **state)
{
    struct host *host = *state;
    struct kd_setting setting = { .key = (char *)(uintptr_t) "two",
                                  .type = KD_SETTING_INT,
                                  .number = 22 };
    host_copy(host, "grown");
    struct kd_kind_entry *entry = host_entry(host, "grown", "grown");
    entry->settings = &setting;
    entry->n_settings = 1;
    assert_loaded(host_load(host));
    kd_plugins_init(host->plugins);
    const int64_t *numbers = host_instance(host, 0)->self;
    assert_int_equal(numbers[0], 1);
    assert_int_equal(numbers[1], 22);
}

static void test_instances_have_settings_of_their_own(void **state)
{
    struct host *host = *state;
    struct kd_setting setting = { .key = (char *)(uintptr_t) "text",
                                  .type = KD_SETTING_STRING,
                                  .text = (char *)(uintptr_t) "Second" };
    host_copy(host, "settings");
    host_entry(host, "settings", "first");
    struct kd_kind_entry *entry = host_entry(host, "settings", "second");
    entry->settings = &setting;
    entry->n_settings = 1;
    const struct kd_plugin_report *reports = host_load(host);
    assert_loaded(&reports[0]);
    assert_loaded(&reports[1]);
    kd_plugins_init(host->plugins);
    const struct settings_self *first = host_instance(host, 0)->self;
    const struct settings_self *second = host_instance(host, 1)->self;
    assert_ptr_not_equal(first, second);
    assert_text(first->settings->text, "Thing");
    assert_text(second->settings->text, "Second");
    assert_int_equal(second->live, 2);
    assert_int_equal(first->host->struct_size, sizeof(struct kd_host));
    assert_int_equal(first->host->abi_major, KD_ABI_MAJOR);
    assert_int_equal(first->host->caps, KD_CAPS_ALL);
    kd_plugins_free(host->plugins); /* fini once each */
    host->plugins = NULL;
    host->config.n_kinds = 1;
    assert_loaded(host_load(host));
    kd_plugins_init(host->plugins);
    const struct settings_self *again = host_instance(host, 0)->self;
    assert_int_equal(again->live, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_defaults),
        HOST_TEST(test_each_type),
        HOST_TEST(test_wrong_types_and_ranges),
        HOST_TEST(test_an_unknown_key_names_the_nearest),
        HOST_TEST(test_a_refused_setting_can_be_put_right),
        HOST_TEST(test_a_larger_stride),
        HOST_TEST(test_instances_have_settings_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
