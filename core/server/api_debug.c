/* What helps to find out: /debug/queues, /debug/cache and the rest of a bundle. */
#include "base/stacks.h"
#include "server/api.h"
#include "server/write.h"

#include <event2/event.h>
#include <openssl/crypto.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char text_type[] = "text/plain; charset=utf-8";

/* A kd_buf remembers a failed append, which the answer looks at after the step. */
static void put(struct kd_buf *out, const char *text)
{
    (void)kd_buf_puts(out, text);
}

static void begin_row(struct kd_buf *out, size_t i, const struct kd_kind_row *row)
{
    put(out, i ? ",{" : "{");
    kd_write_text(out, "name", row->name);
    put(out, ",");
    kd_write_text(out, "kind", row->kind);
    put(out, ",");
    kd_write_text(out, "group", row->group);
}

static void write_queue(struct kd_buf *out, const struct kd_kind_row *row)
{
    put(out, ",");
    kd_write_number(out, "ready", row->depth);
    put(out, ",");
    kd_write_number(out, "delayed", row->delayed);
    put(out, ",");
    kd_write_text(out, "lastError", row->last_error);
    put(out, "}");
}

static void write_cache(struct kd_buf *out, const struct kd_kind_row *row)
{
    put(out, ",");
    kd_write_number(out, "objects", row->objects);
    put(out, ",");
    kd_write_number(out, "bytes", row->bytes);
    put(out, ",");
    kd_write_number(out, "jsonBytes", row->raw_bytes);
    put(out, ",");
    kd_write_number(out, "stored", row->stored);
    put(out, "}");
}

static int write_rows(struct kd_answer *answer,
                      void (*write)(struct kd_buf *out, const struct kd_kind_row *row))
{
    const struct kd_server_source *source = &answer->context->source;
    const struct kd_kind_row *rows;
    size_t n = source->kinds(source->arg, &answer->arena, &rows);
    put(&answer->piece, "{\"items\":[");
    for (size_t i = 0; i < n; i++) {
        begin_row(&answer->piece, i, &rows[i]);
        write(&answer->piece, &rows[i]);
    }
    put(&answer->piece, "]}\n");
    return KD_STEP_DONE;
}

int kd_api_debug_queues(struct kd_answer *answer)
{
    return write_rows(answer, write_queue);
}

int kd_api_debug_cache(struct kd_answer *answer)
{
    return write_rows(answer, write_cache);
}

int kd_api_debug_stacks(struct kd_answer *answer)
{
    answer->content_type = text_type;
    kd_stacks_write(&answer->piece);
    return KD_STEP_DONE;
}

int kd_api_debug_metrics(struct kd_answer *answer)
{
    answer->content_type = text_type;
    KD_TRY(kd_metrics_write(answer->context->metrics, KD_METRICS_TEXT, &answer->piece));
    return KD_STEP_DONE;
}

int kd_api_debug_config(struct kd_answer *answer)
{
    const struct kd_server_source *source = &answer->context->source;
    answer->content_type = text_type;
    if (source->config) {
        source->config(source->arg, &answer->piece);
    }
    return KD_STEP_DONE;
}

int kd_api_debug_versions(struct kd_answer *answer)
{
    struct utsname system = { 0 };
    answer->content_type = text_type;
    (void)uname(&system); /* cannot fail with room for the answer */
    (void)kd_buf_printf(&answer->piece,
                        "kindred %s, process %ld\nlibevent %s\n%s\n%s %s, %s, %ld processors\n",
                        KINDRED_VERSION, (long)getpid(), event_get_version(),
                        OpenSSL_version(OPENSSL_VERSION), system.sysname, system.release,
                        system.machine, sysconf(_SC_NPROCESSORS_ONLN));
    return KD_STEP_DONE;
}
