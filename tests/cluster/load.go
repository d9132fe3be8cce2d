package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

const loadTimeout = 5 * time.Minute

type podLoad struct {
	client     kubernetes.Interface
	namespace  string
	prefix     string
	count      int
	concurrent int
	nodes      []string
}

// runLoad makes many pods of many applications, bound to the nodes at once, without a scheduler.
func runLoad(args []string) int {
	l := podLoad{}
	if len(args) > 0 && args[0] == "churn" {
		return runChurn(args[1:])
	}
	if len(args) == 0 || args[0] != "pods" {
		fmt.Fprintln(os.Stderr, "usage: load pods [--count N] [--namespace NS] [--prefix NAME] [--wait]\n"+
			"       load churn [--namespace NS] [--rate N] [--seconds N] [--seed N]")
		return 2
	}
	flags := flag.NewFlagSet("load pods", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "path of the kubeconfig; default: the usual places")
	flags.IntVar(&l.count, "count", 5000, "number of pods")
	flags.StringVar(&l.namespace, "namespace", "load", "namespace, made when missing")
	flags.StringVar(&l.prefix, "prefix", "load", "first part of the pods' names")
	flags.IntVar(&l.concurrent, "concurrent", 24, "requests at a time")
	running := flags.Bool("wait", false, "wait until all are running")
	if flags.Parse(args[1:]) != nil || flags.NArg() > 0 {
		return 2
	}
	client, err := newClient(*kubeconfig)
	if err != nil {
		return fail(err)
	}
	l.client = client
	interrupted, stop := untilSignal()
	defer stop()
	ctx, cancel := context.WithTimeout(interrupted, loadTimeout)
	defer cancel()
	if err := l.prepare(ctx); err != nil {
		return fail(err)
	}
	if err := l.create(ctx); err != nil {
		return fail(err)
	}
	if *running {
		if err := l.waitRunning(ctx); err != nil {
			return fail(err)
		}
	}
	return 0
}

func (l *podLoad) prepare(ctx context.Context) error {
	nodes, err := l.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range nodes.Items {
		l.nodes = append(l.nodes, nodes.Items[i].Name)
	}
	if len(l.nodes) == 0 {
		return fmt.Errorf("the cluster has no node")
	}
	_, err = l.client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: l.namespace}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		_, err := l.client.CoreV1().ServiceAccounts(l.namespace).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
}

func (l *podLoad) create(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range l.concurrent {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < l.count && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				_, err := l.client.CoreV1().Pods(l.namespace).Create(ctx, l.pod(i), metav1.CreateOptions{})
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

func (l *podLoad) waitRunning(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		list, err := l.client.CoreV1().Pods(l.namespace).List(ctx, metav1.ListOptions{
			FieldSelector: "status.phase=Running", ResourceVersion: "0"})
		return err == nil && len(list.Items) >= l.count, nil
	})
}

// pod is like those of real applications: labels, settings, probes and limits that differ.
func (l *podLoad) pod(i int) *corev1.Pod {
	application, hash := i%40, uint32(i)*2654435761
	name := fmt.Sprintf("%s-app%02d-%08x-%05d", l.prefix, application, hash>>24, i)
	labels := map[string]string{
		"app.kubernetes.io/name":     fmt.Sprintf("app%02d", application),
		"app.kubernetes.io/instance": fmt.Sprintf("app%02d-%d", application, i%3),
		"app.kubernetes.io/version":  fmt.Sprintf("%d.%d.%d", application%5, i%7, i%11),
		"team":                       fmt.Sprintf("team-%d", i%13),
		"tier":                       []string{"web", "api", "data", "batch"}[i%4],
		"pod-template-hash":          fmt.Sprintf("%08x", application*7919),
	}
	containers := []corev1.Container{l.container(i, "main", 8000+application)}
	if i%3 == 0 {
		containers = append(containers, l.container(i, "proxy", 15000))
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: l.namespace, Labels: labels,
			Annotations: map[string]string{
				"checksum/config":      fmt.Sprintf("%08x%08x%08x%08x", hash, hash^7, application, i%5),
				"prometheus.io/scrape": "true",
				"prometheus.io/port":   fmt.Sprint(8000 + application),
			},
		},
		Spec: corev1.PodSpec{
			NodeName:   l.nodes[i%len(l.nodes)],
			Containers: containers,
			Volumes: []corev1.Volume{{Name: "cache", VolumeSource: corev1.VolumeSource{
				EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		},
	}
}

func (l *podLoad) container(i int, name string, port int) corev1.Container {
	probe := &corev1.Probe{
		PeriodSeconds: int32(5 + i%10),
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: "/healthz", Port: intstr.FromInt32(int32(port))}},
	}
	c := corev1.Container{
		Name:  name,
		Image: fmt.Sprintf("example.org/team-%d/app%02d:%d.%d", i%13, i%40, i%5, i%7),
		Args:  []string{"--port", fmt.Sprint(port), "--shard", fmt.Sprint(i)},
		Ports: []corev1.ContainerPort{{Name: name, ContainerPort: int32(port)}},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse(fmt.Sprintf("%dm", 1+i%9)),
				corev1.ResourceMemory: resource.MustParse(fmt.Sprintf("%dMi", 8+i%32)),
			},
		},
		ReadinessProbe: probe,
		LivenessProbe:  probe,
		VolumeMounts:   []corev1.VolumeMount{{Name: "cache", MountPath: "/var/cache/app"}},
	}
	for n := range 12 + i%8 {
		c.Env = append(c.Env, corev1.EnvVar{
			Name:  fmt.Sprintf("SETTING_%02d", n),
			Value: fmt.Sprintf("value-%d-of-%s-%x", n, name, (i+n)*40503),
		})
	}
	c.Env = append(c.Env, corev1.EnvVar{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}})
	return c
}
