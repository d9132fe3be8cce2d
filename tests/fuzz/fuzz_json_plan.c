/*
 * Plans on any paths and any document: lines of the input are paths up to an empty line, the rest
 * is the document. What strip and keep write must parse, what is stripped must be gone, and what is
 * kept must read as before.
 */
#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"
#include "json/plan.h"

#define MAX_PATHS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    char *paths[MAX_PATHS];
    size_t n;
    struct kd_str document;
};

static void read_input(struct kd_str rest, struct input *input)
{
    while (rest.ptr && input->n < MAX_PATHS) {
        struct kd_str line = kd_str_cut(&rest, '\n');
        if (line.len == 0) {
            break;
        }
        input->paths[input->n++] = kd_str_dup(line);
    }
    input->document = rest;
}

static void on_match(void *arg, size_t path, struct kd_value value)
{
    size_t *n = arg;
    (void)path;
    KD_ASSERT(value.type != KD_JSON_NONE);
    (*n)++;
}

static size_t count_matches(const struct kd_json_plan *plan, struct kd_value root)
{
    size_t n = 0;
    kd_json_plan_each(plan, root, on_match, &n);
    return n;
}

static struct kd_value must_parse(const struct kd_buf *text)
{
    struct kd_value root = { 0 };
    KD_ASSERT(kd_json_parse(kd_buf_str(text), &root, NULL) == 0);
    return root;
}

static bool same_text(struct kd_value a, struct kd_value b)
{
    return a.type == b.type &&
           kd_str_eq((struct kd_str){ a.ptr, a.len }, (struct kd_str){ b.ptr, b.len });
}

static void check_run(const struct kd_json_plan *plan, const struct input *input,
                      struct kd_value root, struct kd_value kept)
{
    struct kd_value slots[MAX_PATHS];
    struct kd_value again[MAX_PATHS];
    kd_json_plan_run(plan, root, slots);
    kd_json_plan_run(plan, kept, again);
    for (size_t i = 0; i < input->n; i++) {
        struct kd_value direct = { 0 };
        (void)kd_json_at(root, input->paths[i], &direct); /* stays empty when it is not there */
        KD_ASSERT(direct.ptr == slots[i].ptr && same_text(slots[i], again[i]));
    }
}

static void check(const struct input *input, bool wild, struct kd_value root)
{
    KD_AUTO_BUF struct kd_buf stripped;
    KD_AUTO_BUF struct kd_buf kept;
    struct kd_json_plan *plan = NULL;
    kd_buf_init(&stripped, KD_MIB);
    kd_buf_init(&kept, 8 * KD_MIB);
    const char *const *paths = (const char *const *)input->paths;
    if (kd_json_plan_new(paths, input->n, wild, &plan, NULL) < 0) {
        return;
    }
    KD_ASSERT(kd_json_plan_strip(plan, root, &stripped) == 0);
    KD_ASSERT(kd_json_plan_keep(plan, root, &kept) == 0);
    struct kd_value kept_root = must_parse(&kept);
    size_t left = count_matches(plan, must_parse(&stripped));
    bool in_arrays = memchr(stripped.ptr, '[', stripped.len) != NULL;
    KD_ASSERT(left == 0 || in_arrays); /* elements move up where one before them goes */
    if (!wild) {
        check_run(plan, input, root, kept_root);
    }
    kd_json_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = { .n = 0 };
    struct kd_value root;
    read_input((struct kd_str){ (const char *)data, size }, &input);
    if (kd_json_parse(input.document, &root, NULL) == 0) {
        check(&input, false, root);
        check(&input, true, root);
    }
    for (size_t i = 0; i < input.n; i++) {
        kd_free(input.paths[i]);
    }
    return 0;
}
