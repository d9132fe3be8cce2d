package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/util/wait"
)

func runDown(args []string) int {
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: down DIR")
		return 2
	}
	f, err := openFolder(args[0])
	if err == nil {
		err = f.remove()
	}
	if err != nil {
		return fail(err)
	}
	return 0
}

// runCtl ends one role as by kill -9, or starts it again with the same port and arguments.
func runCtl(args []string) int {
	if len(args) != 3 || (args[1] != "kill" && args[1] != "start") {
		fmt.Fprintln(os.Stderr, "usage: ctl DIR kill|start ROLE")
		return 2
	}
	f, err := openFolder(args[0])
	if err != nil {
		return fail(err)
	}
	p, err := f.find(args[2])
	if err != nil {
		return fail(err)
	}
	if args[1] == "kill" {
		err = f.kill(p.Role)
	} else {
		err = f.restart(p)
	}
	if err != nil {
		return fail(err)
	}
	return 0
}

func (f *folder) restart(p process) error {
	pid, err := f.runningPid(p.Role)
	if err != nil {
		return err
	}
	if pid != 0 {
		return fmt.Errorf("%s runs already, as pid %d", p.Role, pid)
	}
	end, err := f.start(p)
	if err != nil || p.Role != "apiserver" {
		return err
	}
	client, err := newClient(f.kubeconfig())
	if err != nil {
		return err
	}
	interrupted, stop := untilSignal()
	defer stop()
	ctx, cancel := context.WithTimeout(interrupted, readyTimeout)
	defer cancel()
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		select {
		case err := <-end:
			return false, err
		default:
			return apiReady(ctx, client), nil
		}
	})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, f.logTail(p.Role))
	}
	return nil
}
