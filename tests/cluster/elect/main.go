// A candidate that elects with client-go's own leader election, to see that kindred's gets along with
// it. It prints a line for each thing that it believes: "leading", "stopped" and "leader IDENTITY",
// each with the time in nanoseconds in front.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

var printing sync.Mutex

func say(format string, args ...any) {
	printing.Lock()
	defer printing.Unlock()
	fmt.Printf("%d %s\n", time.Now().UnixNano(), fmt.Sprintf(format, args...))
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file")
	namespace := flag.String("namespace", "antimetal-system", "of the Lease")
	name := flag.String("name", "antimetal-agent-leader", "of the Lease")
	identity := flag.String("identity", "client-go", "of this candidate")
	lease := flag.Duration("lease", 3*time.Second, "")
	renew := flag.Duration("renew", 2*time.Second, "")
	retry := flag.Duration("retry", 500*time.Millisecond, "")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: *namespace, Name: *name},
		Client:     kubernetes.NewForConfigOrDie(config).CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: *identity},
	}
	say("started")
	for ctx.Err() == nil { // a loss ends the election; it stands again
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock:            lock,
			LeaseDuration:   *lease,
			RenewDeadline:   *renew,
			RetryPeriod:     *retry,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { say("leading") },
				OnStoppedLeading: func() { say("stopped") },
				OnNewLeader:      func(id string) { say("leader %s", id) },
			},
		})
	}
}
