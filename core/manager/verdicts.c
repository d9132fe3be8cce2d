#include "manager/verdicts.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#include <openssl/evp.h>
#include <string.h>

#define MAX_VERDICTS 4096u

struct entry {
    struct kd_hnode node;
    struct kd_verdict_key key;
    int64_t until_ns;
    char *text;
};

static uint64_t hash_of(const struct kd_verdict_key *key)
{
    uint64_t hash; /* the key is a hash already */
    memcpy(&hash, key->bytes, sizeof(hash));
    return hash;
}

static void drop(struct kd_verdicts *verdicts, struct entry *entry)
{
    kd_hmap_remove(&verdicts->map, &entry->node);
    kd_free(entry->text);
    kd_free(entry);
}

/* Those that do not hold at that time. */
static void drop_old(struct kd_verdicts *verdicts, int64_t now_ns)
{
    KD_AUTO_FREE struct entry **old = kd_zalloc_array(verdicts->map.n, sizeof(*old));
    size_t n = 0;
    struct kd_hnode *node = kd_hmap_begin(&verdicts->map);
    for (; node; node = kd_hmap_step(&verdicts->map, node)) {
        struct entry *entry = KD_CONTAINER_OF(node, struct entry, node);
        if (entry->until_ns <= now_ns) {
            old[n++] = entry;
        }
    }
    while (n > 0) {
        drop(verdicts, old[--n]);
    }
}

void kd_verdicts_release(struct kd_verdicts *verdicts)
{
    drop_old(verdicts, INT64_MAX);
    kd_hmap_release(&verdicts->map);
}

struct kd_verdict_key kd_verdict_key(const struct kd_str *texts, size_t n)
{
    struct kd_verdict_key key;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    KD_ASSERT(context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t len = texts[i].len;
        KD_ASSERT(EVP_DigestUpdate(context, &len, sizeof(len)) == 1 &&
                  EVP_DigestUpdate(context, texts[i].ptr, texts[i].len) == 1);
    }
    KD_ASSERT(EVP_DigestFinal_ex(context, key.bytes, NULL) == 1);
    EVP_MD_CTX_free(context);
    return key;
}

static struct entry *find(const struct kd_verdicts *verdicts, const struct kd_verdict_key *key)
{
    struct kd_hnode *node = kd_hmap_first(&verdicts->map, hash_of(key));
    for (; node; node = kd_hmap_next_same(node)) {
        struct entry *entry = KD_CONTAINER_OF(node, struct entry, node);
        if (memcmp(entry->key.bytes, key->bytes, sizeof(key->bytes)) == 0) {
            return entry;
        }
    }
    return NULL;
}

void kd_verdicts_put(struct kd_verdicts *verdicts, const struct kd_verdict_key *key,
                     struct kd_str text, int64_t until_ns)
{
    struct entry *old = find(verdicts, key);
    if (old) {
        drop(verdicts, old);
    }
    if (verdicts->map.n >= MAX_VERDICTS) {
        drop_old(verdicts, until_ns); /* the longest-lived are the newest: all but those go */
    }
    if (verdicts->map.n >= MAX_VERDICTS) {
        drop_old(verdicts, INT64_MAX);
    }
    struct entry *entry = kd_zalloc(sizeof(*entry));
    entry->key = *key;
    entry->until_ns = until_ns;
    entry->text = kd_str_dup(text);
    kd_hmap_add(&verdicts->map, &entry->node, hash_of(key));
}

const char *kd_verdicts_get(const struct kd_verdicts *verdicts, const struct kd_verdict_key *key,
                            int64_t now_ns)
{
    const struct entry *entry = find(verdicts, key);
    return entry && entry->until_ns > now_ns ? entry->text : NULL;
}
