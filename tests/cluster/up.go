package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

const (
	readyTimeout = 2 * time.Minute
	pollInterval = 50 * time.Millisecond
	// A port below the range that the kernel hands to outgoing connections stays free while the
	// API server is down, and a client that dials it then cannot meet itself.
	firstPort, lastPort = 20000, 32000
	portAttempts        = 3
)

type upOptions struct {
	dir     string
	nodes   int
	owner   int
	apiArgs stringList
}

// stringList is a flag that may be given many times.
type stringList []string

func (l *stringList) String() string { return strings.Join(*l, " ") }

func (l *stringList) Set(value string) error {
	*l = append(*l, value)
	return nil
}

func runUp(args []string) int {
	var o upOptions
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	flags.StringVar(&o.dir, "dir", "", "folder of the cluster, new or empty; default: one in TMPDIR")
	flags.IntVar(&o.nodes, "nodes", 3, "number of nodes")
	flags.IntVar(&o.owner, "owner", 0, "a process id: the cluster ends when that process is gone")
	flags.Var(&o.apiArgs, "api-arg", "one more argument of the API server; may be repeated")
	if flags.Parse(args) != nil || flags.NArg() > 0 {
		return 2
	}
	ctx, cancel := untilSignal()
	defer cancel()
	for attempt := 1; ; attempt++ {
		f, err := up(ctx, &o)
		if err == nil {
			fmt.Println(f.kubeconfig())
			return 0
		}
		if attempt == portAttempts || !strings.Contains(err.Error(), "address already in use") {
			return fail(err)
		}
	}
}

func up(ctx context.Context, o *upOptions) (*folder, error) {
	f, err := newFolder(o)
	if err != nil {
		return nil, err
	}
	err = f.startAll(ctx, o)
	if err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return f, nil
}

func newFolder(o *upOptions) (*folder, error) {
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return nil, err
	}
	if o.dir == "" {
		dir, err = os.MkdirTemp("", "kindred-cluster-")
	} else {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty", dir)
	}
	return &folder{Dir: dir, Nodes: o.nodes}, nil
}

func (f *folder) startAll(ctx context.Context, o *upOptions) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	f.Server = "https://127.0.0.1:" + ports[2]
	f.Processes = f.processes(ports, o)
	if err := errors.Join(f.save(), f.writePki(), f.startGuard(o.owner)); err != nil {
		return err
	}
	ended := make(chan error, len(f.Processes))
	for _, p := range f.Processes {
		end, err := f.start(p)
		if err != nil {
			return err
		}
		go func() { ended <- fmt.Errorf("%w\n%s", <-end, f.logTail(p.Role)) }()
	}
	waiting, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	ready := make(chan error, 1)
	go func() { ready <- f.waitReady(waiting) }()
	select {
	case err := <-ready:
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		return err
	case err := <-ended:
		return err
	}
}

// startGuard leaves a small process behind that takes the cluster down once the owner is gone.
func (f *folder) startGuard(owner int) error {
	if owner == 0 {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	script := `tail --pid="$1" -s 0.2 -f /dev/null; exec "$2" down "$3"`
	_, err = f.startCommand("guard",
		exec.Command("sh", "-c", script, "guard", strconv.Itoa(owner), self, f.Dir))
	return err
}

func (f *folder) processes(ports []string, o *upOptions) []process {
	etcd, peer := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	pki := func(name string) string { return f.path("pki", name) }
	return []process{
		{"etcd", []string{
			"--name=default", "--data-dir=" + f.path("etcd"), "--unsafe-no-fsync", "--log-level=warn",
			"--listen-client-urls=" + etcd, "--advertise-client-urls=" + etcd,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
			"--initial-cluster=default=" + peer,
		}},
		{"apiserver", append([]string{
			"--etcd-servers=" + etcd, "--cert-dir=" + f.path("pki"), "--profiling=false",
			"--bind-address=127.0.0.1", "--secure-port=" + ports[2], "--advertise-address=10.0.0.1",
			"--tls-cert-file=" + pki("apiserver.crt"), "--tls-private-key-file=" + pki("apiserver.key"),
			"--client-ca-file=" + pki("ca.crt"), "--token-auth-file=" + pki("tokens.csv"),
			"--authorization-mode=Node,RBAC", "--service-cluster-ip-range=10.96.0.0/16",
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=" + pki("sa.key"),
			"--service-account-signing-key-file=" + pki("sa.key"),
		}, o.apiArgs...)},
		{"controller-manager", []string{
			"--kubeconfig=" + f.kubeconfig(), "--secure-port=0", "--leader-elect=false",
			"--root-ca-file=" + pki("ca.crt"), "--service-account-private-key-file=" + pki("sa.key"),
			"--kube-api-qps=500", "--kube-api-burst=1000", "--node-monitor-period=1s",
		}},
		{"scheduler", []string{
			"--kubeconfig=" + f.kubeconfig(), "--secure-port=0", "--leader-elect=false",
			"--kube-api-qps=500", "--kube-api-burst=1000",
		}},
		{"kubelet", []string{"--kubeconfig=" + f.kubeconfig(), "--nodes=" + strconv.Itoa(f.Nodes)}},
	}
}

func freePorts(count int) ([]string, error) {
	var ports []string
	for tries := 0; len(ports) < count; tries++ {
		if tries > 1000 {
			return nil, fmt.Errorf("no free port between %d and %d", firstPort, lastPort)
		}
		port := strconv.Itoa(firstPort + rand.IntN(lastPort-firstPort))
		listener, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			continue
		}
		defer listener.Close()
		ports = append(ports, port)
	}
	return ports, nil
}

// waitReady returns when the API server answers, pods could be made and every node takes them.
func (f *folder) waitReady(ctx context.Context) error {
	client, err := newClient(f.kubeconfig())
	if err != nil {
		return err
	}
	steps := []struct {
		name string
		done func(context.Context, *kubernetes.Clientset) bool
	}{
		{"API server ready", apiReady},
		{"service account of namespace default", accountReady},
		{"nodes ready", func(ctx context.Context, c *kubernetes.Clientset) bool { return nodesReady(ctx, c, f.Nodes) }},
	}
	for _, step := range steps {
		check := func(ctx context.Context) (bool, error) { return step.done(ctx, client), nil }
		if err := wait.PollUntilContextCancel(ctx, pollInterval, true, check); err != nil {
			return fmt.Errorf("waited in vain for: %s (%w)\n%s", step.name, err, f.logTail("apiserver"))
		}
	}
	return nil
}

func apiReady(ctx context.Context, client *kubernetes.Clientset) bool {
	return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() == nil
}

func accountReady(ctx context.Context, client *kubernetes.Clientset) bool {
	_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
	return err == nil
}

func nodesReady(ctx context.Context, client *kubernetes.Clientset, count int) bool {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return false
	}
	ready := 0
	for i := range nodes.Items {
		if nodeReady(&nodes.Items[i]) {
			ready++
		}
	}
	return ready >= count
}

func nodeReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue && len(node.Spec.Taints) == 0
		}
	}
	return false
}
