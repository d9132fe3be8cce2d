package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"kindred/tests/bench/peers/workload"
)

const nodes = 5000

// text is one owner's pod as JSON, cut where its pods differ: parts[i] is followed by value slots[i].
type text struct {
	parts [][]byte
	slots []int
	owner workload.Owner
}

// placeholder values cannot occur in what the workload draws.
func placeholders(containers int) (workload.Identity, []string) {
	id := workload.Identity{Suffix: "@0@", UID: "@1@", Access: "@2@", IP: "@3@", HostIP: "@4@", Node: "@5@",
		Created: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), Started: time.Date(1998, 1, 1, 0, 0, 0, 0, time.UTC)}
	marks := []string{"@0@", "@1@", "@2@", "@3@", "@4@", "@5@", "1999-01-01T00:00:00Z", "1998-01-01T00:00:00Z", "@rv@"}
	for i := range containers {
		mark := "@c" + strconv.Itoa(i) + "@"
		id.ContainerIDs = append(id.ContainerIDs, mark)
		marks = append(marks, mark)
	}
	return id, marks
}

func newText(w workload.Workload, number int) (*text, error) {
	t := &text{owner: w.Owner(number)}
	drawn := w.Identity(&t.owner, 0, nodes)
	id, marks := placeholders(len(drawn.ContainerIDs))
	pod := t.owner.Pod(&id)
	pod.ResourceVersion = "@rv@"
	addAccess(pod, id.Access)
	if err := addManagedFields(pod); err != nil {
		return nil, err
	}
	whole, err := json.Marshal(pod)
	if err != nil {
		return nil, err
	}
	t.cut(whole, marks)
	return t, nil
}

// cut finds every placeholder; they do not overlap.
func (t *text) cut(whole []byte, marks []string) {
	found := map[int]int{}
	for i, mark := range marks {
		for from := 0; ; {
			at := bytes.Index(whole[from:], []byte(mark))
			if at < 0 {
				break
			}
			found[from+at] = i
			from += at + len(mark)
		}
	}
	from := 0
	for _, at := range slices.Sorted(maps.Keys(found)) {
		t.parts = append(t.parts, whole[from:at])
		t.slots = append(t.slots, found[at])
		from = at + len(marks[found[at]])
	}
	t.parts = append(t.parts, whole[from:])
}

// write appends pod k.
func (t *text) write(w workload.Workload, out []byte, k int, version string) []byte {
	id := w.Identity(&t.owner, k, nodes)
	values := []string{id.Suffix, id.UID, id.Access, id.IP, id.HostIP, id.Node,
		id.Created.Format(time.RFC3339), id.Started.Format(time.RFC3339), version}
	values = append(values, id.ContainerIDs...)
	for i, part := range t.parts {
		out = append(out, part...)
		if i < len(t.slots) {
			out = append(out, values[t.slots[i]]...)
		}
	}
	return out
}

// withoutManagedFields is the length of a pod's JSON as kindred keeps it.
func withoutManagedFields(whole []byte) int {
	start := bytes.Index(whole, []byte(`"managedFields":[`))
	end := bytes.Index(whole, []byte(`}},"subresource":"status"}]`))
	if start < 0 || end < 0 {
		return len(whole)
	}
	return len(whole) - (end + len(`}},"subresource":"status"}]`) - start)
}

// updated is the pod with a new version and one container that turned unready or ready again.
func updated(pod []byte, old, version int64) []byte {
	was := strconv.AppendInt([]byte(`"resourceVersion":"`), old, 10)
	is := strconv.AppendInt([]byte(`"resourceVersion":"`), version, 10)
	pod = bytes.Replace(pod, was, is, 1)
	if version%2 == 0 {
		return pod
	}
	return bytes.Replace(pod, []byte(`"ready":true`), []byte(`"ready":false`), 1)
}
