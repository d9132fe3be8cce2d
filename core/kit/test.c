/* A plugin's life in the mock host. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "kit/kit.h"
#include "plugin/elf.h"
#include "plugin/kinds.h"
#include "plugin/take.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define START_NS (INT64_C(946684800) * KD_SEC_NS) /* 2000-01-01T00:00:00Z */
#define SETTINGS_MEMORY (4 * KD_MIB)

void kd_kit_note(struct kd_test *test, const char *fmt, ...)
{
    char text[KD_ERROR_TEXT];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args); /* cut to fit */
    va_end(args);
    (void)kd_buf_printf(&test->journal, "%s\n", text); /* full: the rest is cut */
}

static const char *const levels[] = { [KD_LOG_DEBUG] = "debug",
                                      [KD_LOG_INFO] = "info",
                                      [KD_LOG_WARN] = "warn",
                                      [KD_LOG_ERROR] = "error" };

static void host_log(const struct kd_host *host, uint32_t level, const char *text)
{
    kd_kit_note(host->opaque, "log %s %s", levels[level <= KD_LOG_ERROR ? level : KD_LOG_ERROR],
                text ? text : "");
}

static int refused(const struct kd_refusal *refusal, struct kd_error *err)
{
    return kd_fail(err, refusal->error.code, "%s (expected %s, found %s)", refusal->error.text,
                   refusal->expected, refusal->found);
}

/* "widget" of "build/widget.so". */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = kd_strdup(slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ".so") == 0) {
        *dot = '\0';
    }
    return name;
}

/* A path without a slash would be searched for in the system's folders. */
static int open_plugin(const char *path, void **ret_handle, struct kd_plugin *ret,
                       struct kd_error *err)
{
    struct kd_refusal refusal = { 0 };
    KD_AUTO_FREE char *name = name_of(path);
    KD_AUTO_FREE char *file = kd_asprintf("%s%s", strchr(path, '/') ? "" : "./", path);
    if (!kd_elf_file_is_whole(file)) {
        return kd_fail(err, KD_EPLUGIN, "%s: the file is cut short", path);
    }
    /* It stays, so that a leak detector can name the plugin's functions at the end. */
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char *why = dlerror();
        return kd_fail(err, KD_EPLUGIN, "%s", why ? why : path);
    }
    int rc = kd_plugin_take(handle, name, ret, &refusal);
    if (rc < 0) {
        (void)dlclose(handle); /* refused */
        (void)refused(&refusal, err);
        return kd_fail_prefix(err, rc, "%s", path);
    }
    *ret_handle = handle;
    return 0;
}

struct kd_test *kd_test_open(const char *path, struct kd_error *err)
{
    void *handle = NULL;
    struct kd_plugin plugin = { 0 };
    if (open_plugin(path, &handle, &plugin, err) < 0) {
        return NULL;
    }
    struct kd_test *test = kd_zalloc(sizeof(*test));
    test->loaded.handle = handle;
    test->loaded.plugin = plugin;
    test->now_ns = START_NS;
    kd_arena_init(&test->settings_memory, SETTINGS_MEMORY);
    kd_arena_init(&test->scratch, KD_MAX_SCRATCH);
    kd_buf_init(&test->journal, KD_KIT_TEXT_MAX);
    kd_buf_init(&test->answer, KD_KIT_TEXT_MAX);
    return test;
}

static int call_init(struct kd_test *test, const void *settings, struct kd_error *err)
{
    struct kd_error error = { 0 };
    const struct kd_plugin *plugin = &test->loaded.plugin;
    test->host = (struct kd_host){
        .struct_size = sizeof(struct kd_host),
        .abi_major = KD_ABI_MAJOR,
        .abi_minor = KD_ABI_MINOR,
        .caps = KD_CAPS_ALL,
        .version = KINDRED_VERSION,
        .log = host_log,
        .opaque = test,
    };
    int rc = plugin->init ? plugin->init(&test->host, settings, &test->instance.self, &error) : 0;
    error.text[sizeof(error.text) - 1] = '\0'; /* the plugin wrote it */
    if (rc < 0) {
        return kd_fail(err, KD_EPLUGIN, "init: %s (%s)",
                       error.text[0] ? error.text : "failed without a text", kd_errno_text(rc));
    }
    test->started = true;
    return 0;
}

int32_t kd_test_start(struct kd_test *test, struct kd_error *err)
{
    struct kd_refusal refusal = { 0 };
    void *settings = NULL;
    if (test->instance.plugin) {
        return kd_fail(err, KD_EINVAL, "the test is started already");
    }
    test->instance.name = test->loaded.plugin.name;
    test->instance.entry = &test->entry;
    test->instance.plugin = &test->loaded.plugin;
    int rc = kd_kit_fill_settings(test, &settings, &refusal);
    if (rc == 0) {
        rc = kd_kinds_take(&test->instance, &test->loaded, settings, &test->settings_memory,
                           &refusal);
    }
    return rc < 0 ? refused(&refusal, err) : call_init(test, settings, err);
}

void kd_test_close(struct kd_test *test)
{
    if (!test) {
        return;
    }
    if (test->started && test->loaded.plugin.fini) {
        test->loaded.plugin.fini(test->instance.self);
    }
    kd_kinds_release(&test->instance);
    kd_kit_release_settings(test);
    kd_kit_free_objects(test);
    kd_arena_release(&test->settings_memory);
    kd_arena_release(&test->scratch);
    kd_buf_release(&test->journal);
    kd_buf_release(&test->answer);
    (void)dlclose(test->loaded.handle); /* the code stays */
    kd_free(test);
}

const struct kd_plugin *kd_test_plugin(const struct kd_test *test)
{
    return &test->loaded.plugin;
}

const struct kd_kind *kd_test_kind(const struct kd_test *test, uint32_t i)
{
    return i < test->instance.n_kinds ? &test->instance.kinds[i].def : NULL;
}

int64_t kd_test_now(const struct kd_test *test)
{
    return test->now_ns;
}

void kd_test_advance(struct kd_test *test, int64_t ns)
{
    test->now_ns = kd_time_add_ns(test->now_ns, ns > 0 ? ns : 0);
}

int32_t kd_test_result(const struct kd_test *test)
{
    return test->result;
}

const char *kd_test_journal(struct kd_test *test)
{
    return test->journal.len ? test->journal.ptr : "";
}

void kd_test_forget(struct kd_test *test)
{
    kd_buf_clear(&test->journal, KD_KIT_TEXT_MAX);
}

void kd_test_fail(struct kd_test *test, uint32_t what, uint32_t nth)
{
    KD_ASSERT(what < KD_KIT_FAULTS);
    test->fail_at[what] = nth;
}

bool kd_kit_fails(struct kd_test *test, uint32_t what)
{
    test->calls[what]++;
    return test->fail_at[what] && test->calls[what] >= test->fail_at[what];
}
