// Fills a cluster with applications: deployments, replica sets, pods that run, services and their
// slices, without a controller manager or kubelet.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"kindred/tests/bench/peers/cluster"
	"kindred/tests/bench/peers/workload"
)

const (
	concurrent = 24
	controller = "kube-controller-manager"
)

type filler struct {
	client kubernetes.Interface
	work   workload.Workload
	nodes  int
}

func main() { cluster.Main(run) }

func run(ctx context.Context) error {
	pods := flag.Int("pods", 10000, "number of pods, ten an owner")
	f := filler{}
	flag.IntVar(&f.nodes, "nodes", 3, "number of nodes, node-1 and on")
	flag.Uint64Var(&f.work.Seed, "seed", 1, "seed of all that is drawn")
	flag.Parse()
	config, err := cluster.Config()
	if err != nil {
		return err
	}
	if f.client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if err := f.namespaces(ctx); err != nil {
		return err
	}
	if err := f.owners(ctx, *pods/workload.PodsPerOwner); err != nil {
		return err
	}
	return f.count(ctx)
}

func (f *filler) namespaces(ctx context.Context) error {
	for _, name := range f.work.Namespaces() {
		space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := f.client.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{}); err != nil &&
			!apierrors.IsAlreadyExists(err) {
			return err
		}
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
		if _, err := f.client.CoreV1().ServiceAccounts(name).Create(ctx, account, metav1.CreateOptions{}); err != nil &&
			!apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

func (f *filler) owners(ctx context.Context, count int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range concurrent {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < count && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := f.owner(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// owner makes one application; every second has a service.
func (f *filler) owner(ctx context.Context, number int) error {
	o := f.work.Owner(number)
	options := metav1.CreateOptions{FieldManager: controller}
	apps := f.client.AppsV1()
	deployment, err := apps.Deployments(o.Namespace).Create(ctx, o.DeploymentObject(),
		metav1.CreateOptions{FieldManager: "helm"})
	if err != nil {
		return err
	}
	set, err := apps.ReplicaSets(o.Namespace).Create(ctx, o.ReplicaSet(deployment.UID), options)
	if err != nil {
		return err
	}
	o.UID = string(set.UID)
	var pods []*corev1.Pod
	for k := range workload.PodsPerOwner {
		pod, err := f.pod(ctx, &o, k)
		if err != nil {
			return err
		}
		pods = append(pods, pod)
	}
	if number%2 == 1 {
		return nil
	}
	if _, err := f.client.CoreV1().Services(o.Namespace).Create(ctx, o.Service(), metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err = f.client.DiscoveryV1().EndpointSlices(o.Namespace).Create(ctx, o.Slice(o.Hash[:5], pods), options)
	return err
}

// pod is made by the controller and brought to life by the kubelet, so that both manage fields of it.
func (f *filler) pod(ctx context.Context, o *workload.Owner, k int) (*corev1.Pod, error) {
	id := f.work.Identity(o, k, f.nodes)
	pod := o.Pod(&id)
	pod.UID, pod.CreationTimestamp = types.UID(""), metav1.Time{}
	client := f.client.CoreV1().Pods(o.Namespace)
	made, err := client.Create(ctx, pod, metav1.CreateOptions{FieldManager: controller})
	if err != nil {
		return nil, err
	}
	made.Status = o.Status(&id)
	return client.UpdateStatus(ctx, made, metav1.UpdateOptions{FieldManager: "kubelet"})
}

// count prints what is there of each kind that the manager comparison watches.
func (f *filler) count(ctx context.Context) error {
	for _, path := range []string{"/api/v1/pods", "/api/v1/nodes", "/api/v1/services", "/apis/apps/v1/replicasets",
		"/apis/apps/v1/deployments", "/apis/discovery.k8s.io/v1/endpointslices"} {
		list := &metav1.PartialObjectMetadataList{}
		text, err := f.client.CoreV1().RESTClient().Get().AbsPath(path).Param("limit", "1").
			SetHeader("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1").DoRaw(ctx)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, list); err != nil {
			return err
		}
		count := int64(len(list.Items))
		if list.RemainingItemCount != nil {
			count += *list.RemainingItemCount
		}
		fmt.Println(path, count)
	}
	return nil
}
