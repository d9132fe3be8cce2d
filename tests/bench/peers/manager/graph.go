package main

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// reference names a node of the graph.
type reference struct{ group, kind, namespace, name string }

type resource struct {
	version             string
	uid                 types.UID
	labels, annotations map[string]string
	created             time.Time
	data                []byte
}

type relation struct {
	predicate, attributes string
	subject, object       reference
}

// entry is a resource with the relations that its object gave rise to.
type entry struct {
	resource  *resource
	relations []relation
}

// graph is a map; a relation is found from the object it comes from.
type graph struct {
	mutex   sync.RWMutex
	entries map[reference]entry
}

func newGraph() *graph { return &graph{entries: map[reference]entry{}} }

func (g *graph) put(key reference, made *resource, relations []relation) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.entries[key] = entry{made, relations}
}

func (g *graph) remove(key reference) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	delete(g.entries, key)
}

func (g *graph) size() int {
	g.mutex.RLock()
	defer g.mutex.RUnlock()
	return len(g.entries)
}
