// A server of pods that are made on the fly: pages, streaming lists, watches and bursts of updates, for
// numbers of objects that a real API server cannot hold on a small machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"

	"kindred/tests/bench/peers/cluster"
	"kindred/tests/bench/peers/workload"
)

func main() { cluster.Main(run) }

func run(ctx context.Context) error {
	pods := flag.Int("pods", 10000, "number of pods, ten an owner")
	seed := flag.Uint64("seed", 1, "seed of all that is drawn")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := newServer(workload.Workload{Seed: *seed}, *pods)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/pods", s.pods)
	mux.HandleFunc("POST /burst", s.burst)
	mux.HandleFunc("GET /size", s.size)
	server := &http.Server{Handler: mux, BaseContext: func(net.Listener) context.Context { return ctx }}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	fmt.Printf("http://%s\n", listener.Addr())
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
