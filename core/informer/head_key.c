/* Naming an object that is too large to be taken, from its first bytes: text that ends anywhere, so
 * no parser of whole values can read it. */
#include "base/str.h"
#include "informer/shape.h"

#define DEPTH_MAX 3

struct head_scan {
    const char *pos;
    const char *end;
    unsigned depth;
    struct kd_str keys[DEPTH_MAX + 1]; /* raw key last seen at each depth, without quotes */
    bool is_key;                       /* the next string is a key */
};

/* Moves behind the string; its raw text without quotes, a NULL pointer when it is cut off. */
static struct kd_str take_string(struct head_scan *scan)
{
    const char *from = ++scan->pos;
    while (scan->pos < scan->end && *scan->pos != '"') {
        scan->pos += *scan->pos == '\\' ? 2 : 1;
    }
    if (scan->pos >= scan->end) {
        scan->pos = scan->end;
        return (struct kd_str){ NULL, 0 };
    }
    return (struct kd_str){ from, (size_t)(scan->pos++ - from) };
}

static bool in_metadata(const struct head_scan *scan, unsigned depth)
{
    return scan->depth == depth && kd_str_is(scan->keys[depth - 1], "metadata") &&
           (depth < DEPTH_MAX || kd_str_is(scan->keys[depth - 2], "object"));
}

static struct kd_str decode(struct kd_str raw, struct kd_arena *arena)
{
    struct kd_value value = { .ptr = raw.ptr - 1, .len = raw.len + 2, .type = KD_JSON_STRING };
    struct kd_value checked;
    struct kd_str text = { NULL, 0 };
    if (kd_json_parse((struct kd_str){ value.ptr, value.len }, &checked, NULL) < 0 ||
        kd_json_string(checked, arena, &text) < 0) {
        return (struct kd_str){ NULL, 0 };
    }
    return text;
}

static void on_string(struct head_scan *scan, unsigned depth, struct kd_arena *arena,
                      struct kd_key *key)
{
    struct kd_str raw = take_string(scan);
    if (!raw.ptr || scan->depth > DEPTH_MAX) {
        return;
    }
    if (scan->is_key) {
        scan->keys[scan->depth] = raw;
        scan->is_key = false;
    } else if (in_metadata(scan, depth) && kd_str_is(scan->keys[depth], "name")) {
        key->name = decode(raw, arena);
    } else if (in_metadata(scan, depth) && kd_str_is(scan->keys[depth], "namespace")) {
        key->ns = decode(raw, arena);
    }
}

/* True when the metadata has ended: what was not in it will not come. */
static bool on_mark(struct head_scan *scan, unsigned depth)
{
    char c = *scan->pos++;
    bool over = c == '}' && in_metadata(scan, depth);
    if (c == '{' || c == '[') {
        scan->depth++;
        if (scan->depth <= DEPTH_MAX) {
            scan->keys[scan->depth] = (struct kd_str){ NULL, 0 };
        }
    } else if ((c == '}' || c == ']') && scan->depth) {
        scan->depth--;
    }
    scan->is_key = c == '{' || c == ',';
    return over;
}

bool kd_head_key(struct kd_str head, unsigned depth, struct kd_arena *arena, struct kd_key *ret)
{
    struct head_scan scan = { .pos = head.ptr, .end = head.ptr + head.len };
    struct kd_key key = { { NULL, 0 }, { NULL, 0 } };
    bool over = false;
    while (scan.pos < scan.end && !over) {
        if (*scan.pos == '"') {
            on_string(&scan, depth, arena, &key);
        } else {
            over = on_mark(&scan, depth);
        }
    }
    /* Before the metadata's end a namespace may still follow. */
    if (key.name.len == 0 || key.name.len > KD_NAME_MAX || (!over && key.ns.len == 0)) {
        return false;
    }
    *ret = key;
    return true;
}
