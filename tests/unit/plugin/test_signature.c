/* plugins.trusted_keys: only bytes that a trusted key has signed are loaded, and just those. */
#include "host.h"

#include "plugin/keys.h"
#include "plugin/signature.h"

#include <dirent.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

struct signer {
    EVP_PKEY *key;
    char *path; /* of the public key */
};

static void put_key(const char *path, EVP_PKEY *key)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_PUBKEY(file, key), 1);
    assert_int_equal(fclose(file), 0);
}

static struct signer signer_new(struct host *host, const char *name)
{
    struct signer signer = { EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"),
                             kd_asprintf("%s/%s.pem", host->path, name) };
    assert_non_null(signer.key);
    put_key(signer.path, signer.key);
    return signer;
}

static void signer_free(struct signer *signer)
{
    EVP_PKEY_free(signer->key);
    kd_free(signer->path);
}

/* Writes NAME.so.sig for what NAME.so holds now. */
static void sign(const struct signer *signer, struct host *host, const char *name)
{
    unsigned char signature[64];
    size_t len = sizeof(signature);
    struct kd_buf bytes;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    char *path = host_file(host, name);
    char *to = kd_asprintf("%s.sig", path);
    kd_buf_init(&bytes, 64 * KD_MIB);
    assert_int_equal(kd_file_read(path, &bytes, NULL), 0);
    assert_int_equal(EVP_DigestSignInit(context, NULL, NULL, NULL, signer->key), 1);
    assert_int_equal(
        EVP_DigestSign(context, signature, &len, (unsigned char *)bytes.ptr, bytes.len), 1);
    host_write(to, signature, len);
    EVP_MD_CTX_free(context);
    kd_buf_release(&bytes);
    kd_free(path);
    kd_free(to);
}

static void trust(struct host *host, char **paths, size_t n)
{
    host->config.plugins.trusted_keys = (struct kd_strlist){ paths, n };
}

static int count_descriptors(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder)) {
        n++;
    }
    assert_int_equal(closedir(folder), 0);
    return n;
}

static void test_a_signed_one_loads(void **state)
{
    struct host *host = *state;
    struct signer other = signer_new(host, "other");
    struct signer ours = signer_new(host, "ours");
    char *keys[] = { other.path, ours.path };
    trust(host, keys, 2);
    host_copy(host, "good");
    sign(&ours, host, "good");
    const struct kd_plugin_report *report = host_load_one(host, "good");
    char *path = host_file(host, "good");
    assert_loaded(report);
    assert_string_equal(report->file, path); /* and not the copy's */
    assert_string_equal(report->version, "1.2.3");
    assert_loaded(host_load_one(host, "good")); /* the same again is the same */
    kd_free(path);
    signer_free(&other);
    signer_free(&ours);
}

static void test_refusals(void **state)
{
    struct host *host = *state;
    struct signer stranger = signer_new(host, "stranger");
    struct signer ours = signer_new(host, "ours");
    char *path = host_file(host, "good");
    char *signature = kd_asprintf("%s.sig", path);
    trust(host, &ours.path, 1);
    host_copy(host, "good");
    int before = count_descriptors();
    assert_refused(host_load_one(host, "good"), KD_EPERM, "there is none: sign it by: openssl",
                   "signature file", "good.so.sig");
    sign(&stranger, host, "good");
    assert_refused(host_load_one(host, "good"), KD_EPERM, "not one of a trusted key", "a signature",
                   "none of 1");
    host_write(signature, "short", 5);
    assert_refused(host_load_one(host, "good"), KD_EPERM, "no raw Ed25519 signature", "64 bytes",
                   "5 bytes");
    host_write(signature, host->path, sizeof(host->path));
    assert_refused(host_load_one(host, "good"), KD_EPERM, "not one of a trusted key", "a signature",
                   "none of 1");
    assert_int_equal(remove(signature), 0);
    assert_int_equal(mkfifo(signature, 0600), 0);
    assert_refused(host_load_one(host, "good"), KD_EPERM, "must be a regular file", "regular",
                   "good.so.sig");
    assert_int_equal(remove(signature), 0);
    sign(&ours, host, "good");
    host_copy(host, "newer-abi"); /* other bytes under a signed name */
    char *other = host_file(host, "newer-abi");
    assert_int_equal(rename(other, path), 0);
    assert_refused(host_load_one(host, "good"), KD_EPERM, "over these bytes", "a signature",
                   "none of 1");
    assert_int_equal(count_descriptors(), before);
    kd_free(other);
    kd_free(path);
    kd_free(signature);
    signer_free(&stranger);
    signer_free(&ours);
}

/* A refused one leaves its descriptor's number to the next, which must not be taken for it. */
static void test_a_repaired_one_loads(void **state)
{
    struct host *host = *state;
    struct signer ours = signer_new(host, "ours");
    trust(host, &ours.path, 1);
    host_copy_from(host, TEST_PLUGINS, "broken-kinds", "repaired-kinds");
    sign(&ours, host, "repaired-kinds");
    assert_refused(host_load_one(host, "repaired-kinds"), KD_EABI, "no kind", "one", "none");
    host_copy(host, "repaired-kinds");
    sign(&ours, host, "repaired-kinds");
    assert_loaded(host_load_one(host, "repaired-kinds"));
    signer_free(&ours);
}

static void test_two_signed_files_are_two(void **state)
{
    struct host *host = *state;
    struct signer ours = signer_new(host, "ours");
    trust(host, &ours.path, 1);
    host_copy(host, "observer");
    host_copy(host, "good");
    sign(&ours, host, "observer");
    sign(&ours, host, "good");
    host_entry(host, "observer", "observer");
    host_entry(host, "good", "good");
    const struct kd_plugin_report *reports = host_load(host);
    assert_loaded(&reports[0]);
    assert_loaded(&reports[1]);
    assert_string_not_equal(host_instance(host, 0)->plugin->name,
                            host_instance(host, 1)->plugin->name);
    signer_free(&ours);
}

/* The dynamic linker opens a copy; its words must name the file that people know. */
static void test_the_linkers_words_name_the_file(void **state)
{
    struct host *host = *state;
    struct signer ours = signer_new(host, "ours");
    trust(host, &ours.path, 1);
    host_copy(host, "undefined-symbol");
    sign(&ours, host, "undefined-symbol");
    const struct kd_plugin_report *report = host_load_one(host, "undefined-symbol");
    assert_refused(report, KD_EPLUGIN, "nobody_has_this", "loadable", "undefined-symbol.so");
    assert_contains(report->error.text, host->path);
    assert_null(strstr(report->error.text, "/proc/"));
    signer_free(&ours);
}

/* What was verified can be changed by nobody, whatever happens to the file meanwhile. */
static void test_a_swap_after_the_check_does_nothing(void **state)
{
    struct host *host = *state;
    struct signer ours = signer_new(host, "ours");
    struct kd_refusal refusal = { 0 };
    struct kd_plugin_file file = { 0 };
    char was[64];
    char is[64];
    struct kd_signed got = KD_SIGNED_NONE;
    trust(host, &ours.path, 1);
    host_copy(host, "good");
    sign(&ours, host, "good");
    assert_int_equal(kd_plugin_file_find(&host->config.plugins, "good", &file, &refusal), 0);
    int source = open(file.path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(source, was, sizeof(was), 1024), sizeof(was));
    assert_int_equal(kd_signature_open(&file, &host->config.plugins.trusted_keys, &got, &refusal),
                     0);
    memset(is, 'x', sizeof(is));
    assert_int_equal(pwrite(source, is, sizeof(is), 1024), sizeof(is));
    assert_int_equal(pread(got.copy, is, sizeof(is), 1024), sizeof(is));
    assert_memory_equal(is, was, sizeof(was));
    assert_int_equal(pwrite(got.copy, was, 1, 0), -1);
    assert_int_equal(ftruncate(got.copy, 0), -1);
    kd_signed_release(&got);
    assert_int_equal(close(source), 0);
    /* A file that takes the path between look and open is another inode. */
    host_copy(host, "good");
    assert_int_equal(kd_signature_open(&file, &host->config.plugins.trusted_keys, &got, &refusal),
                     KD_EBUSY);
    kd_plugin_file_release(&file);
    signer_free(&ours);
}

static void assert_bad_key(const char *path, const char *word)
{
    struct kd_error error = { 0 };
    assert_int_equal(kd_plugin_key_check(path, &error), KD_ECONFIG);
    assert_contains(error.text, "plugins.trusted_keys");
    assert_contains(error.text, path);
    assert_contains(error.text, word);
}

static void test_bad_keys(void **state)
{
    struct host *host = *state;
    struct signer ours = signer_new(host, "ours");
    char *path = kd_asprintf("%s/bad.pem", host->path);
    EVP_PKEY *curve = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    assert_bad_key(path, "openssl pkey");
    host_write(path, "no key", 6);
    assert_bad_key(path, "no public key in PEM form");
    put_key(path, curve);
    assert_bad_key(path, "genpkey -algorithm ed25519");
    assert_int_equal(kd_plugin_key_check(ours.path, NULL), 0);
    assert_int_equal(chmod(ours.path, 0666), 0);
    assert_bad_key(ours.path, "chmod o-w");
    assert_bad_key(host->path, "no regular file");
    trust(host, &path, 1);
    host_copy(host, "good");
    sign(&ours, host, "good");
    assert_refused(host_load_one(host, "good"), KD_ECONFIG, "not ED25519", "readable", "bad.pem");
    EVP_PKEY_free(curve);
    kd_free(path);
    signer_free(&ours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_a_signed_one_loads),
        HOST_TEST(test_refusals),
        HOST_TEST(test_a_repaired_one_loads),
        HOST_TEST(test_two_signed_files_are_two),
        HOST_TEST(test_the_linkers_words_name_the_file),
        HOST_TEST(test_a_swap_after_the_check_does_nothing),
        HOST_TEST(test_bad_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
