#include "ctl/operands.h"

#include "base/str.h"

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

static int read_places(char **words, int n, struct kd_ctl_options *options, struct kd_error *reterr)
{
    KD_TRY(split_place(words[0], options->ns, &options->root, reterr));
    return n > 1 ? split_place(words[1], options->ns, &options->end, reterr) : 0;
}

/* As kubectl takes it: KIND,KIND NAME NAME or KIND/NAME; here a whole reference too. */
static int read_selection(char **words, int n, struct kd_ctl_options *options,
                          struct kd_error *reterr)
{
    options->kind = n > 0 ? words[0] : NULL;
    options->name = n > 1 ? words[1] : NULL;
    if (n == 1 && strchr(words[0], '/')) {
        struct kd_ctl_place place;
        KD_TRY(split_place(words[0], options->ns, &place, reterr));
        options->kind = place.kind;
        options->name = place.name;
        options->ns = place.ns && place.ns[0] ? place.ns : NULL;
    }
    options->more_names = n > 2 ? words + 2 : NULL;
    options->n_more = n > 2 ? (size_t)n - 2 : 0;
    if (options->watch && (n > 2 || strchr(words[0], ','))) {
        return kd_fail(reterr, KD_EINVAL, "-w watches one KIND, and one NAME of it at most");
    }
    for (int i = 0; i < n; i++) {
        if (!words[i][0]) {
            return kd_fail(reterr, KD_EINVAL, "KIND and NAME must not be empty");
        }
    }
    return 0;
}

static int read_store(char **words, int n, struct kd_ctl_options *options, struct kd_error *reterr)
{
    bool backup = strcmp(words[0], "backup") == 0;
    if ((!backup && strcmp(words[0], "check") != 0) || n != (backup ? 2 : 1)) {
        return kd_fail(reterr, KD_EINVAL, "write kindredctl store check, or store backup FILE");
    }
    options->file = backup ? words[1] : NULL;
    return 0;
}

static int read_debug(char **words, int n, struct kd_ctl_options *options, struct kd_error *reterr)
{
    (void)n; /* two, or it would not come here */
    if (strcmp(words[0], "bundle") != 0) {
        return kd_fail(reterr, KD_EINVAL, "write kindredctl debug bundle FILE");
    }
    options->file = words[1];
    return 0;
}

static int read_files(char **words, int n, struct kd_ctl_options *options, struct kd_error *reterr)
{
    (void)reterr;
    options->file = n > 0 ? words[0] : NULL;
    options->other = n > 1 ? words[1] : NULL;
    return 0;
}

typedef int (*read_fn)(char **words, int n, struct kd_ctl_options *options,
                       struct kd_error *reterr);

static const read_fn readers[KD_CTL_COMMANDS] = {
    [KD_CTL_GET] = read_selection,    [KD_CTL_GRAPH] = read_places,
    [KD_CTL_PATH] = read_places,      [KD_CTL_IMPACT] = read_places,
    [KD_CTL_TRACE] = read_places,     [KD_CTL_ORPHANS] = read_selection,
    [KD_CTL_STORE] = read_store,      [KD_CTL_EXPORT] = read_files,
    [KD_CTL_IMPORT] = read_files,     [KD_CTL_DIFF] = read_files,
    [KD_CTL_COMPLETION] = read_files, [KD_CTL_DEBUG] = read_debug,
};

int kd_ctl_operands_read(char **words, int n, struct kd_ctl_options *options,
                         struct kd_error *reterr)
{
    const struct kd_ctl_command_info *command = &kd_ctl_commands[options->command];
    if (n < command->least || n > command->most) {
        return kd_fail(reterr, KD_EINVAL, "%s: write kindredctl %s%s",
                       n < command->least ? "a word is missing" : "there are too many words",
                       command->name, command->operands);
    }
    read_fn reader = readers[options->command];
    return reader ? reader(words, n, options, reterr) : 0;
}
