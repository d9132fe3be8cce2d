package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const stopTimeout = 15 * time.Second

// process is one role of a cluster with its arguments, so that it can be started again alike.
type process struct {
	Role string
	Args []string
}

// folder is all that a running cluster owns: keys, data, logs and a file with the pid of each role.
type folder struct {
	Dir       string
	Server    string
	Nodes     int
	Processes []process
}

func (f *folder) path(parts ...string) string {
	return filepath.Join(append([]string{f.Dir}, parts...)...)
}

func (f *folder) kubeconfig() string { return f.path("kubeconfig") }

func (f *folder) logFile(role string) string { return f.path(role + ".log") }

func (f *folder) save() error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(f.path("cluster.json"), text, 0o600)
}

func openFolder(dir string) (*folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "cluster.json"))
	if err != nil {
		return nil, fmt.Errorf("%s holds no cluster: %w", dir, err)
	}
	f := &folder{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s/cluster.json: %w", dir, err)
	}
	f.Dir = dir
	return f, nil
}

func (f *folder) find(role string) (process, error) {
	for _, p := range f.Processes {
		if p.Role == role {
			return p, nil
		}
	}
	return process{}, fmt.Errorf("the cluster has no role %q", role)
}

// keepRunning starts a role anew when it ends, as a node's init system would: the scheduler ends by
// itself when a pod was made again under its name while its watch was broken.
const keepRunning = `for i in $(seq 50); do "$@"; sleep 0.2; done`

// start runs a role of this program in a session of its own; the returned channel yields its end.
// The two that own a port run as they are, so that a port in use is told at once.
func (f *folder) start(p process) (<-chan error, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := append([]string{self, p.Role}, p.Args...)
	if p.Role != "etcd" && p.Role != "apiserver" {
		command = append([]string{"sh", "-c", keepRunning, p.Role}, command...)
	}
	return f.startCommand(p.Role, exec.Command(command[0], command[1:]...))
}

func (f *folder) startCommand(role string, command *exec.Cmd) (<-chan error, error) {
	log, err := os.OpenFile(f.logFile(role), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command.Stdout, command.Stderr = log, log
	command.Dir = f.Dir
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- fmt.Errorf("%s ended: %v", role, command.Wait()) }()
	return ended, os.WriteFile(f.path(role+".pid"), []byte(strconv.Itoa(command.Process.Pid)), 0o600)
}

// kill ends a role at once, with what it started, and waits until it is gone.
func (f *folder) kill(role string) error {
	pid, err := f.runningPid(role)
	if err != nil || pid == 0 {
		return err
	}
	handle, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(handle)
	if err := unix.Kill(-pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("%s (pid %d): %w", role, pid, err)
	}
	return waitHandle(handle, role, pid)
}

func waitHandle(handle int, role string, pid int) error {
	deadline := time.Now().Add(stopTimeout)
	for {
		left := time.Until(deadline)
		if left <= 0 {
			return fmt.Errorf("%s (pid %d) does not end", role, pid)
		}
		polls := []unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}
		n, err := unix.Poll(polls, int(left.Milliseconds())+1)
		if n > 0 {
			return nil
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// runningPid is 0 when the role does not run; a number that another program got since is passed over.
func (f *folder) runningPid(role string) (int, error) {
	text, err := os.ReadFile(f.path(role + ".pid"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s.pid: %w", role, err)
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || !bytes.Contains(line, []byte(f.Dir)) {
		return 0, nil
	}
	return pid, nil
}

// remove stops every role and takes the folder away. The guard may be the caller itself.
func (f *folder) remove() error {
	var faults []error
	if pid, _ := f.runningPid("guard"); pid != os.Getpid() {
		faults = append(faults, f.kill("guard"))
	}
	for i := len(f.Processes) - 1; i >= 0; i-- {
		faults = append(faults, f.kill(f.Processes[i].Role))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return os.RemoveAll(f.Dir)
}

// logTail is the end of a role's log, for messages.
func (f *folder) logTail(role string) string {
	text, err := os.ReadFile(f.logFile(role))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	if len(lines) > 15 {
		lines = lines[len(lines)-15:]
	}
	return strings.Join(lines, "\n")
}
