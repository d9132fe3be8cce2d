package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

const (
	heartbeat        = 10 * time.Second
	registerInterval = 200 * time.Millisecond
	leaseSeconds     = 40
)

// nodeAgent stands for the kubelets of all nodes: it registers them, keeps them ready and runs pods in name only.
type nodeAgent struct {
	client kubernetes.Interface
	nodes  int
}

func runKubelet(args []string) int {
	agent := nodeAgent{}
	flags := flag.NewFlagSet("kubelet", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "path of the kubeconfig")
	flags.IntVar(&agent.nodes, "nodes", 3, "number of nodes")
	if flags.Parse(args) != nil || flags.NArg() > 0 {
		return 2
	}
	client, err := newClient(*kubeconfig)
	if err != nil {
		return fail(err)
	}
	agent.client = client
	ctx, cancel := untilSignal()
	defer cancel()
	for i := 1; i <= agent.nodes; i++ {
		go agent.runNode(ctx, i)
	}
	if err := runPods(ctx, client); err != nil && ctx.Err() == nil {
		return fail(err)
	}
	return 0
}

// runNode registers a node, then renews its lease and its conditions' heartbeat. A node that
// somebody deletes stays away, as with a kubelet that is not started again.
func (a *nodeAgent) runNode(ctx context.Context, number int) {
	node := newNode(number)
	err := wait.PollUntilContextCancel(ctx, registerInterval, true, func(ctx context.Context) (bool, error) {
		_, err := a.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		return err == nil || apierrors.IsAlreadyExists(err), nil
	})
	if err != nil {
		return
	}
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := a.beat(ctx, node); err != nil && ctx.Err() == nil {
			klog.ErrorS(err, "heartbeat", "node", node.Name)
		}
	}, heartbeat)
}

func (a *nodeAgent) beat(ctx context.Context, node *corev1.Node) error {
	live, err := a.client.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	previous := live.Status.Conditions
	live.Status = *node.Status.DeepCopy()
	now := metav1.Now()
	for i := range live.Status.Conditions {
		condition := &live.Status.Conditions[i]
		condition.LastHeartbeatTime, condition.LastTransitionTime = now, now
		for _, old := range previous {
			if old.Type == condition.Type && old.Status == condition.Status {
				condition.LastTransitionTime = old.LastTransitionTime
			}
		}
	}
	if _, err := a.client.CoreV1().Nodes().UpdateStatus(ctx, live, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return a.renewLease(ctx, live)
}

func (a *nodeAgent) renewLease(ctx context.Context, node *corev1.Node) error {
	leases := a.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	holder, seconds, now := node.Name, int32(leaseSeconds), metav1.NowMicro()
	lease, err := leases.Get(ctx, node.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease = &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{
				Name: node.Name,
				OwnerReferences: []metav1.OwnerReference{
					{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}},
			},
			Spec: coordinationv1.LeaseSpec{
				HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &now},
		}
		_, err = leases.Create(ctx, lease, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec.RenewTime = &now
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

func nodeName(number int) string { return fmt.Sprintf("node-%d", number) }

func newNode(number int) *corev1.Node {
	name := nodeName(number)
	machine := fmt.Sprintf("%032x", 0x6b696e64726564+number)
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("64"),
		corev1.ResourceMemory:           resource.MustParse("256Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		corev1.ResourcePods:             resource.MustParse("10000"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				"kubernetes.io/hostname":           name,
				"kubernetes.io/os":                 "linux",
				"kubernetes.io/arch":               "amd64",
				"node.kubernetes.io/instance-type": "m5.16xlarge",
				"topology.kubernetes.io/region":    "local",
				"topology.kubernetes.io/zone":      fmt.Sprintf("local-%c", 'a'+number%3),
			},
		},
		Spec: corev1.NodeSpec{ProviderID: "kindred://" + name},
		Status: corev1.NodeStatus{
			Capacity:    capacity,
			Allocatable: capacity,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: nodeIP(number)},
				{Type: corev1.NodeHostName, Address: name},
			},
			NodeInfo: corev1.NodeSystemInfo{
				MachineID: machine, SystemUUID: machine, BootID: machine,
				KernelVersion: "6.1.0", OSImage: "Debian GNU/Linux 12 (bookworm)", OperatingSystem: "linux",
				Architecture: "amd64", ContainerRuntimeVersion: "containerd://2.0.0", KubeletVersion: "v1.36.3",
			},
		},
	}
	for _, c := range []struct {
		kind           corev1.NodeConditionType
		status         corev1.ConditionStatus
		reason, report string
	}{
		{corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "enough memory"},
		{corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "enough disk"},
		{corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "enough process ids"},
		{corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "node agent is posting ready status"},
	} {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
			Type: c.kind, Status: c.status, Reason: c.reason, Message: c.report,
			LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
		})
	}
	return node
}

func nodeIP(number int) string { return fmt.Sprintf("10.1.%d.%d", number/250, number%250+1) }
