#include "plugin/keys.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAKE_ONE "make one by: openssl pkey -in PRIVATE.pem -pubout -out PUBLIC.pem"

/* Whoever can write the key can sign any plugin. */
static int check_guard(const char *path, struct kd_error *reterr)
{
    struct stat info;
    if (stat(path, &info) < 0) {
        return kd_fail(reterr, KD_ECONFIG,
                       "plugins.trusted_keys: %s: %s; name a PEM file, " MAKE_ONE, path,
                       strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) { /* a pipe would make the reader wait */
        return kd_fail(reterr, KD_ECONFIG, "plugins.trusted_keys: %s is no regular file", path);
    }
    if (info.st_uid != 0 && info.st_uid != geteuid()) {
        return kd_fail(reterr, KD_ECONFIG,
                       "plugins.trusted_keys: %s belongs to uid %u; it must belong to root or to "
                       "kindred's user: chown root",
                       path, (unsigned)info.st_uid);
    }
    if (info.st_mode & S_IWOTH) {
        return kd_fail(reterr, KD_ECONFIG,
                       "plugins.trusted_keys: %s is writable by the world: chmod o-w", path);
    }
    return 0;
}

static EVP_PKEY *parse(const struct kd_buf *text)
{
    BIO *bio = BIO_new_mem_buf(text->ptr, (int)text->len);
    EVP_PKEY *key = bio ? PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    ERR_clear_error(); /* the caller's words say it better */
    return key;
}

int kd_plugin_key_read(const char *path, EVP_PKEY **ret, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&text, KD_MAX_PLUGIN_KEY);
    KD_TRY(check_guard(path, reterr));
    int rc = kd_file_read(path, &text, reterr);
    if (rc < 0) {
        return kd_fail_prefix(reterr, KD_ECONFIG, "plugins.trusted_keys");
    }
    EVP_PKEY *key = parse(&text);
    if (!key) {
        return kd_fail(reterr, KD_ECONFIG,
                       "plugins.trusted_keys: %s holds no public key in PEM form; " MAKE_ONE, path);
    }
    if (EVP_PKEY_get_base_id(key) != EVP_PKEY_ED25519) {
        const char *type = OBJ_nid2sn(EVP_PKEY_get_base_id(key));
        EVP_PKEY_free(key);
        return kd_fail(reterr, KD_ECONFIG,
                       "plugins.trusted_keys: %s holds a key of type %s, not ED25519; make a new "
                       "pair by: openssl genpkey -algorithm ed25519 -out PRIVATE.pem",
                       path, type ? type : "unknown");
    }
    *ret = key;
    return 0;
}

int kd_plugin_key_check(const char *path, struct kd_error *reterr)
{
    EVP_PKEY *key = NULL;
    KD_TRY(kd_plugin_key_read(path, &key, reterr));
    EVP_PKEY_free(key);
    return 0;
}
