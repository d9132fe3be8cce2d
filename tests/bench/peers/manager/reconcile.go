package main

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"kindred/tests/bench/peers/cluster"
)

type reconciler struct {
	client.Client
	kind     kind
	graph    *graph
	arrivals *cluster.Arrivals
}

// Reconcile brings the graph to what the cache holds of one object.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	key := reference{r.kind.group, r.kind.name, request.Namespace, request.Name}
	object := r.kind.new()
	err := r.Get(ctx, request.NamespacedName, object)
	if apierrors.IsNotFound(err) {
		r.graph.remove(key)
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	made, err := r.convert(object)
	if err != nil {
		return ctrl.Result{}, err
	}
	relations := relateOwners(key, object)
	if r.kind.relate != nil {
		relations = append(relations, r.kind.relate(object)...)
	}
	r.graph.put(key, made, relations)
	r.arrivals.Note(object.GetAnnotations())
	return ctrl.Result{}, nil
}

// convert makes the resource; its data is JSON, as a user of the graph reads it.
func (r *reconciler) convert(object client.Object) (*resource, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return &resource{
		version: r.kind.version, uid: object.GetUID(), labels: object.GetLabels(),
		annotations: object.GetAnnotations(), created: object.GetCreationTimestamp().Time, data: data,
	}, nil
}

func relateOwners(key reference, object client.Object) []relation {
	var made []relation
	for _, owner := range object.GetOwnerReferences() {
		group := ""
		if i := strings.IndexByte(owner.APIVersion, '/'); i >= 0 {
			group = owner.APIVersion[:i]
		}
		space := object.GetNamespace()
		if owner.Kind == "Node" {
			space = ""
		}
		made = append(made, relation{
			predicate: "OwnerReference", attributes: string(owner.UID),
			subject: reference{group, owner.Kind, space, owner.Name}, object: key})
	}
	return made
}

func relatePod(object client.Object) []relation {
	pod, ok := object.(*corev1.Pod)
	if !ok || pod.Spec.NodeName == "" {
		return nil
	}
	return []relation{{
		predicate: "PodNodeBinding", attributes: pod.Spec.NodeName,
		subject: reference{"", "Pod", pod.Namespace, pod.Name},
		object:  reference{"", "Node", "", pod.Spec.NodeName}}}
}

func relateSlice(object client.Object) []relation {
	slice, ok := object.(*discoveryv1.EndpointSlice)
	service := object.GetLabels()[discoveryv1.LabelServiceName]
	if !ok || service == "" {
		return nil
	}
	var made []relation
	for _, endpoint := range slice.Endpoints {
		if endpoint.TargetRef == nil || endpoint.TargetRef.Kind != "Pod" {
			continue
		}
		for _, address := range endpoint.Addresses {
			for _, port := range slice.Ports {
				made = append(made, relation{
					predicate:  "ServiceEndpoint",
					attributes: portText(address, port, endpoint.Conditions.Ready),
					subject:    reference{"", "Service", slice.Namespace, service},
					object:     reference{"", "Pod", endpoint.TargetRef.Namespace, endpoint.TargetRef.Name}})
			}
		}
	}
	return made
}

func portText(address string, port discoveryv1.EndpointPort, ready *bool) string {
	text := address
	if port.Port != nil {
		text += ":" + strconv.Itoa(int(*port.Port))
	}
	if port.Protocol != nil {
		text += "/" + string(*port.Protocol)
	}
	if port.Name != nil {
		text += "/" + *port.Name
	}
	if ready != nil && !*ready {
		text += " not ready"
	}
	return text
}
