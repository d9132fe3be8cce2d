package main

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"kindred/tests/bench/peers/workload"
)

const (
	firstVersion = 1000000
	chunk        = 256 * 1024
)

type server struct {
	work    workload.Workload
	count   int
	version atomic.Int64

	mutex   sync.Mutex // guards watches
	watches map[chan burst]struct{}
}

// burst orders updates of so many pods, from version first on: all at once, or at a pace one by one.
type burst struct {
	count int
	first int64
	pace  time.Duration
	done  *sync.WaitGroup
}

func newServer(w workload.Workload, count int) *server {
	s := &server{work: w, count: count, watches: map[chan burst]struct{}{}}
	s.version.Store(firstVersion + int64(count))
	return s
}

// each makes pods [from, to) one after the other; the bytes are good until the next.
func (s *server) each(from, to int, take func(number int, pod []byte) error) error {
	var t *text
	var buffer []byte
	for i := from; i < to; i++ {
		owner := i / workload.PodsPerOwner
		if t == nil || t.owner.Number != owner {
			made, err := newText(s.work, owner)
			if err != nil {
				return err
			}
			t = made
		}
		buffer = t.write(s.work, buffer[:0], i%workload.PodsPerOwner, strconv.Itoa(firstVersion+i))
		if err := take(i, buffer); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) pods(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	query := r.URL.Query()
	var err error
	if query.Get("watch") == "1" || query.Get("watch") == "true" {
		err = s.watch(w, r, query.Get("sendInitialEvents") == "true")
	} else {
		limit, _ := strconv.Atoi(query.Get("limit"))
		from, _ := strconv.Atoi(query.Get("continue"))
		err = s.page(w, from, limit)
	}
	if err != nil && r.Context().Err() == nil {
		fmt.Println("fault:", err)
	}
}

func (s *server) page(w http.ResponseWriter, from, limit int) error {
	to, next := s.count, ""
	if limit > 0 && from+limit < s.count {
		to = from + limit
		next = fmt.Sprintf(`,"continue":"%d","remainingItemCount":%d`, to, s.count-to)
	}
	out := fmt.Appendf(nil, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"%s},"items":[`,
		s.version.Load(), next)
	err := s.each(from, to, func(number int, pod []byte) error {
		if number > from {
			out = append(out, ',')
		}
		out = append(out, pod...)
		return flush(w, &out, chunk)
	})
	if err != nil {
		return err
	}
	out = append(out, "]}\n"...)
	return flush(w, &out, 0)
}

func flush(w http.ResponseWriter, out *[]byte, above int) error {
	if len(*out) <= above {
		return nil
	}
	_, err := w.Write(*out)
	*out = (*out)[:0]
	return err
}

func (s *server) watch(w http.ResponseWriter, r *http.Request, initial bool) error {
	orders := make(chan burst, 1)
	s.mutex.Lock()
	s.watches[orders] = struct{}{}
	s.mutex.Unlock()
	defer func() {
		s.mutex.Lock()
		delete(s.watches, orders)
		s.mutex.Unlock()
	}()
	if initial {
		if err := s.events(w, "ADDED", burst{count: s.count}); err != nil {
			return err
		}
		if err := bookmark(w, s.version.Load()); err != nil {
			return err
		}
	}
	for {
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			return nil
		case order := <-orders:
			err := s.events(w, "MODIFIED", order)
			if err == nil {
				err = bookmark(w, order.first+int64(order.count))
			}
			order.done.Done()
			if err != nil {
				return err
			}
		}
	}
}

// events writes one line a pod; without a first version it is that of the pod itself.
func (s *server) events(w http.ResponseWriter, kind string, order burst) error {
	var out []byte
	start := time.Now()
	err := s.each(0, order.count, func(number int, pod []byte) error {
		if order.first > 0 {
			pod = updated(pod, firstVersion+int64(number), order.first+int64(number))
		}
		out = append(out, `{"type":"`...)
		out = append(out, kind...)
		out = append(out, `","object":`...)
		out = append(out, pod...)
		out = append(out, "}\n"...)
		if order.pace == 0 {
			return flush(w, &out, chunk)
		}
		time.Sleep(time.Until(start.Add(time.Duration(number) * order.pace)))
		err := flush(w, &out, 0)
		w.(http.Flusher).Flush()
		return err
	})
	if err != nil {
		return err
	}
	return flush(w, &out, 0)
}

func bookmark(w http.ResponseWriter, version int64) error {
	_, err := fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":`+
		`"%d","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", version)
	return err
}

// burst updates the first pods once each, on every open watch, at most rate a second, and answers when all is written.
func (s *server) burst(w http.ResponseWriter, r *http.Request) {
	count, err := strconv.Atoi(r.URL.Query().Get("count"))
	if err != nil || count <= 0 {
		http.Error(w, "count?", http.StatusBadRequest)
		return
	}
	var pace time.Duration
	if rate, err := strconv.Atoi(r.URL.Query().Get("rate")); err == nil && rate > 0 {
		pace = time.Second / time.Duration(rate)
	}
	count = min(count, s.count)
	last := s.version.Add(int64(count) + 1)
	order := burst{count, last - int64(count), pace, &sync.WaitGroup{}}
	s.mutex.Lock()
	for orders := range s.watches {
		order.done.Add(1)
		orders <- order
	}
	s.mutex.Unlock()
	order.done.Wait()
	fmt.Fprintf(w, "%d %d\n", count, last)
}

// size answers the mean length of a pod's JSON, whole and without managedFields, over a sample.
func (s *server) size(w http.ResponseWriter, _ *http.Request) {
	whole, kept, sample := 0, 0, min(s.count, 2000)
	_ = s.each(0, sample, func(_ int, pod []byte) error {
		whole += len(pod)
		kept += withoutManagedFields(pod)
		return nil
	})
	fmt.Fprintf(w, "%d %d\n", whole/sample, kept/sample)
}
