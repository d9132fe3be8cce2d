/*
 * What is written for people agrees with the parser's table: docs/configuration.md and the shipped
 * config/kindred.conf. With the argument --print the reference goes to stdout, to be put between
 * the marks of docs/configuration.md.
 */
#include "unit/config/files.h"

#include "base/limits.h"
#include "config/keys.h"

static char *read_source(const char *name)
{
    const char *root = getenv("KINDRED_SOURCE");
    assert_non_null(root);
    KD_AUTO_FREE char *path = kd_path_join(root, name);
    struct kd_buf buf;
    kd_buf_init(&buf, KD_MIB);
    assert_int_equal(kd_file_read(path, &buf, NULL), 0);
    return kd_buf_steal(&buf);
}

static char *reference(void)
{
    struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    assert_int_equal(kd_config_write_reference(&out), 0);
    return kd_buf_steal(&out);
}

static void the_page_holds_the_reference(void **state)
{
    (void)state;
    static const char begin[] = "<!-- keys: begin -->\n";
    KD_AUTO_FREE char *page = read_source("docs/configuration.md");
    KD_AUTO_FREE char *expected = reference();
    char *at = strstr(page, begin);
    assert_non_null(at);
    at += strlen(begin);
    char *end = strstr(at, "<!-- keys: end -->");
    assert_non_null(end);
    *end = '\0';
    assert_string_equal(at, expected);
}

static void the_reference_is_bounded_by_its_buffer(void **state)
{
    (void)state;
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, 100);
    assert_int_equal(kd_config_write_reference(&out), KD_ETOOBIG);
}

/* Takes the '#' away from lines that hold a key: it stands right before the key's name. */
static void uncomment(char *text)
{
    bool start = true;
    for (char *at = text; *at; at++) {
        if (start && *at == '#' && at[1] >= 'a' && at[1] <= 'z') {
            *at = ' ';
        }
        start = *at == '\n' || (start && *at == ' ');
    }
}

static void assert_same_values(struct kd_config *a, struct kd_config *b, const char *section)
{
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        bool in_entry = strcmp(section, "kinds") == 0;
        if ((strcmp(key->section, "kinds") == 0) != in_entry || strcmp(key->name, "plugin") == 0 ||
            strcmp(key->name, "name") == 0) {
            continue;
        }
        void *left = kd_conf_field(key, a, in_entry ? &a->kinds[0] : NULL);
        void *right = kd_conf_field(key, b, in_entry ? &b->kinds[0] : NULL);
        switch (key->type) {
        case KD_CONF_STRING:
            assert_string_equal(*(char **)left, *(char **)right);
            break;
        case KD_CONF_BOOL:
            assert_int_equal(*(bool *)left, *(bool *)right);
            break;
        case KD_CONF_FLOAT:
            assert_true(*(double *)left == *(double *)right);
            break;
        case KD_CONF_INT:
        case KD_CONF_DURATION:
            assert_int_equal(*(int64_t *)left, *(int64_t *)right);
            break;
        case KD_CONF_STRINGS:
            assert_int_equal(((struct kd_strlist *)left)->n, ((struct kd_strlist *)right)->n);
            break;
        case KD_CONF_GROUP:
            break;
        }
    }
}

static void assert_shipped(struct folder *folder, const char *text)
{
    static const char *const kinds[] = { "pod",        "node",    "replicaset",
                                         "deployment", "service", "endpointslice" };
    struct folder empty = { .config = NULL };
    memcpy(empty.path, folder->path, sizeof(empty.path));
    struct kd_config *shipped = load_text(folder, text);
    struct kd_config *defaults = load_text(&empty, "kinds = ( { plugin = \"pod\"; } );");
    assert_same_values(shipped, defaults, "");
    assert_same_values(shipped, defaults, "kinds");
    assert_int_equal(shipped->n_kinds, KD_ARRAY_LEN(kinds));
    for (size_t i = 0; i < KD_ARRAY_LEN(kinds); i++) {
        assert_string_equal(shipped->kinds[i].name, kinds[i]);
        assert_true(shipped->kinds[i].enabled);
    }
    kd_config_free(defaults);
}

static void the_shipped_file_loads_and_its_comments_are_the_defaults(void **state)
{
    KD_AUTO_FREE char *text = read_source("config/kindred.conf");
    assert_shipped(*state, text);
    uncomment(text);
    assert_shipped(*state, text);
}

/* The text of a group or, for the top level, of the whole file. The caller frees. */
static char *block_of(const char *text, const char *section)
{
    KD_AUTO_FREE char *head = kd_asprintf("\n%s = ", section);
    const char *start = section[0] ? strstr(text, head) : text;
    assert_non_null(start);
    const char *end = section[0] ? strstr(start, "\n}") : NULL;
    if (strcmp(section, "kinds") == 0) {
        end = strstr(start, "\n)");
    }
    return kd_str_dup((struct kd_str){ start, end ? (size_t)(end - start) + 1 : strlen(start) });
}

static void the_shipped_file_shows_every_key_with_its_default(void **state)
{
    (void)state;
    KD_AUTO_FREE char *text = read_source("config/kindred.conf");
    for (size_t i = 0; i < kd_conf_n_keys; i++) {
        const struct kd_conf_key *key = &kd_conf_keys[i];
        if (strcmp(key->name, "plugin") == 0) {
            continue;
        }
        bool quoted = key->type == KD_CONF_STRING || key->type == KD_CONF_DURATION;
        const char *value = key->type == KD_CONF_STRINGS ? "[]"
                            : key->type == KD_CONF_GROUP ? "{ }"
                                                         : key->value;
        KD_AUTO_FREE char *block = block_of(text, key->section);
        KD_AUTO_FREE char *line = kd_asprintf("#%s = %s%s%s;\n", key->name, quoted ? "\"" : "",
                                              value, quoted ? "\"" : "");
        if (!strstr(block, line)) {
            fail_msg("config/kindred.conf lacks in %s: %s", key->section, line);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_holds_the_reference),
        cmocka_unit_test(the_reference_is_bounded_by_its_buffer),
        FOLDER_TEST(the_shipped_file_loads_and_its_comments_are_the_defaults),
        cmocka_unit_test(the_shipped_file_shows_every_key_with_its_default),
    };
    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        KD_AUTO_FREE char *text = reference();
        return fputs(text, stdout) < 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
