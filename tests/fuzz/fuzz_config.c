/*
 * The config file on any bytes: it loads without a fault and every value is one that the keys
 * allow, or it does not load and each fault is told; and twice the same.
 */
#include "config/settings.h"

#include "base/log.h"
#include "memory_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_one_of(const char *text, const char *a, const char *b, const char *c)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0 || strcmp(text, c) == 0;
}

static void check_tuning(const struct kd_kind_tuning *tuning)
{
    KD_ASSERT(tuning->workers >= 1 && tuning->workers <= 1000);
    KD_ASSERT(tuning->list_page >= 1 && tuning->list_page <= 100000);
    KD_ASSERT(is_one_of(tuning->mode, "full", "fields", "metadata"));
    KD_ASSERT(tuning->watch_timeout_ns >= 1000000000 && tuning->stream_deadline_ns > 0);
    KD_ASSERT(tuning->resync_ns >= 0 && tuning->debounce_ns >= 0);
    KD_ASSERT(tuning->backoff_base_ns > 0 && tuning->backoff_max_ns >= tuning->backoff_base_ns);
}

static void check_kinds(const struct kd_config *config)
{
    for (size_t i = 0; i < config->n_kinds; i++) {
        const struct kd_kind_entry *entry = &config->kinds[i];
        KD_ASSERT(entry->plugin[0] && entry->name[0]);
        KD_ASSERT(entry->label_selector && entry->field_selector);
        check_tuning(&entry->tuning);
        for (size_t j = 0; j < i; j++) {
            KD_ASSERT(strcmp(config->kinds[j].name, entry->name) != 0);
        }
        for (size_t j = 0; j < entry->n_settings; j++) {
            KD_ASSERT(entry->settings[j].key[0] && entry->settings[j].place.file);
        }
    }
}

static void check_config(const struct kd_config *config)
{
    KD_ASSERT(config->cluster.qps >= 0 && config->cluster.burst >= 1);
    KD_ASSERT(config->cluster.max_object_bytes >= 1024 && config->cluster.max_body_bytes >= 1024);
    KD_ASSERT(config->leader.lease_duration_ns > config->leader.renew_deadline_ns);
    KD_ASSERT(is_one_of(config->log.format, "json", "text", "json"));
    KD_ASSERT(config->shutdown_grace_ns >= 0);
    check_tuning(&config->defaults);
    check_kinds(config);
}

/* The number of faults; 0 when it has loaded. */
static size_t load(const char *path)
{
    char *variables[] = { NULL };
    struct kd_config *config = NULL;
    struct kd_faults faults = { 0 };
    int rc = kd_config_load(path, variables, &config, &faults);
    KD_ASSERT(rc == 0 || rc == KD_ECONFIG);
    KD_ASSERT((rc == 0) == (config != NULL) && (rc == 0) == (faults.n == 0));
    if (config) {
        check_config(config);
    }
    for (size_t i = 0; i < faults.n; i++) {
        KD_ASSERT(faults.items[i][0] && !strchr(faults.items[i], '\n'));
    }
    size_t n = faults.n;
    kd_config_free(config);
    kd_faults_release(&faults);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file file;
    kd_log_set_level(KD_LOG_ERROR);
    memory_file_open(&file, data, size);
    KD_ASSERT(load(file.path) == load(file.path));
    memory_file_close(&file);
    return 0;
}
