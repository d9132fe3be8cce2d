#include "ctl/complete.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/access.h"
#include "ctl/resources.h"
#include "json/json.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_MAX (64 * KD_MIB)
#define NAMES_MAX 500 /* that one question brings */

/* What the line says up to the word that is being typed. */
struct line {
    struct kd_ctl_session *session;
    const char *word;                          /* "" when it is still empty */
    const struct kd_ctl_command_info *command; /* NULL: not yet */
    int operands;                              /* before the word */
    const char *kind;                          /* the first of them */
    int waiting;                               /* the option whose value the word is; -1: none */
    const char *values[KD_CTL_OPTIONS];
};

static void offer(struct line *line, const char *before, struct kd_str text, const char *after)
{
    struct kd_buf *out = &line->session->out;
    size_t start = out->len;
    (void)kd_buf_puts(out, before); /* looked at when it is written, here and below */
    (void)kd_buf_put_str(out, text);
    (void)kd_buf_puts(out, after);
    if (strncmp(out->ptr + start, line->word, strlen(line->word)) != 0) {
        out->len = start;
        return;
    }
    (void)kd_buf_putc(out, '\n');
}

/* Words between spaces. */
static void offer_words(struct line *line, const char *words)
{
    struct kd_str rest = kd_str_from(words);
    while (rest.ptr) {
        offer(line, "", kd_str_cut(&rest, ' '), "");
    }
}

static void offer_files(struct line *line)
{
    (void)kd_buf_puts(&line->session->out, ":files\n");
}

/* The answer's items; an empty value when there are none. */
static struct kd_value ask(struct line *line, const char *target, struct kd_buf *body)
{
    struct kd_value answer = { 0 };
    struct kd_value items = { 0 };
    if (line->session->http && kd_ctl_fetch(line->session, target, body, &answer, NULL) == 0) {
        (void)kd_json_get(answer, KD_STR("items"), &items); /* none: an empty value */
    }
    return items;
}

static void offer_kinds(struct line *line, const char *after)
{
    KD_AUTO_BUF struct kd_buf body;
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value item;
    kd_buf_init(&body, ANSWER_MAX);
    kd_arena_init(&arena, KD_MIB);
    kd_json_iter_init(&iter, ask(line, "/api/v1/kinds", &body));
    while (kd_json_iter_next(&iter, &key, &item)) {
        offer(line, "", kd_json_get_str(item, KD_STR("resource"), &arena), after);
    }
}

/* Names of a kind; `before` is what stands in front of them in the same word. */
static void offer_names(struct line *line, const char *kind, const char *before)
{
    KD_AUTO_BUF struct kd_buf body;
    KD_AUTO_BUF struct kd_buf target;
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value item;
    kd_buf_init(&body, ANSWER_MAX);
    kd_buf_init(&target, 64 * KD_KIB);
    kd_arena_init(&arena, KD_MIB);
    (void)kd_buf_printf(&target, "/api/v1/resources?limit=%d", NAMES_MAX); /* it has room */
    kd_ctl_query_add(&target, "kind", kind);
    kd_ctl_query_add(&target, "namespace", line->values[KD_CTL_OPT_NAMESPACE]);
    if (kd_buf_failed(&target)) {
        return;
    }
    kd_json_iter_init(&iter, ask(line, target.ptr, &body));
    while (kd_json_iter_next(&iter, &key, &item)) {
        struct kd_ref ref = kd_ctl_ref_of(item, "ref", &arena);
        offer(line, before, ref.name, "");
    }
}

/* KIND/, and behind the slash a name. */
static void offer_place(struct line *line)
{
    KD_AUTO_BUF struct kd_buf kind = { 0 };
    KD_AUTO_BUF struct kd_buf before = { 0 };
    const char *slash = strchr(line->word, '/');
    if (!slash) {
        offer_kinds(line, "/");
        return;
    }
    kd_buf_init(&kind, KD_KIB);
    size_t len = (size_t)(slash - line->word);
    kd_buf_init(&before, KD_KIB);
    (void)kd_buf_put(&kind, line->word, len);
    (void)kd_buf_putc(&kind, '\0');
    (void)kd_buf_put(&before, line->word, len + 1);
    (void)kd_buf_putc(&before, '\0');
    if (!kd_buf_failed(&kind) && !kd_buf_failed(&before)) {
        offer_names(line, kind.ptr, before.ptr);
    }
}

static void offer_operand(struct line *line)
{
    const struct kd_ctl_command_info *command = line->command;
    if (line->operands >= command->most) {
        return;
    }
    if (command->words && line->operands == 0) {
        offer_words(line, command->words);
    } else if (strstr(command->operands, "KIND/NAME") != NULL) {
        offer_place(line);
    } else if (strstr(command->operands, "KIND") != NULL) {
        if (line->operands == 0) {
            strchr(line->word, '/') ? offer_place(line) : offer_kinds(line, "");
        } else {
            offer_names(line, line->kind, "");
        }
    } else {
        offer_files(line);
    }
}

static void offer_formats(struct line *line)
{
    for (size_t i = 0; line->command && i < KD_CTL_FORMATS; i++) {
        if (line->command->formats & KD_CTL_BIT(i)) {
            offer(line, "", kd_str_from(kd_ctl_formats[i]), i == KD_CTL_JSONPATH ? "=" : "");
        }
    }
}

static void offer_value(struct line *line)
{
    switch (line->waiting) {
    case KD_CTL_OPT_OUTPUT:
        offer_formats(line);
        break;
    case KD_CTL_OPT_NAMESPACE:
        offer_names(line, "namespaces", "");
        break;
    case KD_CTL_OPT_DIRECTION:
        offer_words(line, "out in both");
        break;
    case KD_CTL_OPT_FORMAT:
        offer_words(line, "jsonl graphml csv");
        break;
    case KD_CTL_OPT_CA:
    case KD_CTL_OPT_TOKEN_FILE:
    case KD_CTL_OPT_DIR:
        offer_files(line);
        break;
    default:
        break; /* a text of one's own */
    }
}

static void offer_options(struct line *line)
{
    uint32_t known = KD_CTL_GLOBAL | (line->command ? line->command->options : 0);
    for (size_t i = 0; i < KD_CTL_OPTIONS; i++) {
        if (known & KD_CTL_BIT(i)) {
            offer(line, "--", kd_str_from(kd_ctl_options[i].name), "");
        }
    }
}

static void offer_commands(struct line *line)
{
    for (size_t i = 0; i < KD_CTL_COMMANDS; i++) {
        offer(line, "", kd_str_from(kd_ctl_commands[i].name), "");
    }
}

/* The option that a whole word is; "--name=value" has its value already. */
static int option_of(const char *word, const char **ret_value)
{
    *ret_value = NULL;
    for (int i = 0; i < KD_CTL_OPTIONS; i++) {
        const struct kd_ctl_option_info *info = &kd_ctl_options[i];
        size_t len = strlen(info->name);
        if (word[1] == '-' && strncmp(word + 2, info->name, len) == 0 &&
            (word[2 + len] == '\0' || word[2 + len] == '=')) {
            *ret_value = word[2 + len] ? word + 3 + len : NULL;
            return i;
        }
        if (info->letter && word[1] == info->letter) {
            *ret_value = word[2] ? word + 2 : NULL;
            return i;
        }
    }
    return -1;
}

static void read_option(struct line *line, const char *word)
{
    const char *value = NULL;
    int option = option_of(word, &value);
    if (option >= 0 && kd_ctl_options[option].value) {
        line->values[option] = value;
        line->waiting = value ? -1 : option;
    }
}

static void read_word(struct line *line, const char *word)
{
    if (line->waiting >= 0) {
        line->values[line->waiting] = word;
        line->waiting = -1;
    } else if (word[0] == '-' && word[1]) {
        read_option(line, word);
    } else if (line->command) {
        line->kind = line->operands++ == 0 ? word : line->kind;
    } else {
        for (size_t i = 0; i < KD_CTL_COMMANDS && !line->command; i++) {
            bool is = strcmp(kd_ctl_commands[i].name, word) == 0;
            line->command = is ? &kd_ctl_commands[i] : NULL;
        }
    }
}

/* The server that the line names. One that cannot be asked is none. */
static bool find_server(struct line *line, struct kd_ctl_address *address, struct kd_buf *token)
{
    const struct kd_ctl_options options = {
        .server = line->values[KD_CTL_OPT_SERVER],
        .ca = line->values[KD_CTL_OPT_CA],
        .token = line->values[KD_CTL_OPT_TOKEN],
        .token_file = line->values[KD_CTL_OPT_TOKEN_FILE],
    };
    return kd_ctl_access_read(&options, address, token, NULL) == 0;
}

static void offer_all(struct line *line)
{
    if (line->waiting >= 0) {
        offer_value(line);
    } else if (line->word[0] == '-') {
        offer_options(line);
    } else if (line->command) {
        offer_operand(line);
    } else {
        offer_commands(line);
    }
}

void kd_ctl_complete(struct kd_ctl_session *session, char **words, int n)
{
    KD_AUTO_BUF struct kd_buf token;
    struct kd_ctl_address address;
    struct line line = { .session = session, .word = n > 0 ? words[n - 1] : "", .waiting = -1 };
    kd_buf_init(&token, KD_MAX_TOKEN);
    for (int i = 0; i + 1 < n; i++) {
        read_word(&line, words[i]);
    }
    if (find_server(&line, &address, &token)) {
        session->address = &address;
        session->http = kd_ctl_http_new(&address);
    }
    offer_all(&line);
    kd_ctl_http_free(kd_steal(session->http));
    session->address = NULL;
}

int kd_ctl_complete_run(int argc, char **argv)
{
    struct kd_ctl_session session = { .clock = &kd_system_clock, .fd = STDOUT_FILENO };
    kd_buf_init(&session.out, ANSWER_MAX);
    (void)curl_global_init(CURL_GLOBAL_DEFAULT); /* its failure shows as one of the handle */
    kd_ctl_complete(&session, argv, argc);
    int rc = kd_ctl_flush(&session, NULL);
    kd_buf_release(&session.out);
    curl_global_cleanup();
    return rc < 0;
}
