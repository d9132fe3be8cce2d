package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

const (
	churnWorkers = 16
	churnTimeout = 10 * time.Second // of one change; an API server may be away
)

// podChurn changes the pods of a namespace at a steady rate, whatever becomes of single requests.
type podChurn struct {
	client    kubernetes.Interface
	namespace string
	pods      []corev1.Pod
	changed   atomic.Int64
	failed    atomic.Int64
}

// runChurn changes labels and annotations of random pods, and deletes and makes some of them again.
func runChurn(args []string) int {
	c := podChurn{}
	flags := flag.NewFlagSet("load churn", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "path of the kubeconfig; default: the usual places")
	flags.StringVar(&c.namespace, "namespace", "load", "whose pods are changed")
	rate := flags.Int("rate", 100, "changes a second")
	seconds := flags.Int("seconds", 60, "for how long")
	seed := flags.Int64("seed", 1, "of the choices")
	if flags.Parse(args) != nil || flags.NArg() > 0 || *rate < 1 {
		return 2
	}
	client, err := newClient(*kubeconfig)
	if err != nil {
		return fail(err)
	}
	c.client = client
	interrupted, stop := untilSignal()
	defer stop()
	if err := c.list(interrupted); err != nil {
		return fail(err)
	}
	ctx, cancel := context.WithTimeout(interrupted, time.Duration(*seconds)*time.Second)
	defer cancel()
	c.run(ctx, *rate, rand.New(rand.NewSource(*seed)))
	fmt.Fprintf(os.Stdout, "%d changes, %d failed\n", c.changed.Load(), c.failed.Load())
	return 0
}

func (c *podChurn) list(ctx context.Context) error {
	list, err := c.client.CoreV1().Pods(c.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if len(list.Items) == 0 {
		return fmt.Errorf("namespace %s has no pods", c.namespace)
	}
	c.pods = list.Items
	return nil
}

func (c *podChurn) run(ctx context.Context, rate int, random *rand.Rand) {
	type change struct {
		pod  *corev1.Pod
		kind int
		word uint32
	}
	work := make(chan change)
	var workers sync.WaitGroup
	for range churnWorkers {
		workers.Go(func() {
			for next := range work {
				c.count(c.change(next.pod, next.kind, next.word))
			}
		})
	}
	ticks := time.NewTicker(time.Second / time.Duration(rate))
	defer ticks.Stop()
	for ctx.Err() == nil {
		next := change{&c.pods[random.Intn(len(c.pods))], random.Intn(100), random.Uint32()}
		select {
		case <-ctx.Done():
		case <-ticks.C:
			select {
			case work <- next:
			case <-ctx.Done():
			}
		}
	}
	close(work)
	workers.Wait()
}

func (c *podChurn) count(err error) {
	c.changed.Add(1)
	if err != nil {
		c.failed.Add(1)
	}
}

func (c *podChurn) change(pod *corev1.Pod, kind int, word uint32) error {
	ctx, cancel := context.WithTimeout(context.Background(), churnTimeout)
	defer cancel()
	if kind < 10 {
		return c.renew(ctx, pod)
	}
	section := "labels"
	if kind < 40 {
		section = "annotations"
	}
	patch := fmt.Sprintf(`{"metadata":{"%s":{"churn":"%08x"}}}`, section, word)
	_, err := c.client.CoreV1().Pods(c.namespace).Patch(ctx, pod.Name, types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{})
	return err
}

// renew deletes a pod and makes it again under its name, which has another uid then.
func (c *podChurn) renew(ctx context.Context, pod *corev1.Pod) error {
	pods := c.client.CoreV1().Pods(c.namespace)
	var now int64
	if err := pods.Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		return err
	}
	again := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, Labels: pod.Labels,
			Annotations: pod.Annotations},
		Spec: pod.Spec,
	}
	return wait.PollUntilContextCancel(ctx, pollInterval, true,
		func(ctx context.Context) (bool, error) {
			_, err := pods.Create(ctx, again, metav1.CreateOptions{})
			return err == nil, nil
		})
}
