// Package cluster is what the programs of the benchmark share: access, signals and the talk with the runner.
package cluster

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"k8s.io/client-go/features"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// SequenceAnnotation carries the number of an update, so that its arrival can be told.
const SequenceAnnotation = "bench.kindred.dev/sequence"

// Poll is how often a program looks whether it has synced; that is cheap in here.
const Poll = 5 * time.Millisecond

// Config reads the kubeconfig of the environment and asks for protobuf; requests are not limited on our side.
func Config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return config, nil
}

// UntilSignal is a context that ends with SIGINT or SIGTERM.
func UntilSignal() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// ListMode says how this program's reflectors get their first list.
func ListMode() string {
	if features.FeatureGates().Enabled(features.WatchListClient) {
		return "streaming list"
	}
	return "paged list"
}

// Serve tells the runner that all is there, then answers its orders: "settle" gives free memory back
// to the system, "latency" prints what arrived, the end of the input ends the program.
func Serve(objects int, arrivals *Arrivals) {
	fmt.Printf("synced objects=%d\n", objects)
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		switch orders.Text() {
		case "settle":
			runtime.GC()
			debug.FreeOSMemory()
			fmt.Println("settled")
		case "latency":
			arrivals.Print()
		}
	}
}

// Main runs a program's body and turns its error into the exit code.
func Main(run func(context.Context) error) {
	ctx, stop := UntilSignal()
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
