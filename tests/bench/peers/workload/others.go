package workload

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// DeploymentObject is the owner's own owner.
func (o *Owner) DeploymentObject() *appsv1.Deployment {
	replicas := int32(PodsPerOwner)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: o.Deployment, Namespace: o.Namespace, Labels: o.Labels,
			Annotations: map[string]string{"deployment.kubernetes.io/revision": "1"}},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Template: o.Template(),
			Selector: &metav1.LabelSelector{MatchLabels: o.Selector()}},
	}
}

// ReplicaSet is the owner as an object, under a deployment that is there already.
func (o *Owner) ReplicaSet(deployment types.UID) *appsv1.ReplicaSet {
	replicas, yes := int32(PodsPerOwner), true
	selector := o.Selector()
	selector["pod-template-hash"] = o.Hash
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: o.Name, Namespace: o.Namespace, Labels: o.Labels,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment",
				Name: o.Deployment, UID: deployment, Controller: &yes, BlockOwnerDeletion: &yes}}},
		Spec: appsv1.ReplicaSetSpec{Replicas: &replicas, Template: o.Template(),
			Selector: &metav1.LabelSelector{MatchLabels: selector}},
	}
}

// Service is in front of the owner's pods.
func (o *Owner) Service() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: o.Deployment, Namespace: o.Namespace, Labels: o.Labels},
		Spec: corev1.ServiceSpec{Selector: o.Selector(), Ports: []corev1.ServicePort{{
			Name: "http", Port: 80, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromString("http")}}},
	}
}

// Slice is the service's, with the pods that have come.
func (o *Owner) Slice(suffix string, pods []*corev1.Pod) *discoveryv1.EndpointSlice {
	name, protocol, yes := "http", corev1.ProtocolTCP, true
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Name: o.Deployment + "-" + suffix, Namespace: o.Namespace,
			Labels: map[string]string{discoveryv1.LabelServiceName: o.Deployment,
				discoveryv1.LabelManagedBy: "endpointslice-controller.k8s.io"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: &name, Port: &o.port, Protocol: &protocol}},
	}
	for _, pod := range pods {
		slice.Endpoints = append(slice.Endpoints, discoveryv1.Endpoint{
			Addresses: []string{pod.Status.PodIP}, NodeName: &pod.Spec.NodeName,
			Conditions: discoveryv1.EndpointConditions{Ready: &yes, Serving: &yes},
			TargetRef: &corev1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name,
				UID: pod.UID}})
	}
	return slice
}
