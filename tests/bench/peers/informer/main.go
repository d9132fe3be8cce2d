// The bare informer of client-go: pods, protobuf, without managedFields.
package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"kindred/tests/bench/peers/cluster"
)

func main() { cluster.Main(run) }

func run(ctx context.Context) error {
	config, err := cluster.Config()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	fmt.Printf("peer client-go informer, %s, protobuf, managedFields stripped\n", cluster.ListMode())
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(strip))
	informer := factory.Core().V1().Pods().Informer()
	arrivals := cluster.NewArrivals()
	note := func(_, object any) {
		if pod, ok := object.(*corev1.Pod); ok {
			arrivals.Note(pod.Annotations)
		}
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: note}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for !informer.HasSynced() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(cluster.Poll):
		}
	}
	cluster.Serve(len(informer.GetStore().ListKeys()), arrivals)
	return nil
}

func strip(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}
