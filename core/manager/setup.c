#include "manager/setup.h"

#include "base/log.h"
#include "base/str.h"
#include "manager/gate.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

void kd_setup_log(const struct kd_log_settings *settings)
{
    uint32_t level = KD_LOG_INFO;
    if (kd_log_level_parse(kd_str_from(settings->level), &level) == 0) {
        kd_log_set_level(level);
    }
    kd_log_set_json(strcmp(settings->format, "json") == 0);
}

static void check_folder(struct kd_setup *setup, const char *folder, const char *key, bool strict)
{
    struct stat info;
    int code = stat(folder, &info) < 0 ? errno : S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    if (code == 0) {
        return;
    }
    if (strict) {
        kd_faults_add(&setup->faults, "%s: %s = \"%s\": %s", setup->config->path, key, folder,
                      strerror(code));
    } else {
        KD_WARN("plugin folder cannot be used", KD_F("key", key), KD_F("folder", folder),
                KD_F("error", strerror(code)));
    }
}

static void report_refusals(struct kd_setup *setup, bool strict)
{
    const struct kd_plugin_report *reports;
    size_t n = kd_plugins_report(setup->plugins, &reports);
    for (size_t i = 0; i < n; i++) {
        const struct kd_plugin_report *report = &reports[i];
        if (report->state != KD_PLUGIN_REFUSED) {
            continue;
        }
        bool is_config = report->error.code == KD_ECONFIG; /* the file is wrong, not the plugin */
        if (strict || is_config) {
            kd_faults_add(&setup->faults, "%s: plugin \"%s\" refused: %s (expected %s, found %s)",
                          report->file[0] ? report->file : setup->config->path, report->name,
                          report->error.text, report->expected, report->found);
        } else {
            KD_ERROR("plugin refused", KD_F("plugin", report->name), KD_F("file", report->file),
                     KD_F("rule", report->error.text), KD_F("expected", report->expected),
                     KD_F("found", report->found));
        }
    }
}

int kd_setup_load(struct kd_setup *setup, const char *path, char *const *env, bool strict)
{
    *setup = (struct kd_setup){ 0 };
    KD_TRY(kd_config_load(path, env, &setup->config, &setup->faults));
    kd_setup_log(&setup->config->log);
    kd_gate_check(setup->config, &setup->faults);
    bool must_load = strict || setup->config->plugins.required;
    if (setup->faults.n > 0 && !strict) {
        return KD_ECONFIG;
    }
    check_folder(setup, setup->config->plugins.directory, "plugins.directory", must_load);
    for (size_t i = 0; i < setup->config->plugins.extra.n; i++) {
        check_folder(setup, setup->config->plugins.extra.items[i], "plugins.extra", must_load);
    }
    setup->plugins = kd_plugins_load(setup->config);
    report_refusals(setup, must_load);
    return setup->faults.n > 0 ? KD_ECONFIG : 0;
}

void kd_setup_release(struct kd_setup *setup)
{
    kd_plugins_free(setup->plugins);
    kd_config_free(setup->config);
    kd_faults_release(&setup->faults);
    *setup = (struct kd_setup){ 0 };
}
