/* The words behind `kindredctl plugin`. */
#include "base/str.h"
#include "ctl/ctl.h"
#include "ctl/plugin_new.h"

#include <getopt.h>
#include <stdio.h>

#define USAGE "write kindredctl plugin new NAME --group GROUP --version VERSION --resource RESOURCE"
#define NAME_MAX_LEN 63u
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static const struct option options[] = {
    { "group", required_argument, NULL, 'g' },    { "version", required_argument, NULL, 'v' },
    { "resource", required_argument, NULL, 'r' }, { "kind", required_argument, NULL, 'k' },
    { "dir", required_argument, NULL, 'd' },      { NULL, 0, NULL, 0 },
};

static int read_words(int argc, char **argv, struct kd_ctl_plugin *plugin, struct kd_error *reterr)
{
    int option;
    opterr = 0; /* the words are ours */
    optind = 0; /* starts over, whoever parsed before */
    while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        const char **const places[] = { ['g'] = &plugin->group,
                                        ['v'] = &plugin->version,
                                        ['r'] = &plugin->resource,
                                        ['k'] = &plugin->kind,
                                        ['d'] = &plugin->folder };
        if (option == ':' || option == '?') {
            return kd_fail(reterr, KD_EINVAL, "%s: %s; " USAGE, argv[optind - 1],
                           option == ':' ? "it needs a value" : "unknown option");
        }
        *places[option] = optarg;
    }
    return 0;
}

static bool is_made_of(const char *text, const char *letters)
{
    size_t len = strlen(text);
    return len > 0 && len <= NAME_MAX_LEN && strspn(text, letters) == len;
}

/* These go into C and JSON text as they are, so that only plain letters will do. */
static int check_words(const struct kd_ctl_plugin *plugin, struct kd_error *reterr)
{
    const struct {
        const char *word, *text, *letters, *takes;
        bool may_be_empty;
    } rules[] = {
        { "NAME", plugin->name, LOWER DIGITS "-", "a-z, 0-9 and -", false },
        { "--group", plugin->group, LOWER DIGITS "-.", "a-z, 0-9, - and . (\"\" for core)", true },
        { "--version", plugin->version, LOWER DIGITS, "a-z and 0-9, as in v1", false },
        { "--resource", plugin->resource, LOWER DIGITS "-", "a-z, 0-9 and -", false },
        { "--kind", plugin->kind, LOWER UPPER DIGITS, "letters and digits", false },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(rules); i++) {
        const char *text = rules[i].text;
        if (!text && i < KD_ARRAY_LEN(rules) - 1) {
            return kd_fail(reterr, KD_EINVAL, "%s is missing: " USAGE, rules[i].word);
        }
        if (text && !(text[0] == '\0' && rules[i].may_be_empty) &&
            !is_made_of(text, rules[i].letters)) {
            return kd_fail(reterr, KD_EINVAL, "%s \"%s\": it takes %s, at most 63 of them",
                           rules[i].word, text, rules[i].takes);
        }
    }
    return 0;
}

int kd_ctl_plugin_parse(int argc, char **argv, struct kd_ctl_plugin *ret, struct kd_error *reterr)
{
    struct kd_ctl_plugin plugin = { 0 };
    KD_TRY(read_words(argc, argv, &plugin, reterr));
    int n = argc - optind;
    if (n != 2 || strcmp(argv[optind], "new") != 0) {
        return kd_fail(reterr, KD_EINVAL, "%s: " USAGE,
                       n < 2 ? "a word is missing" : "there are too many words");
    }
    plugin.name = argv[optind + 1];
    KD_TRY(check_words(&plugin, reterr));
    *ret = plugin;
    return 0;
}

int kd_ctl_plugin_run(int argc, char **argv)
{
    struct kd_error error = { 0 };
    struct kd_ctl_plugin plugin;
    int rc = kd_ctl_plugin_parse(argc, argv, &plugin, &error);
    int code = rc < 0 ? KD_CTL_USAGE : KD_CTL_FAILED;
    if (rc == 0) {
        rc = kd_ctl_plugin_write(&plugin, &error);
    }
    if (rc < 0) {
        (void)fprintf(stderr, "kindredctl: %s\n", error.text);
        return code;
    }
    printf("%s: a plugin for %s%s%s/%s; its README.md says how to build, test and load it\n",
           plugin.folder ? plugin.folder : plugin.name, plugin.resource, plugin.group[0] ? "." : "",
           plugin.group, plugin.version);
    return KD_CTL_DONE;
}
