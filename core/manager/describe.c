#include "manager/describe.h"

#include "plugin/settings.h"

#include <stdio.h>

static void print_resource(const char *resource, const char *group)
{
    printf("%s%s%s", resource, group[0] ? "." : "", group);
}

static void print_kind(const struct kd_kind *kind)
{
    printf("  kind %s: ", kind->kind);
    print_resource(kind->resource, kind->group);
    printf("/%s, %s%s%s", kind->version,
           kind->scope == KD_SCOPE_CLUSTER ? "cluster scope" : "namespaced",
           kind->flags & KD_KIND_METADATA_ONLY ? ", metadata only" : "",
           kind->flags & KD_KIND_OBSERVER ? ", observed" : "");
    for (uint32_t i = 0; i < kind->n_short_names; i++) {
        printf("%s%s", i ? ", " : ", also called ", kind->short_names[i]);
    }
    printf("\n");
    for (uint32_t i = 0; i < kind->n_indexes; i++) {
        printf("    index %s: %s\n", kind->indexes[i].name, kind->indexes[i].path);
    }
    for (uint32_t i = 0; i < kind->n_watches; i++) {
        printf("    watches ");
        print_resource(kind->watches[i].resource, kind->watches[i].group);
        printf("/%s\n", kind->watches[i].version);
    }
}

/* As it stands in the config file. */
static void print_default(const struct kd_option *option)
{
    bool quoted = option->type == KD_OPTION_STRING || option->type == KD_OPTION_DURATION;
    const char *text = option->value;
    if (!text) {
        text = option->type == KD_OPTION_STRINGS    ? "[]"
               : option->type == KD_OPTION_BOOL     ? "false"
               : option->type == KD_OPTION_INT      ? "0"
               : option->type == KD_OPTION_DURATION ? "0s"
                                                    : "";
    }
    printf("%s%s%s", quoted ? "\"" : "", text, quoted ? "\"" : "");
}

static void print_setting(const struct kd_option *option)
{
    char takes[96];
    kd_plugin_option_takes(option, takes, sizeof(takes));
    printf("  setting %s = ", option->key);
    print_default(option);
    printf(" (%s)%s%s\n", takes, option->help && option->help[0] ? ": " : "",
           option->help ? option->help : "");
}

static void print_needs(const struct kd_kind *kind)
{
    printf("  needs get, list, watch on ");
    print_resource(kind->resource, kind->group);
    printf("\n");
    for (uint32_t i = 0; i < kind->n_watches; i++) {
        printf("  needs get, list, watch on ");
        print_resource(kind->watches[i].resource, kind->watches[i].group);
        printf("\n");
    }
}

void kd_describe_instance(const struct kd_instance *instance)
{
    const struct kd_plugin *plugin = instance->plugin;
    printf("plugin %s %s", instance->name, plugin->version);
    for (size_t j = 0; j < instance->n_kinds; j++) {
        printf("%s", j ? ", " : ": ");
        print_resource(instance->kinds[j].def.resource, instance->kinds[j].def.group);
        printf("/%s", instance->kinds[j].def.version);
    }
    printf("\n");
    for (size_t j = 0; j < instance->n_kinds; j++) {
        print_kind(&instance->kinds[j].def);
    }
    for (uint32_t i = 0; i < plugin->n_options; i++) {
        struct kd_option option = kd_plugin_option_at(plugin, i);
        print_setting(&option);
    }
    for (size_t j = 0; j < instance->n_kinds; j++) {
        print_needs(&instance->kinds[j].def);
    }
}
