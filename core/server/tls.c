#include "server/tls.h"

#include "base/alloc.h"
#include "base/log.h"

#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/stat.h>

#define LOOK_NS (10 * KD_SEC_NS)
#define LOOK_SOON_NS KD_SEC_NS /* where a connection comes */

struct watched {
    char *path;
    struct stat seen;
};

struct kd_tls {
    struct kd_loop *loop;
    char *what;
    struct watched cert;
    struct watched key;
    SSL_CTX *context;
    struct kd_timer look;
    int64_t looked_ns;
    bool failing; /* changed files are not usable, which was logged */
    struct kd_series *reads;
    struct kd_series *errors;
};

static void note(struct watched *file)
{
    if (stat(file->path, &file->seen) != 0) {
        memset(&file->seen, 0, sizeof(file->seen));
    }
}

static bool has_changed(const struct watched *file)
{
    struct stat now;
    return stat(file->path, &now) == 0 &&
           (now.st_ino != file->seen.st_ino || now.st_dev != file->seen.st_dev ||
            now.st_size != file->seen.st_size || now.st_mtim.tv_sec != file->seen.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != file->seen.st_mtim.tv_nsec);
}

/* A key with a pass phrase must not ask for it on the terminal. */
static int no_phrase(char *buf, int size, int writing, void *arg)
{
    (void)buf;
    (void)size;
    (void)writing;
    (void)arg;
    return -1;
}

/* NULL: no fault; else which of the files, and why. */
static const char *load(SSL_CTX *context, const char *cert, const char *key)
{
    SSL_CTX_set_default_passwd_cb(context, no_phrase);
    if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
        return "TLS cannot be set up";
    }
    if (SSL_CTX_use_certificate_chain_file(context, cert) != 1) {
        return "tls_cert cannot be read as a PEM certificate";
    }
    if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) {
        return "tls_key cannot be read as the PEM key of tls_cert";
    }
    return NULL;
}

static int make_context(const char *what, const char *cert, const char *key, SSL_CTX **ret,
                        struct kd_error *reterr)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    const char *fault = context ? load(context, cert, key) : "no memory for TLS";
    ERR_clear_error();
    if (fault) {
        SSL_CTX_free(context);
        return kd_fail(reterr, KD_ECONFIG, "%s: %s (%s, %s)", what, fault, cert, key);
    }
    *ret = context;
    return 0;
}

int kd_tls_check(const char *what, const char *cert, const char *key, struct kd_error *reterr)
{
    SSL_CTX *context = NULL;
    KD_TRY(make_context(what, cert, key, &context, reterr));
    SSL_CTX_free(context);
    return 0;
}

static int read_pair(struct kd_tls *tls, struct kd_error *reterr)
{
    SSL_CTX *context = NULL;
    note(&tls->cert); /* before they are read: a later change is seen */
    note(&tls->key);
    int rc = make_context(tls->what, tls->cert.path, tls->key.path, &context, reterr);
    kd_counter_add(tls->reads, 1);
    if (rc < 0) {
        kd_counter_add(tls->errors, 1);
        return rc;
    }
    SSL_CTX_free(tls->context); /* connections hold a reference of their own */
    tls->context = context;
    return 0;
}

static void look_at_files(struct kd_tls *tls)
{
    struct kd_error error = { 0 };
    tls->looked_ns = kd_now_ns(&kd_system_clock);
    /* A pair is swapped in two steps: after a failure see again. */
    if (!tls->failing && !has_changed(&tls->cert) && !has_changed(&tls->key)) {
        return;
    }
    int rc = read_pair(tls, &error);
    if (rc == 0) {
        KD_INFO("certificate read again", KD_F("section", tls->what));
    } else if (!tls->failing) {
        KD_WARN("a changed certificate is not usable, the last one stays",
                KD_F("error", error.text));
    }
    tls->failing = rc < 0;
}

static void on_look(void *arg)
{
    struct kd_tls *tls = arg;
    look_at_files(tls);
    kd_timer_start(&tls->look, LOOK_NS);
}

static struct kd_series *counter(struct kd_metrics *metrics, const char *name, const char *help)
{
    const struct kd_family_spec spec = { .type = KD_COUNTER, .name = name, .help = help };
    return kd_family_series(kd_metrics_family(metrics, &spec), NULL);
}

int kd_tls_new(struct kd_loop *loop, struct kd_metrics *metrics, const char *what, const char *cert,
               const char *key, struct kd_tls **ret, struct kd_error *reterr)
{
    struct kd_tls *tls = kd_zalloc(sizeof(*tls));
    tls->loop = loop;
    tls->what = kd_strdup(what);
    tls->cert.path = kd_strdup(cert);
    tls->key.path = kd_strdup(key);
    tls->reads = counter(metrics, "certwatcher_read_certificate_total",
                         "Reads of the certificate of metrics or api.");
    tls->errors = counter(metrics, "certwatcher_read_certificate_errors_total",
                          "Of these, those that found no usable pair.");
    tls->looked_ns = kd_now_ns(&kd_system_clock);
    kd_timer_init(&tls->look, loop, on_look, tls);
    int rc = read_pair(tls, reterr);
    if (rc < 0) {
        kd_tls_free(tls);
        return rc;
    }
    kd_timer_start(&tls->look, LOOK_NS);
    *ret = tls;
    return 0;
}

void kd_tls_free(struct kd_tls *tls)
{
    if (tls) {
        kd_timer_release(&tls->look);
        SSL_CTX_free(tls->context);
        kd_free(tls->what);
        kd_free(tls->cert.path);
        kd_free(tls->key.path);
        kd_free(tls);
    }
}

struct bufferevent *kd_tls_accept(struct kd_tls *tls)
{
    if (kd_now_ns(&kd_system_clock) - tls->looked_ns >= LOOK_SOON_NS) {
        look_at_files(tls);
    }
    SSL *ssl = SSL_new(tls->context);
    struct bufferevent *stream =
        ssl ? bufferevent_openssl_socket_new(kd_loop_base(tls->loop), -1, ssl,
                                             BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE)
            : NULL;
    if (!stream) {
        SSL_free(ssl);
        return NULL;
    }
    bufferevent_openssl_set_allow_dirty_shutdown(stream, 1); /* many peers just close */
    return stream;
}
