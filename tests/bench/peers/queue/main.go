// Adds and gets a second of client-go's workqueue and of controller-runtime's priority queue: one
// producer adds distinct keys, workers take, forget and finish them.
package main

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	keys       = 1000000
	namespaces = 100
)

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// measure runs workers that take from the queue until every key has been done.
func measure(name string, queue workqueue.TypedRateLimitingInterface[reconcile.Request],
	all []reconcile.Request, workers int) {
	var done atomic.Int64
	var group sync.WaitGroup
	began, used := time.Now(), cpuSeconds()
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				key, ends := queue.Get()
				if ends {
					return
				}
				queue.Forget(key)
				queue.Done(key)
				if done.Add(1) == int64(len(all)) {
					queue.ShutDown()
				}
			}
		}()
	}
	for _, key := range all {
		queue.Add(key)
	}
	group.Wait()
	ops := float64(2 * len(all))
	fmt.Printf("%s %.0f %.0f\n", name, ops/time.Since(began).Seconds(), ops/(cpuSeconds()-used))
}

func main() {
	workers := flag.Int("workers", 10, "goroutines that take keys")
	flag.Parse()
	all := make([]reconcile.Request, keys)
	for i := range all {
		all[i].NamespacedName = types.NamespacedName{
			Namespace: fmt.Sprintf("pod-%d", i%namespaces),
			Name:      fmt.Sprintf("pod-%08x-%d", uint32(i)*2654435761, i%1000),
		}
	}
	measure("client-go", workqueue.NewTypedRateLimitingQueue(
		workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]()), all, *workers)
	measure("controller-runtime", priorityqueue.New[reconcile.Request]("bench"), all, *workers)
}
