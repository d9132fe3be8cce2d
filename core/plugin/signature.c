#include "plugin/signature.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "plugin/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIGNATURE_SIZE 64u
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
#define SIGN_IT "sign it by: openssl pkeyutl -sign -rawin -inkey PRIVATE.pem -in FILE -out FILE.sig"

static int no_copy(struct kd_refusal *refusal, const char *step)
{
    return kd_refuse(refusal, KD_EIO, "the file could not be copied into sealed memory", step, "%s",
                     strerror(errno));
}

static int copy_bytes(int from, int to)
{
    char chunk[16 * 1024];
    uint64_t total = 0;
    for (;;) {
        ssize_t n = read(from, chunk, sizeof(chunk));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        KD_ENSURE(n >= 0, KD_EIO);
        if (n == 0) {
            return 0;
        }
        total += (uint64_t)n;
        KD_ENSURE(total <= KD_MAX_PLUGIN_FILE, KD_ETOOBIG);
        KD_TRY(kd_fd_write(to, (struct kd_str){ chunk, (uint64_t)n }));
    }
}

void kd_signed_release(struct kd_signed *self)
{
    if (self->source >= 0) {
        (void)close(self->source); /* opened for reading: nothing to lose */
    }
    if (self->copy >= 0) {
        (void)close(self->copy); /* sealed: nothing to lose */
    }
    *self = (struct kd_signed)KD_SIGNED_NONE;
}

/* The file that was checked before, and no other that has taken its path since. */
static int open_checked(const struct kd_plugin_file *file, struct kd_signed *to,
                        struct kd_refusal *refusal)
{
    struct stat info;
    to->source = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (to->source < 0 || fstat(to->source, &info) < 0) {
        return no_copy(refusal, "a readable file");
    }
    if (info.st_dev != file->device || info.st_ino != file->inode) {
        return kd_refuse(refusal, KD_EBUSY, "the file was replaced while it was looked at",
                         "the file that was checked", "another inode");
    }
    return 0;
}

static int copy_sealed(const struct kd_plugin_file *file, struct kd_signed *to,
                       struct kd_refusal *refusal)
{
    const char *slash = strrchr(file->path, '/');
    KD_TRY(open_checked(file, to, refusal));
    to->copy = memfd_create(slash ? slash + 1 : file->path, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (to->copy < 0) {
        return no_copy(refusal, "memory for a copy");
    }
    int rc = copy_bytes(to->source, to->copy);
    if (rc == KD_ETOOBIG) {
        return kd_refuse(refusal, KD_ETOOBIG, "a signed plugin is held in memory and has a bound",
                         "at most 256 MiB", "more");
    }
    if (rc < 0 || fcntl(to->copy, F_ADD_SEALS, SEALS) < 0) {
        return no_copy(refusal, "a sealed copy of the file's bytes");
    }
    return 0;
}

static int read_signature(const struct kd_plugin_file *file, struct kd_buf *ret,
                          struct kd_refusal *refusal)
{
    KD_AUTO_FREE char *path = kd_asprintf("%s.sig", file->path);
    struct kd_error error = { 0 };
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) { /* a pipe would make the reader wait */
        return kd_refuse(refusal, KD_EPERM, "the signature must be a regular file: " SIGN_IT,
                         "a regular file", "%s", path);
    }
    int rc = kd_file_read(path, ret, &error);
    if (rc == KD_ENOENT) {
        return kd_refuse(refusal, KD_EPERM,
                         "plugins.trusted_keys demands a signature and there is none: " SIGN_IT,
                         "a signature file", "no %s", path);
    }
    if (rc == KD_ETOOBIG || (rc == 0 && ret->len != SIGNATURE_SIZE)) {
        return kd_refuse(refusal, KD_EPERM,
                         "the signature file is no raw Ed25519 signature: " SIGN_IT, "64 bytes",
                         "%zu bytes%s in %s", ret->len, rc < 0 ? " and more" : "", path);
    }
    return rc < 0 ? kd_refuse(refusal, KD_EPERM, "the signature cannot be read",
                              "a readable signature file", "%s", error.text)
                  : 0;
}

static bool is_signed_by(EVP_PKEY *key, const struct kd_buf *signature, const void *bytes,
                         size_t len)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1 &&
                EVP_DigestVerify(context, (const unsigned char *)signature->ptr, signature->len,
                                 bytes, len) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error(); /* a bad signature leaves entries that nobody asks for */
    return good;
}

static int verify(const struct kd_strlist *keys, const struct kd_buf *signature, const void *bytes,
                  size_t len, struct kd_refusal *refusal)
{
    for (size_t i = 0; i < keys->n; i++) {
        EVP_PKEY *key = NULL;
        struct kd_error error = { 0 };
        if (kd_plugin_key_read(keys->items[i], &key, &error) < 0) {
            return kd_refuse(refusal, KD_ECONFIG, error.text, "readable Ed25519 keys", "%s",
                             keys->items[i]);
        }
        bool good = is_signed_by(key, signature, bytes, len);
        EVP_PKEY_free(key);
        if (good) {
            return 0;
        }
    }
    return kd_refuse(
        refusal, KD_EPERM, "the signature is not one of a trusted key over these bytes: " SIGN_IT,
        "a signature by a key of plugins.trusted_keys", "one that fits none of %zu", keys->n);
}

static int verify_copy(int fd, const struct kd_plugin_file *file, const struct kd_strlist *keys,
                       struct kd_refusal *refusal)
{
    KD_AUTO_BUF struct kd_buf signature;
    struct stat info;
    kd_buf_init(&signature, SIGNATURE_SIZE + 1);
    KD_TRY(read_signature(file, &signature, refusal));
    if (fstat(fd, &info) < 0 || info.st_size <= 0) {
        return kd_refuse(refusal, KD_EPLUGIN, "the file is empty: install it again", "a plugin",
                         "no bytes");
    }
    size_t len = (size_t)info.st_size;
    void *bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
        return no_copy(refusal, "a view of the copy");
    }
    int rc = verify(keys, &signature, bytes, len, refusal);
    (void)munmap(bytes, len); /* mapped a moment ago */
    return rc;
}

int kd_signature_open(const struct kd_plugin_file *file, const struct kd_strlist *keys,
                      struct kd_signed *ret, struct kd_refusal *refusal)
{
    struct kd_signed opened = KD_SIGNED_NONE;
    int rc = copy_sealed(file, &opened, refusal);
    rc = rc < 0 ? rc : verify_copy(opened.copy, file, keys, refusal);
    if (rc < 0) {
        kd_signed_release(&opened);
        return rc;
    }
    *ret = opened;
    return 0;
}
