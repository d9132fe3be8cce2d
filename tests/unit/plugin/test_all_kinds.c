/* Every plugin of this project: its kind, its short name, and whether it reads more than metadata.
 */
#include "host.h"

struct expected {
    const char *plugin, *group, *version, *kind, *resource, *short_name;
    uint32_t scope;
    uint32_t flags;
    bool relates;
};

#define NS KD_SCOPE_NAMESPACED
#define CLUSTER KD_SCOPE_CLUSTER
#define META KD_KIND_METADATA_ONLY

static const struct expected expected[] = {
    { "pod", "", "v1", "Pod", "pods", "po", NS, 0, true },
    { "node", "", "v1", "Node", "nodes", "no", CLUSTER, 0, false },
    { "service", "", "v1", "Service", "services", "svc", NS, 0, false },
    { "namespace", "", "v1", "Namespace", "namespaces", "ns", CLUSTER, 0, false },
    { "configmap", "", "v1", "ConfigMap", "configmaps", "cm", NS, META, false },
    { "secret", "", "v1", "Secret", "secrets", NULL, NS, META, false },
    { "serviceaccount", "", "v1", "ServiceAccount", "serviceaccounts", "sa", NS, 0, false },
    { "persistentvolume", "", "v1", "PersistentVolume", "persistentvolumes", "pv", CLUSTER, 0,
      true },
    { "persistentvolumeclaim", "", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc",
      NS, 0, true },
    { "deployment", "apps", "v1", "Deployment", "deployments", "deploy", NS, 0, false },
    { "replicaset", "apps", "v1", "ReplicaSet", "replicasets", "rs", NS, 0, false },
    { "daemonset", "apps", "v1", "DaemonSet", "daemonsets", "ds", NS, 0, false },
    { "statefulset", "apps", "v1", "StatefulSet", "statefulsets", "sts", NS, 0, false },
    { "job", "batch", "v1", "Job", "jobs", NULL, NS, 0, false },
    { "cronjob", "batch", "v1", "CronJob", "cronjobs", "cj", NS, 0, false },
    { "endpointslice", "discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", NULL, NS, 0,
      true },
    { "ingress", "networking.k8s.io", "v1", "Ingress", "ingresses", "ing", NS, 0, true },
    { "networkpolicy", "networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", "netpol", NS,
      0, false },
    { "storageclass", "storage.k8s.io", "v1", "StorageClass", "storageclasses", "sc", CLUSTER, 0,
      false },
    { "horizontalpodautoscaler", "autoscaling", "v2", "HorizontalPodAutoscaler",
      "horizontalpodautoscalers", "hpa", NS, 0, true },
    { "poddisruptionbudget", "policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "pdb",
      NS, 0, false },
};

static void assert_kind(const struct kd_kind *kind, const struct expected *want)
{
    assert_string_equal(kind->group, want->group);
    assert_string_equal(kind->version, want->version);
    assert_string_equal(kind->kind, want->kind);
    assert_string_equal(kind->resource, want->resource);
    assert_int_equal(kind->scope, want->scope);
    assert_int_equal(kind->flags, want->flags);
    assert_int_equal(kind->n_short_names, want->short_name ? 1 : 0);
    if (want->short_name) {
        assert_string_equal(kind->short_names[0], want->short_name);
    }
    assert_int_equal(kind->relate != NULL, want->relates);
    if (kind->flags & KD_KIND_METADATA_ONLY) {
        assert_int_equal(kind->n_fields, 0); /* there is nothing to read them from */
    }
}

static void test_each_is_what_kubectl_knows(void **state)
{
    struct host *host = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(expected); i++) {
        host_copy_from(host, PLUGINS, expected[i].plugin, expected[i].plugin);
        assert_loaded(host_load_one(host, expected[i].plugin));
        assert_int_equal(host_instance(host, 0)->n_kinds, 1);
        assert_kind(&host_instance(host, 0)->kinds[0].def, &expected[i]);
    }
}

static void test_heartbeats_are_noise(void **state)
{
    struct host *host = *state;
    host_copy_from(host, PLUGINS, "node", "node");
    assert_loaded(host_load_one(host, "node"));
    const struct kd_kind *node = &host_instance(host, 0)->kinds[0].def;
    assert_int_equal(node->n_noise, 1);
    assert_string_equal(node->noise[0], "/status/conditions/*/lastHeartbeatTime");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_each_is_what_kubectl_knows),
        HOST_TEST(test_heartbeats_are_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
