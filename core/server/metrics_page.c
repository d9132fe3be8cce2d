#include "server/metrics_page.h"

#include "base/limits.h"
#include "base/str.h"
#include "server/accept.h"
#include "server/gzip.h"

#include <event2/http.h>

#define PAGE_MAX (256 * KD_MIB)
#define GZIP_MIN 1024u /* below it the answer would hardly shrink */

static const char open_type[] = "application/openmetrics-text";

static enum kd_metrics_format format_for(const char *accept)
{
    int open = kd_accept_weight(accept, open_type, "version=1.0.0");
    int plain = kd_accept_weight(accept, "text/plain", "version=0.0.4");
    return open > 0 && open >= plain ? KD_METRICS_OPEN : KD_METRICS_TEXT;
}

/* The reply, compressed where the client takes it. */
static void reply(struct evhttp_request *request, const char *type, struct kd_str page)
{
    const struct evkeyvalq *in = evhttp_request_get_input_headers(request);
    struct evkeyvalq *out = evhttp_request_get_output_headers(request);
    KD_AUTO_BUF struct kd_buf packed;
    kd_buf_init(&packed, PAGE_MAX);
    bool wanted = kd_accept_weight(evhttp_find_header(in, "Accept-Encoding"), "gzip", NULL) > 0;
    (void)evhttp_add_header(out, "Vary", "Accept, Accept-Encoding"); /* these cannot fail */
    if (wanted && page.len >= GZIP_MIN && kd_gzip(page, &packed) == 0) {
        (void)evhttp_add_header(out, "Content-Encoding", "gzip");
        page = kd_buf_str(&packed);
    }
    kd_reply_text(request, 200, type, page);
}

void kd_metrics_page(struct kd_context *context, struct evhttp_request *request)
{
    const struct evkeyvalq *in = evhttp_request_get_input_headers(request);
    enum kd_metrics_format format = format_for(evhttp_find_header(in, "Accept"));
    const char *type = format == KD_METRICS_OPEN
                           ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                           : "text/plain; version=0.0.4; charset=utf-8";
    KD_AUTO_BUF struct kd_buf page;
    kd_buf_init(&page, PAGE_MAX);
    if (kd_metrics_write(context->metrics, format, &page) < 0) {
        kd_reply_text(request, 500, "text/plain; charset=utf-8", KD_STR("the page is too large\n"));
    } else {
        reply(request, type, kd_buf_str(&page));
    }
}
