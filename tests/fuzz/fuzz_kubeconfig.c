/*
 * A kubeconfig of any bytes: it gives a cluster whose address and credentials can go into a request
 * as they are, or an error that says something in one line.
 */
#include "config/cluster.h"

#include "base/log.h"
#include "base/str.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_one_line(const char *text)
{
    return !text || !strpbrk(text, "\r\n");
}

static void check_cluster(const struct kd_cluster *cluster)
{
    struct kd_str server = kd_str_from(cluster->server);
    KD_ASSERT(kd_str_starts(server, KD_STR("http://")) ||
              kd_str_starts(server, KD_STR("https://")));
    KD_ASSERT(server.ptr[server.len - 1] != '/' && is_one_line(server.ptr));
    KD_ASSERT(is_one_line(cluster->token) && is_one_line(cluster->token_file));
    KD_ASSERT(!cluster->client_cert_pem == !cluster->client_key_pem);
    KD_ASSERT(cluster->context && cluster->source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file file;
    char *variables[] = { NULL };
    struct kd_cluster *cluster = NULL;
    struct kd_error err = { 0 };
    kd_log_set_level(KD_LOG_ERROR);
    memory_file_open(&file, data, size);
    struct kd_cluster_settings settings = { .kubeconfig = file.path, .context = "" };
    int rc = kd_cluster_find(&settings, variables, &cluster, &err);
    if (rc == 0) {
        check_cluster(cluster);
        kd_cluster_free(cluster);
    } else {
        KD_ASSERT(rc == KD_ECONFIG && !cluster && err.text[0] && is_one_line(err.text));
    }
    memory_file_close(&file);
    return 0;
}
