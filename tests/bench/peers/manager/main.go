// A controller-runtime manager with one reconciler per kind that keeps its graph in a map.
package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/go-logr/logr"

	"kindred/tests/bench/peers/cluster"
)

const workers = 10 // kindred's own default

func main() { cluster.Main(run) }

func run(ctx context.Context) error {
	expect := flag.Int("expect", 0, "objects of the six kinds in the cluster; synced when all are reconciled")
	flag.Parse()
	log.SetLogger(logr.Discard())
	config, err := cluster.Config()
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  clientgoscheme.Scheme,
		Cache:   cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		Metrics: server.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	fmt.Printf("peer controller-runtime manager, %s, protobuf, managedFields stripped\n", cluster.ListMode())
	g, arrivals := newGraph(), cluster.NewArrivals()
	for _, k := range kinds() {
		err := ctrl.NewControllerManagedBy(mgr).For(k.new()).
			WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
			Complete(&reconciler{Client: mgr.GetClient(), kind: k, graph: g, arrivals: arrivals})
		if err != nil {
			return err
		}
	}
	failed := make(chan error, 1)
	go func() { failed <- mgr.Start(ctx) }()
	for g.size() < *expect {
		select {
		case err := <-failed:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(cluster.Poll):
		}
	}
	cluster.Serve(g.size(), arrivals)
	return nil
}

// kind is what a reconciler needs to know of one.
type kind struct {
	group, version, name string
	new                  func() client.Object
	relate               func(client.Object) []relation
}

func kinds() []kind {
	return []kind{
		{"", "v1", "Pod", func() client.Object { return &corev1.Pod{} }, relatePod},
		{"", "v1", "Node", func() client.Object { return &corev1.Node{} }, nil},
		{"", "v1", "Service", func() client.Object { return &corev1.Service{} }, nil},
		{"apps", "v1", "ReplicaSet", func() client.Object { return &appsv1.ReplicaSet{} }, nil},
		{"apps", "v1", "Deployment", func() client.Object { return &appsv1.Deployment{} }, nil},
		{"discovery.k8s.io", "v1", "EndpointSlice",
			func() client.Object { return &discoveryv1.EndpointSlice{} }, relateSlice},
	}
}
