#include "base/limits.h"
#include "base/str.h"
#include "ctl/jsonpath_form.h"
#include "json/json.h"

#define DEPTH_MAX 16 /* of ranges within ranges */

struct reader {
    const char *start;
    const char *at;
    struct kd_arena *arena;
    struct kd_error *reterr;
    unsigned depth;
};

static int fail(const struct reader *reader, const char *what)
{
    return kd_fail(reader->reterr, KD_EINVAL, "jsonpath, character %zu (\"%.20s\"): %s",
                   (size_t)(reader->at - reader->start) + 1, reader->at, what);
}

static void *make(const struct reader *reader, size_t size)
{
    void *ptr = kd_arena_alloc(reader->arena, size);
    if (ptr) {
        memset(ptr, 0, size);
    }
    return ptr;
}

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\n");
}

static bool take(struct reader *reader, const char *word)
{
    size_t len = strlen(word);
    bool is = strncmp(reader->at, word, len) == 0;
    reader->at += is ? len : 0;
    return is;
}

static bool ends_name(char c)
{
    return strchr(" \t\n.,[]$@{}()=!<>\"'", c) != NULL; /* the end of the text too */
}

/* A plain name; a backslash takes the next character as it is. */
static int read_name(struct reader *reader, struct kd_str *ret)
{
    char *out = kd_arena_alloc(reader->arena, strlen(reader->at) + 1);
    size_t n = 0;
    KD_ENSURE(out, fail(reader, "no memory"));
    while (!ends_name(*reader->at)) {
        reader->at += *reader->at == '\\' && reader->at[1] ? 1 : 0;
        out[n++] = *reader->at++;
    }
    *ret = (struct kd_str){ out, n };
    return n > 0 ? 0 : fail(reader, "here a name is missing");
}

static char escaped(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/* Between ' or ". */
static int read_quoted(struct reader *reader, struct kd_str *ret)
{
    char quote = *reader->at;
    char *out = kd_arena_alloc(reader->arena, strlen(reader->at) + 1);
    size_t n = 0;
    KD_ENSURE(out, fail(reader, "no memory"));
    for (const char *at = reader->at + 1; *at; at++) {
        if (*at == quote) {
            reader->at = at + 1;
            *ret = (struct kd_str){ out, n };
            return 0;
        }
        bool escape = *at == '\\' && at[1];
        at += escape;
        out[n++] = escape ? escaped(*at) : *at;
    }
    return fail(reader, "this quote has no end");
}

/* Whole numbers; *ret_has is false where none stands. */
static int read_number(struct reader *reader, int64_t *ret, bool *ret_has)
{
    bool minus = *reader->at == '-';
    size_t len = strspn(reader->at + minus, "0123456789");
    uint64_t number = 0;
    skip_blanks(reader);
    *ret_has = len > 0;
    if (len == 0) {
        return minus ? fail(reader, "here digits are missing") : 0;
    }
    if (!kd_str_to_u64((struct kd_str){ reader->at + minus, len }, &number) || number > INT32_MAX) {
        return fail(reader, "this number is too large");
    }
    reader->at += minus + len;
    *ret = minus ? -(int64_t)number : (int64_t)number;
    return 0;
}

/* "2", "1:3", ":-1", "::2" */
static int read_range(struct reader *reader, struct kd_jsonpath_step *step)
{
    bool has_by = false;
    step->type = KD_STEP_RANGE;
    step->by = 1;
    KD_TRY(read_number(reader, &step->from, &step->has_from));
    if (!take(reader, ":")) {
        step->has_to = step->from != -1;
        step->to = step->from + 1;
        return step->has_from ? 0 : fail(reader, "write an index, a range, *, 'name' or ?(...)");
    }
    KD_TRY(read_number(reader, &step->to, &step->has_to));
    if (take(reader, ":")) {
        KD_TRY(read_number(reader, &step->by, &has_by));
    }
    return step->by > 0 ? 0 : fail(reader, "a range goes forward: its step is 1 or more");
}

static int read_choice(struct reader *reader, struct kd_jsonpath_step *step)
{
    skip_blanks(reader);
    if (*reader->at == '\'' || *reader->at == '"') {
        step->type = KD_STEP_FIELD;
        return read_quoted(reader, &step->name);
    }
    return read_range(reader, step);
}

/* What stands in brackets but for * and filters. */
static int read_choices(struct reader *reader, struct kd_jsonpath_step *step)
{
    struct kd_jsonpath_step first = { 0 };
    KD_TRY(read_choice(reader, &first));
    skip_blanks(reader);
    if (*reader->at != ',') {
        *step = first;
        return 0;
    }
    struct kd_jsonpath_step **last = &step->choices;
    step->type = KD_STEP_UNION;
    do {
        struct kd_jsonpath_step *choice = make(reader, sizeof(*choice));
        KD_ENSURE(choice, fail(reader, "no memory"));
        if (last == &step->choices) {
            *choice = first;
        } else {
            KD_TRY(read_choice(reader, choice));
        }
        *last = choice;
        last = &choice->next;
        skip_blanks(reader);
    } while (take(reader, ","));
    return 0;
}

static int read_way(struct reader *reader, struct kd_jsonpath_way *ret);

static int read_literal(struct reader *reader, struct kd_value *ret)
{
    if (*reader->at == '\'' || *reader->at == '"') {
        struct kd_str text;
        KD_AUTO_BUF struct kd_buf json = { 0 };
        KD_TRY(read_quoted(reader, &text));
        kd_buf_init(&json, KD_MIB);
        struct kd_str copy = { NULL, 0 };
        if (kd_buf_put_json(&json, text) == 0) {
            copy = kd_arena_copy(reader->arena, kd_buf_str(&json));
        }
        KD_ENSURE(copy.ptr, fail(reader, "no memory"));
        int rc = kd_json_parse(copy, ret, NULL);
        return rc < 0 ? fail(reader, "this text cannot be compared with") : 0;
    }
    size_t len = strcspn(reader->at, " \t)=!<>");
    if (kd_json_parse((struct kd_str){ reader->at, len }, ret, NULL) < 0) {
        return fail(reader, "write @.name, 'text', a number, true or false");
    }
    reader->at += len;
    return 0;
}

static int read_side(struct reader *reader, struct kd_jsonpath_side *ret)
{
    skip_blanks(reader);
    ret->is_literal = *reader->at != '@' && *reader->at != '$' && *reader->at != '.';
    KD_TRY(ret->is_literal ? read_literal(reader, &ret->literal) : read_way(reader, &ret->way));
    skip_blanks(reader);
    return 0;
}

static int read_filter(struct reader *reader, struct kd_jsonpath_step *step)
{
    static const struct {
        const char *word;
        enum kd_jsonpath_compare compare;
    } words[] = { { "==", KD_TEST_EQUAL },    { "!=", KD_TEST_UNEQUAL }, { "<=", KD_TEST_AT_MOST },
                  { ">=", KD_TEST_AT_LEAST }, { "<", KD_TEST_LESS },     { ">", KD_TEST_GREATER },
                  { ")", KD_TEST_EXISTS } };
    struct kd_jsonpath_test *test = make(reader, sizeof(*test));
    KD_ENSURE(test, fail(reader, "no memory"));
    step->type = KD_STEP_FILTER;
    step->filter = test;
    KD_TRY(read_side(reader, &test->left));
    for (size_t i = 0; i < KD_ARRAY_LEN(words); i++) {
        if (!take(reader, words[i].word)) {
            continue;
        }
        test->compare = words[i].compare;
        if (test->compare == KD_TEST_EXISTS) {
            return 0;
        }
        KD_TRY(read_side(reader, &test->right));
        return take(reader, ")") ? 0 : fail(reader, "here a ) is missing");
    }
    return fail(reader, "here ==, !=, <, <=, >, >= or ) is missing");
}

static int read_brackets(struct reader *reader, struct kd_jsonpath_step *step)
{
    skip_blanks(reader);
    if (take(reader, "*")) {
        step->type = KD_STEP_ALL;
    } else if (take(reader, "?(")) {
        if (++reader->depth > DEPTH_MAX) {
            return fail(reader, "filters within filters are too deep");
        }
        KD_TRY(read_filter(reader, step));
        reader->depth--;
    } else {
        KD_TRY(read_choices(reader, step));
    }
    skip_blanks(reader);
    return take(reader, "]") ? 0 : fail(reader, "here a ] is missing");
}

/* What stands behind a dot. */
static int read_field(struct reader *reader, struct kd_jsonpath_step *step)
{
    if (take(reader, "*")) {
        step->type = KD_STEP_ALL;
        return 0;
    }
    step->type = KD_STEP_FIELD;
    return read_name(reader, &step->name);
}

/* One step, when one stands here: 1; 0 where the way ends. */
static int read_step(struct reader *reader, struct kd_jsonpath_step *step)
{
    if (take(reader, "..")) {
        step->type = KD_STEP_DEEP;
        reader->at -= *reader->at == '[' ? 0 : 1; /* its dot begins the next step */
        return 1;
    }
    if (take(reader, "[")) {
        KD_TRY(read_brackets(reader, step));
        return 1;
    }
    if (take(reader, ".")) {
        if (*reader->at == '[') {
            return read_step(reader, step);
        }
        KD_TRY(read_field(reader, step));
        return 1;
    }
    return 0;
}

static int read_way(struct reader *reader, struct kd_jsonpath_way *ret)
{
    struct kd_jsonpath_step **last = &ret->first;
    ret->from_root = take(reader, "$");
    bool from_here = !ret->from_root && take(reader, "@");
    if (!ret->from_root && !from_here && *reader->at != '.' && *reader->at != '[') {
        return fail(reader, "here .name, [...], $ or @ is expected");
    }
    if (*reader->at == '.' && strchr(" })", reader->at[1])) { /* alone: the value itself */
        reader->at++;
        return 0;
    }
    for (;;) {
        struct kd_jsonpath_step *step = make(reader, sizeof(*step));
        KD_ENSURE(step, fail(reader, "no memory"));
        int rc = read_step(reader, step);
        if (rc <= 0) {
            return rc;
        }
        *last = step;
        last = &step->next;
    }
}

static int read_parts(struct reader *reader, struct kd_jsonpath_part **ret, bool in_range);

/* What stands in braces. 1: it was {end}. */
static int read_braces(struct reader *reader, struct kd_jsonpath_part *part, bool in_range)
{
    skip_blanks(reader);
    bool range = take(reader, "range ");
    skip_blanks(reader);
    if (!range && take(reader, "end")) {
        if (!in_range) {
            return fail(reader, "this end has no range before it");
        }
        return take(reader, "}") ? 1 : fail(reader, "here a } is missing");
    }
    if (!range && (*reader->at == '"' || *reader->at == '\'')) {
        part->type = KD_PART_TEXT;
        KD_TRY(read_quoted(reader, &part->text));
    } else {
        part->type = range ? KD_PART_RANGE : KD_PART_WAY;
        KD_TRY(read_way(reader, &part->way));
    }
    skip_blanks(reader);
    if (!take(reader, "}")) {
        return fail(reader, "here a } is missing");
    }
    return range ? read_parts(reader, &part->inner, true) : 0;
}

static int read_parts(struct reader *reader, struct kd_jsonpath_part **ret, bool in_range)
{
    if (++reader->depth > DEPTH_MAX) {
        return fail(reader, "ranges within ranges are too deep");
    }
    while (*reader->at) {
        struct kd_jsonpath_part *part = make(reader, sizeof(*part));
        KD_ENSURE(part, fail(reader, "no memory"));
        if (take(reader, "{")) {
            int rc = read_braces(reader, part, in_range);
            if (rc != 0) {
                reader->depth--;
                return rc < 0 ? rc : 0;
            }
        } else {
            size_t len = strcspn(reader->at, "{");
            part->text = (struct kd_str){ reader->at, len };
            reader->at += len;
        }
        *ret = part;
        ret = &part->next;
    }
    return in_range ? fail(reader, "a {range} has no {end}") : 0;
}

int kd_jsonpath_parse(const char *template, struct kd_arena *arena, struct kd_jsonpath *ret,
                      struct kd_error *reterr)
{
    struct reader reader = { .start = template, .at = template, .arena = arena, .reterr = reterr };
    struct kd_jsonpath path = { NULL };
    KD_TRY(read_parts(&reader, &path.first, false));
    *ret = path;
    return 0;
}
