#include "ctl/options.h"

#include "base/str.h"

#include <getopt.h>

#define GRAPH_DEPTH 10
#define GRAPH_DEPTH_MAX 64

enum long_option {
    OPTION_SERVER = 256,
    OPTION_CA,
    OPTION_TOKEN,
    OPTION_FIELDS,
    OPTION_DEPTH,
    OPTION_DIRECTION,
    OPTION_PREDICATE,
    OPTION_SINCE,
    OPTION_VERSION,
};

static const struct option long_options[] = {
    { "server", required_argument, NULL, OPTION_SERVER },
    { "ca", required_argument, NULL, OPTION_CA },
    { "token-file", required_argument, NULL, OPTION_TOKEN },
    { "namespace", required_argument, NULL, 'n' },
    { "all-namespaces", no_argument, NULL, 'A' },
    { "selector", required_argument, NULL, 'l' },
    { "field-selector", required_argument, NULL, OPTION_FIELDS },
    { "output", required_argument, NULL, 'o' },
    { "depth", required_argument, NULL, OPTION_DEPTH },
    { "direction", required_argument, NULL, OPTION_DIRECTION },
    { "predicate", required_argument, NULL, OPTION_PREDICATE },
    { "follow", no_argument, NULL, 'f' },
    { "since", required_argument, NULL, OPTION_SINCE },
    { "help", no_argument, NULL, 'h' },
    { "version", no_argument, NULL, OPTION_VERSION },
    { NULL, 0, NULL, 0 },
};

/* Groups of options, for what a command takes. */
enum {
    TAKES_OUTPUT = 1u << 0,
    TAKES_NS = 1u << 1,
    TAKES_SELECTORS = 1u << 2,
    TAKES_DEPTH = 1u << 3,
    TAKES_DIRECTION = 1u << 4,
    TAKES_PREDICATE = 1u << 5,
    TAKES_FEED = 1u << 6, /* follow, since */
};

#define FORMAT(format) (1u << (format))

struct command {
    const char *name;
    const char *operands; /* as usage shows them */
    int least, most;      /* operands */
    unsigned takes;
    unsigned formats;
};

static const struct command commands[] = {
    [KD_CTL_GET] = { "get", " KIND [NAME]", 1, 2, TAKES_OUTPUT | TAKES_NS | TAKES_SELECTORS,
                     FORMAT(KD_CTL_TABLE) | FORMAT(KD_CTL_JSON) | FORMAT(KD_CTL_YAML) |
                         FORMAT(KD_CTL_NAME) },
    [KD_CTL_GRAPH] = { "graph", " KIND/NAME", 1, 1,
                       TAKES_OUTPUT | TAKES_NS | TAKES_DEPTH | TAKES_DIRECTION | TAKES_PREDICATE,
                       FORMAT(KD_CTL_TREE) | FORMAT(KD_CTL_JSON) | FORMAT(KD_CTL_DOT) },
    [KD_CTL_PATH] = { "path", " KIND/NAME KIND/NAME", 2, 2,
                      TAKES_OUTPUT | TAKES_NS | TAKES_DIRECTION | TAKES_PREDICATE,
                      FORMAT(KD_CTL_TREE) | FORMAT(KD_CTL_JSON) },
    [KD_CTL_IMPACT] = { "impact", " KIND/NAME", 1, 1, TAKES_OUTPUT | TAKES_NS,
                        FORMAT(KD_CTL_TABLE) | FORMAT(KD_CTL_JSON) },
    [KD_CTL_ORPHANS] = { "orphans", " [KIND]", 0, 1, TAKES_OUTPUT | TAKES_NS | TAKES_SELECTORS,
                         FORMAT(KD_CTL_TABLE) | FORMAT(KD_CTL_JSON) | FORMAT(KD_CTL_NAME) },
    [KD_CTL_UNRESOLVED] = { "unresolved", "", 0, 0, TAKES_OUTPUT | TAKES_PREDICATE,
                            FORMAT(KD_CTL_TABLE) | FORMAT(KD_CTL_JSON) },
    [KD_CTL_TRACE] = { "trace", " KIND/NAME", 1, 1, TAKES_OUTPUT | TAKES_NS,
                       FORMAT(KD_CTL_TABLE) | FORMAT(KD_CTL_JSON) },
    [KD_CTL_KINDS] = { "kinds", "", 0, 0, TAKES_OUTPUT,
                       FORMAT(KD_CTL_TABLE) | FORMAT(KD_CTL_JSON) },
    [KD_CTL_PLUGINS] = { "plugins", "", 0, 0, TAKES_OUTPUT,
                         FORMAT(KD_CTL_TABLE) | FORMAT(KD_CTL_JSON) },
    [KD_CTL_CHANGES] = { "changes", "", 0, 0, TAKES_OUTPUT | TAKES_FEED,
                         FORMAT(KD_CTL_TABLE) | FORMAT(KD_CTL_JSON) },
    [KD_CTL_STATUS] = { "status", "", 0, 0, TAKES_OUTPUT,
                        FORMAT(KD_CTL_TABLE) | FORMAT(KD_CTL_JSON) },
    [KD_CTL_STORE] = { "store", " check | backup FILE", 1, 2, TAKES_OUTPUT,
                       FORMAT(KD_CTL_TABLE) | FORMAT(KD_CTL_JSON) },
    [KD_CTL_DEBUG] = { "debug", " bundle FILE", 2, 2, 0, FORMAT(KD_CTL_TABLE) },
    [KD_CTL_VERSION] = { "version", "", 0, 0, 0, FORMAT(KD_CTL_TABLE) },
    [KD_CTL_HELP] = { "help", "", 0, 0, 0, FORMAT(KD_CTL_TABLE) },
};

static const char *const format_names[KD_CTL_FORMATS] = {
    [KD_CTL_TABLE] = "table", [KD_CTL_JSON] = "json", [KD_CTL_YAML] = "yaml",
    [KD_CTL_NAME] = "name",   [KD_CTL_TREE] = "tree", [KD_CTL_DOT] = "dot",
};

#define COMMANDS                                                                                   \
    "get, graph, path, impact, orphans, unresolved, trace, kinds, plugins, changes, status, "      \
    "store, "                                                                                      \
    "debug and version"

struct parse {
    struct kd_ctl_options options;
    const char *output; /* word behind -o */
    const char *depth;
    const char *since;
    unsigned used; /* TAKES_* of the options seen */
    bool help, version;
};

static void take(struct parse *parse, unsigned group, const char **place)
{
    parse->used |= group;
    *place = optarg;
}

static int take_option(struct parse *parse, int option, const char *word, struct kd_error *reterr)
{
    struct kd_ctl_options *options = &parse->options;
    switch (option) {
    case OPTION_SERVER:
        options->server = optarg;
        return 0;
    case OPTION_CA:
        options->ca = optarg;
        return 0;
    case OPTION_TOKEN:
        options->token = optarg;
        return 0;
    case 'n':
        take(parse, TAKES_NS, &options->ns);
        return 0;
    case 'A': /* what kubectl wants to hear: here it is so without -n */
        parse->used |= TAKES_NS;
        return 0;
    case 'l':
        take(parse, TAKES_SELECTORS, &options->labels);
        return 0;
    case OPTION_FIELDS:
        take(parse, TAKES_SELECTORS, &options->fields);
        return 0;
    case 'o':
        take(parse, TAKES_OUTPUT, &parse->output);
        return 0;
    case OPTION_DEPTH:
        take(parse, TAKES_DEPTH, &parse->depth);
        return 0;
    case OPTION_DIRECTION:
        take(parse, TAKES_DIRECTION, &options->direction);
        return 0;
    case OPTION_PREDICATE:
        take(parse, TAKES_PREDICATE, &options->predicate);
        return 0;
    case OPTION_SINCE:
        take(parse, TAKES_FEED, &parse->since);
        return 0;
    case 'f':
        options->follow = true;
        parse->used |= TAKES_FEED;
        return 0;
    case 'h':
        parse->help = true;
        return 0;
    case OPTION_VERSION:
        parse->version = true;
        return 0;
    case ':':
        return kd_fail(reterr, KD_EINVAL, "%s needs a value", word);
    default:
        return kd_fail(reterr, KD_EINVAL, "unknown option %s", word);
    }
}

static int read_options(int argc, char **argv, struct parse *parse, struct kd_error *reterr)
{
    int option;
    opterr = 0; /* the words are ours */
    optind = 0; /* starts over, whoever parsed before */
    while ((option = getopt_long(argc, argv, ":n:l:o:fhA", long_options, NULL)) != -1) {
        const char *word = optind > 0 ? argv[optind - 1] : "";
        char letter[] = { '-', (char)optopt, '\0' };
        bool by_letter = (option == ':' || option == '?') && optopt > 0 && optopt < OPTION_SERVER;
        KD_TRY(take_option(parse, option, by_letter ? letter : word, reterr));
    }
    return 0;
}

static int find_command(const char *word, enum kd_ctl_command *ret, struct kd_error *reterr)
{
    for (size_t i = 0; i < KD_ARRAY_LEN(commands); i++) {
        if (strcmp(commands[i].name, word) == 0) {
            *ret = (enum kd_ctl_command)i;
            return 0;
        }
    }
    return kd_fail(reterr, KD_EINVAL, "unknown command \"%s\": it is one of " COMMANDS, word);
}

static int check_used(const struct command *command, unsigned used, struct kd_error *reterr)
{
    static const char *const texts[] = { "-o",           "-n",          "-l or --field-selector",
                                         "--depth",      "--direction", "--predicate",
                                         "-f or --since" };
    for (size_t i = 0; i < KD_ARRAY_LEN(texts); i++) {
        if (used & ~command->takes & (1u << i)) {
            return kd_fail(reterr, KD_EINVAL, "%s takes no %s", command->name, texts[i]);
        }
    }
    return 0;
}

/* Without -o it is the first format that the command has, which is the one for people. */
static int find_format(const struct command *command, const char *word, enum kd_ctl_format *ret,
                       struct kd_error *reterr)
{
    char known[64] = "";
    size_t len = 0;
    bool tree = (command->formats & FORMAT(KD_CTL_TREE)) != 0;
    if (!word) {
        *ret = tree ? KD_CTL_TREE : KD_CTL_TABLE;
        return 0;
    }
    for (size_t i = 0; i < KD_CTL_FORMATS; i++) {
        if (!(command->formats & FORMAT(i))) {
            continue;
        }
        if (strcmp(format_names[i], word) == 0) {
            *ret = (enum kd_ctl_format)i;
            return 0;
        }
        size_t more = strlen(format_names[i]);
        memcpy(known + len, len ? ", " : "", len ? 2 : 0);
        len += len ? 2 : 0;
        memcpy(known + len, format_names[i], more + 1);
        len += more;
    }
    return kd_fail(reterr, KD_EINVAL, "-o %s: %s knows %s", word, command->name, known);
}

static int read_number(const char *name, const char *word, uint64_t max, uint64_t *ret,
                       struct kd_error *reterr)
{
    uint64_t number = 0;
    if (!kd_str_to_u64(kd_str_from(word), &number) || number > max) {
        return kd_fail(reterr, KD_EINVAL, "%s %s: it must be a whole number from 0 to %llu", name,
                       word, (unsigned long long)max);
    }
    *ret = number;
    return 0;
}

/* "KIND/NAME" or a whole reference, "KIND/NAMESPACE/NAME" with "" for cluster scope. */
static int split_place(char *word, const char *ns, struct kd_ctl_place *ret,
                       struct kd_error *reterr)
{
    char *first = strchr(word, '/');
    char *last = strrchr(word, '/');
    if (!first || first == word || last[1] == '\0') {
        return kd_fail(reterr, KD_EINVAL,
                       "\"%s\" is no resource: write KIND/NAME, as in deployment/web", word);
    }
    if (last != first) {
        if (ns || memchr(first + 1, '/', (size_t)(last - first - 1))) {
            return kd_fail(reterr, KD_EINVAL, "\"%s\": %s", word,
                           ns ? "it names a namespace, and so does -n" : "it has too many slashes");
        }
        ns = first + 1;
        *last = '\0';
    }
    *first = '\0';
    *ret = (struct kd_ctl_place){ .kind = word, .ns = ns, .name = last + 1 };
    return 0;
}

static int read_store_words(char **words, int n, struct kd_ctl_options *options,
                            struct kd_error *reterr)
{
    bool backup = strcmp(words[0], "backup") == 0;
    if ((!backup && strcmp(words[0], "check") != 0) || n != (backup ? 2 : 1)) {
        return kd_fail(reterr, KD_EINVAL, "write kindredctl store check, or store backup FILE");
    }
    options->name = backup ? words[1] : NULL;
    return 0;
}

static int read_debug_words(char **words, struct kd_ctl_options *options, struct kd_error *reterr)
{
    if (strcmp(words[0], "bundle") != 0) {
        return kd_fail(reterr, KD_EINVAL, "write kindredctl debug bundle FILE");
    }
    options->name = words[1];
    return 0;
}

static int read_operands(char **words, int n, struct kd_ctl_options *options,
                         struct kd_error *reterr)
{
    const struct command *command = &commands[options->command];
    if (n < command->least || n > command->most) {
        return kd_fail(reterr, KD_EINVAL, "%s: write kindredctl %s%s",
                       n < command->least ? "a word is missing" : "there are too many words",
                       command->name, command->operands);
    }
    if (command->formats & FORMAT(KD_CTL_TREE) || options->command == KD_CTL_IMPACT ||
        options->command == KD_CTL_TRACE) {
        KD_TRY(split_place(words[0], options->ns, &options->root, reterr));
        return n > 1 ? split_place(words[1], options->ns, &options->end, reterr) : 0;
    }
    if (options->command == KD_CTL_STORE) {
        return read_store_words(words, n, options, reterr);
    }
    if (options->command == KD_CTL_DEBUG) {
        return read_debug_words(words, options, reterr);
    }
    options->kind = n > 0 ? words[0] : NULL;
    options->name = n > 1 ? words[1] : NULL;
    if ((options->kind && !options->kind[0]) || (options->name && !options->name[0])) {
        return kd_fail(reterr, KD_EINVAL, "KIND and NAME must not be empty");
    }
    return 0;
}

static int check_direction(const char *word, struct kd_error *reterr)
{
    if (word && strcmp(word, "out") != 0 && strcmp(word, "in") != 0 && strcmp(word, "both") != 0) {
        return kd_fail(reterr, KD_EINVAL, "--direction %s: it must be out, in or both", word);
    }
    return 0;
}

int kd_ctl_options_parse(int argc, char **argv, struct kd_ctl_options *ret, struct kd_error *reterr)
{
    struct parse parse = { .options = { .depth = GRAPH_DEPTH } };
    struct kd_ctl_options *options = &parse.options;
    KD_TRY(read_options(argc, argv, &parse, reterr));
    if (parse.help || parse.version) {
        options->command = parse.help ? KD_CTL_HELP : KD_CTL_VERSION;
        *ret = *options;
        return 0;
    }
    if (optind >= argc) {
        return kd_fail(reterr, KD_EINVAL, "no command: it is one of " COMMANDS);
    }
    KD_TRY(find_command(argv[optind], &options->command, reterr));
    const struct command *command = &commands[options->command];
    KD_TRY(check_used(command, parse.used, reterr));
    KD_TRY(find_format(command, parse.output, &options->format, reterr));
    KD_TRY(check_direction(options->direction, reterr));
    if (parse.depth) {
        KD_TRY(read_number("--depth", parse.depth, GRAPH_DEPTH_MAX, &options->depth, reterr));
    }
    options->has_since = parse.since != NULL;
    if (parse.since) {
        KD_TRY(read_number("--since", parse.since, INT64_MAX, &options->since, reterr));
    }
    KD_TRY(read_operands(argv + optind + 1, argc - optind - 1, options, reterr));
    *ret = *options;
    return 0;
}
