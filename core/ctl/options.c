#include "ctl/options.h"

#include "base/buf.h"
#include "base/str.h"
#include "ctl/operands.h"

#include <getopt.h>

#define GRAPH_DEPTH 10
#define GRAPH_DEPTH_MAX 64
#define TOP_INTERVAL 2
#define TOP_INTERVAL_MAX 3600
#define LONG_ONLY 256 /* codes of options beyond their letters */
#define MESSAGE_MAX 256

struct parse {
    const char *values[KD_CTL_OPTIONS];
    uint32_t used; /* bits of kd_ctl_option */
};

static int code_of(size_t option)
{
    char letter = kd_ctl_options[option].letter;
    return letter ? letter : LONG_ONLY + (int)option;
}

static void make_tables(struct option longs[KD_CTL_OPTIONS + 1], char *letters)
{
    size_t n = 0;
    letters[n++] = ':';
    for (size_t i = 0; i < KD_CTL_OPTIONS; i++) {
        const struct kd_ctl_option_info *info = &kd_ctl_options[i];
        longs[i] = (struct option){ info->name, info->value ? required_argument : no_argument, NULL,
                                    code_of(i) };
        if (info->letter) {
            letters[n++] = info->letter;
            letters[n] = ':';
            n += info->value ? 1 : 0;
        }
    }
    longs[KD_CTL_OPTIONS] = (struct option){ NULL, 0, NULL, 0 };
    letters[n] = '\0';
}

/* Words in which getopt's complaint is about an option. */
static int complain(int option, const char *word, struct kd_error *reterr)
{
    char letter[] = { '-', (char)optopt, '\0' };
    bool by_letter = optopt > 0 && optopt < LONG_ONLY;
    return kd_fail(reterr, KD_EINVAL, option == ':' ? "%s needs a value" : "unknown option %s",
                   by_letter ? letter : word);
}

static int read_options(int argc, char **argv, struct parse *parse, struct kd_error *reterr)
{
    struct option longs[KD_CTL_OPTIONS + 1];
    char letters[3 * KD_CTL_OPTIONS];
    int option;
    make_tables(longs, letters);
    opterr = 0; /* the words are ours */
    optind = 0; /* starts over, whoever parsed before */
    while ((option = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (option == ':' || option == '?') {
            return complain(option, optind > 0 ? argv[optind - 1] : "", reterr);
        }
        for (size_t i = 0; i < KD_CTL_OPTIONS; i++) {
            if (code_of(i) == option) {
                parse->used |= KD_CTL_BIT(i);
                parse->values[i] = optarg;
            }
        }
    }
    return 0;
}

/* One more word of a list, the way people write lists. All of ours fit. */
static void add_word(struct kd_buf *list, const char *word)
{
    (void)kd_buf_puts(list, list->len ? ", " : "");
    (void)kd_buf_puts(list, word);
}

static int find_command(const char *word, enum kd_ctl_command *ret, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf known;
    kd_buf_init(&known, MESSAGE_MAX);
    for (size_t i = 0; i < KD_CTL_COMMANDS; i++) {
        if (word && strcmp(kd_ctl_commands[i].name, word) == 0) {
            *ret = (enum kd_ctl_command)i;
            return 0;
        }
        add_word(&known, kd_ctl_commands[i].name);
    }
    return word ? kd_fail(reterr, KD_EINVAL, "unknown command \"%s\": it is one of %s", word,
                          known.ptr)
                : kd_fail(reterr, KD_EINVAL, "no command: it is one of %s", known.ptr);
}

static int check_used(const struct kd_ctl_command_info *command, uint32_t used,
                      struct kd_error *reterr)
{
    for (size_t i = 0; i < KD_CTL_OPTIONS; i++) {
        const struct kd_ctl_option_info *option = &kd_ctl_options[i];
        if (!(used & ~(command->options | KD_CTL_GLOBAL) & KD_CTL_BIT(i))) {
            continue;
        }
        return option->letter
                   ? kd_fail(reterr, KD_EINVAL, "%s takes no -%c", command->name, option->letter)
                   : kd_fail(reterr, KD_EINVAL, "%s takes no --%s", command->name, option->name);
    }
    return 0;
}

static int refuse_format(const struct kd_ctl_command_info *command, const char *word,
                         struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf known;
    kd_buf_init(&known, MESSAGE_MAX);
    for (size_t i = 0; i < KD_CTL_FORMATS; i++) {
        if (command->formats & KD_CTL_BIT(i)) {
            add_word(&known, kd_ctl_formats[i]);
        }
    }
    return kd_fail(reterr, KD_EINVAL, "-o %s: %s knows %s%s", word, command->name, known.ptr,
                   command->formats & KD_CTL_BIT(KD_CTL_JSONPATH) ? "=TEMPLATE" : "");
}

/* Without -o it is the first format that the command has, which is the one for people. */
static int read_format(const struct kd_ctl_command_info *command, const char *word,
                       struct kd_ctl_options *options, struct kd_error *reterr)
{
    static const struct kd_str path = KD_STR_INIT("jsonpath=");
    bool is_path = word && kd_str_starts(kd_str_from(word), path);
    for (size_t i = 0; i < KD_CTL_FORMATS; i++) {
        bool named = !word || (is_path ? i == KD_CTL_JSONPATH
                                       : i != KD_CTL_JSONPATH && !strcmp(kd_ctl_formats[i], word));
        if (named && command->formats & KD_CTL_BIT(i)) {
            options->wide = i == KD_CTL_WIDE;
            options->format = options->wide ? KD_CTL_TABLE : (enum kd_ctl_format)i;
            options->template = is_path ? word + path.len : NULL;
            return 0;
        }
    }
    return refuse_format(command, word, reterr);
}

static int read_number(const struct parse *parse, enum kd_ctl_option option, uint64_t least,
                       uint64_t most, uint64_t *ret, struct kd_error *reterr)
{
    const char *word = parse->values[option];
    uint64_t number = 0;
    if (!word) {
        return 0;
    }
    if (!kd_str_to_u64(kd_str_from(word), &number) || number < least || number > most) {
        return kd_fail(reterr, KD_EINVAL, "--%s %s: it must be a whole number from %llu to %llu",
                       kd_ctl_options[option].name, word, (unsigned long long)least,
                       (unsigned long long)most);
    }
    *ret = number;
    return 0;
}

/* One of a few words; NULL: the first. */
static int read_choice(const struct parse *parse, enum kd_ctl_option option,
                       const char *const words[3], const char *list, size_t *ret,
                       struct kd_error *reterr)
{
    const char *word = parse->values[option];
    for (size_t i = 0; i < 3; i++) {
        if (!word || strcmp(words[i], word) == 0) {
            *ret = i;
            return 0;
        }
    }
    return kd_fail(reterr, KD_EINVAL, "--%s %s: it must be %s", kd_ctl_options[option].name, word,
                   list);
}

static int read_values(const struct parse *parse, struct kd_ctl_options *options,
                       struct kd_error *reterr)
{
    static const char *const directions[] = { "out", "in", "both" };
    static const char *const exports[] = { "jsonl", "graphml", "csv" };
    size_t direction = 0;
    size_t export_format = 0;
    KD_TRY(read_number(parse, KD_CTL_OPT_DEPTH, 0, GRAPH_DEPTH_MAX, &options->depth, reterr));
    KD_TRY(read_number(parse, KD_CTL_OPT_SINCE, 0, INT64_MAX, &options->since, reterr));
    KD_TRY(
        read_number(parse, KD_CTL_OPT_INTERVAL, 1, TOP_INTERVAL_MAX, &options->interval, reterr));
    KD_TRY(read_choice(parse, KD_CTL_OPT_DIRECTION, directions, "out, in or both", &direction,
                       reterr));
    KD_TRY(read_choice(parse, KD_CTL_OPT_FORMAT, exports, "jsonl, graphml or csv", &export_format,
                       reterr));
    options->export_format = (enum kd_ctl_export_format)export_format;
    options->folder = parse->values[KD_CTL_OPT_DIR];
    if (options->command == KD_CTL_EXPORT &&
        (options->export_format == KD_CTL_EXPORT_CSV) != (options->folder != NULL)) {
        return kd_fail(reterr, KD_EINVAL,
                       options->folder
                           ? "--dir is for --format csv: jsonl and graphml go to the "
                             "standard output"
                           : "--format csv makes two files: name their folder by --dir");
    }
    return 0;
}

static bool has(const struct parse *parse, enum kd_ctl_option option)
{
    return (parse->used & KD_CTL_BIT(option)) != 0;
}

static void take_texts(const struct parse *parse, struct kd_ctl_options *options)
{
    options->server = parse->values[KD_CTL_OPT_SERVER];
    options->ca = parse->values[KD_CTL_OPT_CA];
    options->token = parse->values[KD_CTL_OPT_TOKEN];
    options->token_file = parse->values[KD_CTL_OPT_TOKEN_FILE];
    options->ns = parse->values[KD_CTL_OPT_NAMESPACE];
    options->labels = parse->values[KD_CTL_OPT_SELECTOR];
    options->fields = parse->values[KD_CTL_OPT_FIELDS];
    options->direction = parse->values[KD_CTL_OPT_DIRECTION];
    options->predicate = parse->values[KD_CTL_OPT_PREDICATE];
    options->has_since = has(parse, KD_CTL_OPT_SINCE);
    options->follow = has(parse, KD_CTL_OPT_FOLLOW);
    options->watch = has(parse, KD_CTL_OPT_WATCH);
    options->no_headers = has(parse, KD_CTL_OPT_NO_HEADERS);
}

/* -A beside -n: kubectl takes all namespaces then. */
static void take_all_namespaces(const struct parse *parse, struct kd_ctl_options *options)
{
    options->ns = has(parse, KD_CTL_OPT_ALL) ? NULL : options->ns;
}

int kd_ctl_options_parse(int argc, char **argv, struct kd_ctl_options *ret, struct kd_error *reterr)
{
    struct parse parse = { .used = 0 };
    struct kd_ctl_options options = { .depth = GRAPH_DEPTH, .interval = TOP_INTERVAL };
    KD_TRY(read_options(argc, argv, &parse, reterr));
    if (has(&parse, KD_CTL_OPT_HELP) || has(&parse, KD_CTL_OPT_VERSION)) {
        options.command = has(&parse, KD_CTL_OPT_HELP) ? KD_CTL_HELP : KD_CTL_VERSION;
        options.format = KD_CTL_TABLE;
        *ret = options;
        return 0;
    }
    KD_TRY(find_command(optind < argc ? argv[optind] : NULL, &options.command, reterr));
    const struct kd_ctl_command_info *command = &kd_ctl_commands[options.command];
    KD_TRY(check_used(command, parse.used, reterr));
    KD_TRY(read_format(command, parse.values[KD_CTL_OPT_OUTPUT], &options, reterr));
    take_texts(&parse, &options);
    take_all_namespaces(&parse, &options);
    KD_TRY(read_values(&parse, &options, reterr));
    KD_TRY(kd_ctl_operands_read(argv + optind + 1, argc - optind - 1, &options, reterr));
    *ret = options;
    return 0;
}
