package main

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// addAccess adds the volume that the API server gives every pod for its account's token.
func addAccess(pod *corev1.Pod, suffix string) {
	name, mode, expires := "kube-api-access-"+suffix, int32(420), int64(3607)
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		Projected: &corev1.ProjectedVolumeSource{DefaultMode: &mode, Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: &expires, Path: "token"}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace",
				FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
		}}}})
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, ReadOnly: true,
			MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"})
	}
}

// addManagedFields says of every field who set it, as the API server does: controller and kubelet.
func addManagedFields(pod *corev1.Pod) error {
	whole, err := json.Marshal(pod)
	if err != nil {
		return err
	}
	var tree map[string]any
	if err := json.Unmarshal(whole, &tree); err != nil {
		return err
	}
	created := map[string]any{"metadata": map[string]any{}, "spec": tree["spec"]}
	for _, field := range []string{"labels", "annotations", "generateName", "ownerReferences"} {
		created["metadata"].(map[string]any)[field] = tree["metadata"].(map[string]any)[field]
	}
	for _, m := range []struct {
		manager, subresource string
		fields               map[string]any
		time                 metav1.Time
	}{
		{"kube-controller-manager", "", created, pod.CreationTimestamp},
		{"kubelet", "status", map[string]any{"status": tree["status"]}, *pod.Status.StartTime},
	} {
		raw, err := json.Marshal(fieldsOf(m.fields))
		if err != nil {
			return err
		}
		pod.ManagedFields = append(pod.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: m.manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &m.time,
			FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: raw}, Subresource: m.subresource})
	}
	return nil
}

// fieldsOf is the set of an object's fields: f: for names, k: for entries of lists that have a key.
func fieldsOf(object map[string]any) map[string]any {
	set := map[string]any{}
	for name, value := range object {
		set["f:"+name] = fieldsOfValue(value)
	}
	return set
}

func fieldsOfValue(value any) map[string]any {
	switch v := value.(type) {
	case map[string]any:
		set := fieldsOf(v)
		set["."] = map[string]any{}
		return set
	case []any:
		set := map[string]any{".": map[string]any{}}
		for _, item := range v {
			object, is := item.(map[string]any)
			key := keyOf(object)
			if !is || key == "" {
				return map[string]any{}
			}
			entry := fieldsOf(object)
			entry["."] = map[string]any{}
			set[key] = entry
		}
		return set
	}
	return map[string]any{}
}

func keyOf(object map[string]any) string {
	for _, name := range []string{"name", "type", "uid", "mountPath", "containerPort", "ip"} {
		if value, has := object[name]; has {
			return strings.TrimSpace(fmt.Sprintf(`k:{"%s":"%v"}`, name, value))
		}
	}
	return ""
}
