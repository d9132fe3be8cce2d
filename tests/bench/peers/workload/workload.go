// Package workload makes objects like those of real clusters, deterministic by seed: hundreds of
// applications that have little in common, each in several ReplicaSets of ten pods, with digests,
// tokens and addresses that no compressor can guess.
package workload

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// PodsPerOwner is the number of replicas of each ReplicaSet.
	PodsPerOwner = 10
	templates    = 250
	namespaces   = 20
	ownerStream  = 1 << 32
	podStream    = 1 << 40
)

var epoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// Workload is named by its seed alone.
type Workload struct{ Seed uint64 }

func (w Workload) random(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(w.Seed, stream)) }

// Namespaces are those that the owners are spread over.
func (w Workload) Namespaces() []string {
	names := make([]string, namespaces)
	for i := range names {
		names[i] = namespace(i)
	}
	return names
}

func namespace(i int) string { return fmt.Sprintf("%s-%s", teams[i%len(teams)], stages[i%len(stages)]) }

// Owner is what the ten pods of one ReplicaSet share.
type Owner struct {
	Number                      int
	Namespace, Deployment, Name string
	Hash                        string
	UID                         string
	Created                     time.Time
	Labels                      map[string]string
	application                 application
	port                        int32
}

// Owner draws the ReplicaSet of a number; owners 250 apart run the same application.
func (w Workload) Owner(number int) Owner {
	shape := w.random(uint64(number % templates))
	app := newApplication(shape)
	r := w.random(ownerStream + uint64(number))
	app.vary(r)
	o := Owner{
		Number: number, Namespace: namespace(number % namespaces), Hash: letters(r, 10), UID: uid(r),
		Deployment:  fmt.Sprintf("%s-%d", app.name, number),
		Created:     epoch.Add(time.Duration(r.IntN(200*24*3600)) * time.Second),
		application: app, port: app.containers[0].port,
	}
	o.Name = o.Deployment + "-" + o.Hash
	o.Labels = map[string]string{
		"app.kubernetes.io/name": app.name, "app.kubernetes.io/instance": o.Deployment,
		"app.kubernetes.io/version": app.version, "pod-template-hash": o.Hash,
		"team": teams[number%len(teams)], "cost-center": fmt.Sprint(1000 + r.IntN(9000)),
	}
	for i := range app.extraLabels {
		o.Labels[app.extraLabels[i]] = words[r.IntN(len(words))]
	}
	return o
}

// Selector names the pods of the owner's deployment.
func (o *Owner) Selector() map[string]string {
	return map[string]string{"app.kubernetes.io/instance": o.Deployment}
}

// Identity is what tells one pod of an owner from the next.
type Identity struct {
	Suffix, UID, Access, IP, HostIP, Node string
	Created, Started                      time.Time
	ContainerIDs                          []string
}

// Identity draws that of pod k of an owner, on one of so many nodes.
func (w Workload) Identity(o *Owner, k, nodes int) Identity {
	number := o.Number*PodsPerOwner + k
	r := w.random(podStream + uint64(number))
	node := 1 + r.IntN(nodes)
	created := o.Created.Add(time.Duration(r.IntN(30*24*3600)) * time.Second)
	id := Identity{
		Suffix: letters(r, 5), UID: uid(r), Access: letters(r, 5), Node: fmt.Sprintf("node-%d", node),
		IP:     fmt.Sprintf("10.%d.%d.%d", 128+number>>16&127, number>>8&255, number&255),
		HostIP: fmt.Sprintf("10.1.%d.%d", node/250, node%250+1), Created: created,
		Started: created.Add(time.Duration(1+r.IntN(90)) * time.Second),
	}
	for range o.application.containers {
		id.ContainerIDs = append(id.ContainerIDs, "containerd://"+hex(r, 64))
	}
	return id
}

func stamp(t time.Time) metav1.Time { return metav1.NewTime(t) }

func letters(r *rand.Rand, n int) string { return drawn(r, "bcdfghjklmnpqrstvwxz2456789", n) }

func hex(r *rand.Rand, n int) string { return drawn(r, "0123456789abcdef", n) }

func token(r *rand.Rand, n int) string {
	return drawn(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", n)
}

func drawn(r *rand.Rand, alphabet string, n int) string {
	var text strings.Builder
	for range n {
		text.WriteByte(alphabet[r.IntN(len(alphabet))])
	}
	return text.String()
}

func uid(r *rand.Rand) string {
	return strings.Join([]string{hex(r, 8), hex(r, 4), "4" + hex(r, 3), "a" + hex(r, 3), hex(r, 12)}, "-")
}
