package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

const (
	podWorkers   = 16
	retryLongest = 2 * time.Second
)

// podRunner moves every pod that is bound to a node along its life.
type podRunner struct {
	client kubernetes.Interface
	pods   cache.Indexer
	queue  workqueue.TypedRateLimitingInterface[string]
	lastIP atomic.Uint32
}

// podStatusPatch names the uid so that a pod made again under the same name is left alone.
type podStatusPatch struct {
	Metadata struct {
		UID types.UID `json:"uid"`
	} `json:"metadata"`
	Status corev1.PodStatus `json:"status"`
}

// runPods works until ctx ends.
func runPods(ctx context.Context, client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTransform(trimPod),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermNotEqualSelector("spec.nodeName", "").String()
		}))
	informer := factory.Core().V1().Pods().Informer()
	runner := &podRunner{
		client: client,
		pods:   informer.GetIndexer(),
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, retryLongest)),
	}
	enqueue := func(object any) {
		if key, err := cache.MetaNamespaceKeyFunc(object); err == nil {
			runner.queue.Add(key)
		}
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
	}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the list of pods did not arrive")
	}
	runner.takeUpAddresses()
	var workers sync.WaitGroup
	for range podWorkers {
		workers.Go(func() { runner.work(ctx) })
	}
	<-ctx.Done()
	runner.queue.ShutDown()
	workers.Wait()
	return nil
}

// trimPod keeps what the runner reads, so that thousands of pods cost little memory.
func trimPod(object any) (any, error) {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return object, nil
	}
	trimmed := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID, ResourceVersion: pod.ResourceVersion,
			DeletionTimestamp:          pod.DeletionTimestamp,
			DeletionGracePeriodSeconds: pod.DeletionGracePeriodSeconds,
		},
		Spec: corev1.PodSpec{
			NodeName: pod.Spec.NodeName, HostNetwork: pod.Spec.HostNetwork,
			RestartPolicy: pod.Spec.RestartPolicy,
		},
		Status: corev1.PodStatus{
			Phase: pod.Status.Phase, PodIP: pod.Status.PodIP,
			Conditions: pod.Status.Conditions, ContainerStatuses: pod.Status.ContainerStatuses,
		},
	}
	for _, c := range pod.Spec.Containers {
		trimmed.Spec.Containers = append(trimmed.Spec.Containers, corev1.Container{Name: c.Name, Image: c.Image})
	}
	for _, c := range pod.Spec.InitContainers {
		trimmed.Spec.InitContainers = append(trimmed.Spec.InitContainers,
			corev1.Container{Name: c.Name, Image: c.Image})
	}
	return trimmed, nil
}

// takeUpAddresses goes on after the highest address in use, for an agent that is started again.
func (r *podRunner) takeUpAddresses() {
	highest := addressNumber("10.128.0.0")
	for _, object := range r.pods.List() {
		if pod, ok := object.(*corev1.Pod); ok {
			highest = max(highest, addressNumber(pod.Status.PodIP))
		}
	}
	r.lastIP.Store(highest)
}

func addressNumber(text string) uint32 {
	address, err := netip.ParseAddr(text)
	if err != nil || !address.Is4() || address.As4()[0] != 10 {
		return 0
	}
	b := address.As4()
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func (r *podRunner) nextAddress() string {
	n := r.lastIP.Add(1)
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()
}

func (r *podRunner) work(ctx context.Context) {
	for {
		key, stopped := r.queue.Get()
		if stopped {
			return
		}
		if err := r.sync(ctx, key); err != nil && ctx.Err() == nil {
			klog.ErrorS(err, "pod", "key", key)
			r.queue.AddRateLimited(key)
		} else {
			r.queue.Forget(key)
		}
		r.queue.Done(key)
	}
}

func (r *podRunner) sync(ctx context.Context, key string) error {
	object, exists, err := r.pods.GetByKey(key)
	if err != nil || !exists {
		return err
	}
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return fmt.Errorf("%s is a %T", key, object)
	}
	switch {
	case pod.DeletionTimestamp != nil:
		err = r.finish(ctx, pod)
	case pod.Status.Phase == corev1.PodPending:
		err = r.patch(ctx, pod, r.running(pod))
	case pod.Status.Phase == corev1.PodRunning && pod.Spec.RestartPolicy != corev1.RestartPolicyAlways:
		err = r.patch(ctx, pod, succeeded(pod))
	}
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // gone or made again; the watch brings the news
	}
	return err
}

func (r *podRunner) finish(ctx context.Context, pod *corev1.Pod) error {
	if grace := pod.DeletionGracePeriodSeconds; grace != nil && *grace == 0 {
		return nil // only finalizers are left
	}
	return r.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64),
		Preconditions:      metav1.NewUIDPreconditions(string(pod.UID)),
	})
}

func (r *podRunner) patch(ctx context.Context, pod *corev1.Pod, status corev1.PodStatus) error {
	patch := podStatusPatch{Status: status}
	patch.Metadata.UID = pod.UID
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = r.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, text,
		metav1.PatchOptions{}, "status")
	return err
}

func (r *podRunner) running(pod *corev1.Pod) corev1.PodStatus {
	now := metav1.Now()
	var number int
	host := nodeIP(0)
	if _, err := fmt.Sscanf(pod.Spec.NodeName, "node-%d", &number); err == nil {
		host = nodeIP(number)
	}
	address := host
	if !pod.Spec.HostNetwork {
		address = r.nextAddress()
	}
	status := corev1.PodStatus{
		Phase: corev1.PodRunning, StartTime: &now,
		PodIP: address, PodIPs: []corev1.PodIP{{IP: address}},
		HostIP: host, HostIPs: []corev1.HostIP{{IP: host}},
		Conditions: podConditions(pod, corev1.ConditionTrue, "", now),
	}
	for i, c := range pod.Spec.InitContainers {
		status.InitContainerStatuses = append(status.InitContainerStatuses, containerStatus(pod, c, i,
			corev1.ContainerState{Terminated: completed(now, now)}))
	}
	for i, c := range pod.Spec.Containers {
		started := containerStatus(pod, c, len(pod.Spec.InitContainers)+i,
			corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}})
		started.Ready = true
		status.ContainerStatuses = append(status.ContainerStatuses, started)
	}
	return status
}

func succeeded(pod *corev1.Pod) corev1.PodStatus {
	now := metav1.Now()
	status := corev1.PodStatus{
		Phase:      corev1.PodSucceeded,
		Conditions: podConditions(pod, corev1.ConditionFalse, "PodCompleted", now),
	}
	for _, c := range pod.Status.ContainerStatuses {
		since := now
		if c.State.Running != nil {
			since = c.State.Running.StartedAt
		}
		off := false
		c.Ready, c.Started = false, &off
		c.State = corev1.ContainerState{Terminated: completed(since, now)}
		status.ContainerStatuses = append(status.ContainerStatuses, c)
	}
	return status
}

func completed(since, until metav1.Time) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: since, FinishedAt: until}
}

// podConditions leaves a condition's time of change alone where its status stays.
func podConditions(pod *corev1.Pod, ready corev1.ConditionStatus, reason string, now metav1.Time) []corev1.PodCondition {
	wanted := []corev1.PodCondition{
		{Type: corev1.PodReadyToStartContainers, Status: ready},
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, Reason: reason},
		{Type: corev1.PodReady, Status: ready, Reason: reason},
		{Type: corev1.ContainersReady, Status: ready, Reason: reason},
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue},
	}
	for i := range wanted {
		wanted[i].LastTransitionTime = now
		for _, old := range pod.Status.Conditions {
			if old.Type == wanted[i].Type && old.Status == wanted[i].Status {
				wanted[i].LastTransitionTime = old.LastTransitionTime
			}
		}
	}
	return wanted
}

func containerStatus(pod *corev1.Pod, c corev1.Container, place int, state corev1.ContainerState) corev1.ContainerStatus {
	started := state.Running != nil
	return corev1.ContainerStatus{
		Name: c.Name, Image: c.Image, Started: &started, State: state,
		ImageID:     fmt.Sprintf("%s@sha256:%064x", c.Image, len(c.Image)),
		ContainerID: fmt.Sprintf("containerd://%s-%d", pod.UID, place),
	}
}
