/* Any kind from configuration alone, one for each entry. docs/graph.md says how rules read. */
#include "custom.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define SHORT_NAMES 8

#define AT(member) offsetof(struct custom_settings, member)
static const struct kd_option options[] = {
    { "group", KD_OPTION_STRING, AT(group), "", 0, 0, "API group of the kind; empty: the core's." },
    { "version", KD_OPTION_STRING, AT(version), "", 0, 0, "Version of the group, \"v1\"." },
    { "kind", KD_OPTION_STRING, AT(kind), "", 0, 0, "The kind, \"Widget\"." },
    { "resource", KD_OPTION_STRING, AT(resource), "", 0, 0, "Its name in URLs, \"widgets\"." },
    { "namespaced", KD_OPTION_BOOL, AT(namespaced), "true", 0, 0, "Whether it has namespaces." },
    { "short_names", KD_OPTION_STRINGS, AT(short_names), "[]", 0, 0,
      "Other names in commands, at most 8." },
    { "labels", KD_OPTION_STRINGS, AT(labels), "[]", 0, 0,
      "Labels from fields: \"KEY = PATH\" each." },
    { "relations", KD_OPTION_STRINGS, AT(relations), "[]", 0, 0,
      "\"PATH -> KIND[.GROUP][:VERSION] PREDICATE [cluster|namespace=MEMBER]\" each." },
};

static int32_t describe(const void *memory, struct kd_kind_sink *sink)
{
    const struct custom_settings *settings = memory;
    const char *short_names[SHORT_NAMES];
    char reason[CUSTOM_REASON];
    struct custom custom;
    if (custom_read(&custom, settings, reason) < 0 || settings->short_names.n > SHORT_NAMES) {
        return KD_ECONFIG;
    }
    for (uint64_t i = 0; i < settings->short_names.n; i++) {
        short_names[i] = settings->short_names.items[i].ptr;
    }
    const struct kd_kind kind = {
        .struct_size = sizeof(kind),
        .group = settings->group.len ? settings->group.ptr : "",
        .version = settings->version.ptr,
        .kind = settings->kind.ptr,
        .resource = settings->resource.ptr,
        .scope = settings->namespaced ? KD_SCOPE_NAMESPACED : KD_SCOPE_CLUSTER,
        .fields = custom.paths,
        .n_fields = custom.n_rules + custom.n_labels,
        .short_names = short_names,
        .n_short_names = (uint32_t)settings->short_names.n,
        .convert = custom_convert,
        .relate = custom_relate,
    };
    return sink->add(sink, &kind);
}

static int32_t init(const struct kd_host *host, const void *settings, void **self,
                    struct kd_error *err)
{
    struct custom *custom = malloc(sizeof(*custom));
    (void)host;
    if (!custom) {
        err->code = KD_ENOMEM;
        (void)snprintf(err->text, sizeof(err->text), "no memory for the rules");
        return KD_ENOMEM;
    }
    int32_t rc = custom_read(custom, settings, err->text);
    if (rc < 0) {
        err->code = rc;
        free(custom);
        return rc;
    }
    *self = custom;
    return 0;
}

static void fini(void *self)
{
    free(self);
}

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("custom", "1.0.0"),
    KD_ARRAY(options, n_options, options),
    .option_size = sizeof(struct kd_option),
    .settings_size = sizeof(struct custom_settings),
    .describe = describe,
    .init = init,
    .fini = fini,
};
