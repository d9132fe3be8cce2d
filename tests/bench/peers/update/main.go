// A stream of updates: numbered patches of pods' annotations and labels, each with the time of the
// API server's answer.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"

	"kindred/tests/bench/peers/cluster"
)

func main() { cluster.Main(run) }

func run(ctx context.Context) error {
	count := flag.Int("count", 2000, "updates in all")
	first := flag.Int("first", 1, "number of the first")
	concurrent := flag.Int("concurrent", 8, "requests at a time")
	rate := flag.Int("rate", 400, "updates a second at most")
	flag.Parse()
	config, err := cluster.Config()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	names, err := podNames(ctx, metadata.NewForConfigOrDie(config))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if !bufio.NewScanner(os.Stdin).Scan() {
		return nil
	}
	answers := make([]int64, *count)
	if err := patchAll(ctx, client, names, *first, *concurrent, *rate, answers); err != nil {
		return err
	}
	for i, at := range answers {
		fmt.Println(*first+i, at)
	}
	fmt.Println("end")
	return nil
}

func podNames(ctx context.Context, client metadata.Interface) ([]string, error) {
	list, err := client.Resource(podResource).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list.Items))
	for i := range list.Items {
		names[i] = list.Items[i].Namespace + "/" + list.Items[i].Name
	}
	return names, nil
}

func patchAll(ctx context.Context, client kubernetes.Interface, names []string, first, concurrent, rate int,
	answers []int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range concurrent {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(answers) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				time.Sleep(time.Until(start.Add(time.Duration(i) * time.Second / time.Duration(rate))))
				err := patch(ctx, client, names[(i*7919)%len(names)], first+i)
				if err != nil {
					cancel(err)
				}
				answers[i] = time.Now().UnixNano()
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// patch changes an annotation each time and a label every other time.
func patch(ctx context.Context, client kubernetes.Interface, key string, number int) error {
	space, name, _ := strings.Cut(key, "/")
	labels := ""
	if number%2 == 0 {
		labels = fmt.Sprintf(`"labels":{"bench.kindred.dev/turn":"t%d"},`, number%97)
	}
	text := fmt.Sprintf(`{"metadata":{%s"annotations":{%q:"%d"}}}`, labels, cluster.SequenceAnnotation, number)
	_, err := client.CoreV1().Pods(space).Patch(ctx, name, types.MergePatchType, []byte(text), metav1.PatchOptions{})
	return err
}

var podResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
