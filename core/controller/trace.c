#include "controller/trace.h"

#include "base/alloc.h"
#include "base/str.h"

/* A row whose texts are one piece: namespace, name, error. */
struct kd_trace_slot {
    struct kd_trace_row row;
    char *text;
};

void kd_trace_init(struct kd_trace *trace)
{
    *trace = (struct kd_trace){ 0 };
    pthread_mutex_init(&trace->lock, NULL);
}

void kd_trace_release(struct kd_trace *trace)
{
    for (size_t i = 0; trace->slots && i < KD_TRACE_ROWS; i++) {
        kd_free(trace->slots[i].text);
    }
    kd_free(trace->slots);
    pthread_mutex_destroy(&trace->lock);
    *trace = (struct kd_trace){ 0 };
}

static char *put(char *at, struct kd_str *str)
{
    if (str->len) {
        memcpy(at, str->ptr, str->len);
    }
    str->ptr = at;
    return at + str->len;
}

void kd_trace_add(struct kd_trace *trace, const struct kd_trace_row *row)
{
    size_t size = row->key.ns.len + row->key.name.len + row->error.len;
    struct kd_trace_slot slot = { *row, kd_alloc(size + 1) };
    char *at = put(slot.text, &slot.row.key.ns);
    at = put(at, &slot.row.key.name);
    (void)put(at, &slot.row.error); /* the last one */
    pthread_mutex_lock(&trace->lock);
    if (!trace->slots) {
        trace->slots = kd_zalloc_array(KD_TRACE_ROWS, sizeof(*trace->slots));
    }
    struct kd_trace_slot *place = &trace->slots[trace->n++ % KD_TRACE_ROWS];
    char *old = place->text;
    *place = slot;
    pthread_mutex_unlock(&trace->lock);
    kd_free(old);
}

static bool is_of(const struct kd_trace_row *row, struct kd_key key)
{
    return kd_str_eq(row->key.name, key.name) && (!key.ns.ptr || kd_str_eq(row->key.ns, key.ns));
}

static int find_locked(const struct kd_trace *trace, struct kd_key key, struct kd_arena *arena,
                       struct kd_trace_row *rows, size_t *ret_n)
{
    size_t n = 0;
    size_t kept = trace->n < KD_TRACE_ROWS ? (size_t)trace->n : KD_TRACE_ROWS;
    for (size_t i = 1; i <= kept; i++) {
        const struct kd_trace_row *row = &trace->slots[(trace->n - i) % KD_TRACE_ROWS].row;
        if (!is_of(row, key)) {
            continue;
        }
        rows[n] = *row;
        rows[n].key.ns = kd_arena_copy(arena, row->key.ns);
        rows[n].key.name = kd_arena_copy(arena, row->key.name);
        rows[n].error = kd_arena_copy(arena, row->error);
        KD_ENSURE(rows[n].key.ns.ptr && rows[n].key.name.ptr && rows[n].error.ptr, KD_ENOMEM);
        n++;
    }
    *ret_n = n;
    return 0;
}

int kd_trace_find(struct kd_trace *trace, struct kd_key key, struct kd_arena *arena,
                  struct kd_trace_row **ret, size_t *ret_n)
{
    struct kd_trace_row *rows = kd_arena_alloc(arena, KD_TRACE_ROWS * sizeof(*rows));
    KD_ENSURE(rows, KD_ENOMEM);
    pthread_mutex_lock(&trace->lock);
    int rc = find_locked(trace, key, arena, rows, ret_n);
    pthread_mutex_unlock(&trace->lock);
    *ret = rows;
    return rc;
}
