// Command kindred-cluster is a whole Kubernetes control plane in one program, for tests.
//
// The first argument is a role; each role runs as a process of its own. "up" starts them all.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// roles maps a name to what runs it; each gets the arguments after the name and returns the exit code.
var roles = map[string]func(args []string) int{
	"etcd":               runEtcd,
	"apiserver":          func(args []string) int { return runCommand(apiserver.NewAPIServerCommand(), args) },
	"controller-manager": func(args []string) int { return runCommand(controllers.NewControllerManagerCommand(), args) },
	"scheduler":          func(args []string) int { return runCommand(scheduler.NewSchedulerCommand(), args) },
	"kubectl":            runKubectl,
	"kubelet":            runKubelet,
	"load":               runLoad,
	"up":                 runUp,
	"down":               runDown,
	"ctl":                runCtl,
	"access":             runAccess,
}

func main() {
	if len(os.Args) > 1 {
		if run, ok := roles[os.Args[1]]; ok {
			os.Exit(run(os.Args[2:]))
		}
	}
	fmt.Fprintln(os.Stderr, "usage: kindred-cluster etcd|apiserver|controller-manager|scheduler|kubelet|"+
		"kubectl|load|access|up|down|ctl [argument...]")
	os.Exit(2)
}

func runCommand(command *cobra.Command, args []string) int {
	command.SetArgs(args)
	return cli.Run(command)
}

func runEtcd(args []string) int {
	etcdmain.Main(append([]string{"etcd"}, args...))
	return 0
}

// runKubectl sets os.Args because kubectl looks for plugins there, and has kubectl keep its cache in
// the folder of the cluster, with which it goes, rather than in the user's home.
func runKubectl(args []string) int {
	dir := filepath.Dir(os.Getenv("KUBECONFIG"))
	if _, err := openFolder(dir); err == nil && os.Getenv("KUBECACHEDIR") == "" {
		os.Setenv("KUBECACHEDIR", filepath.Join(dir, "cache"))
	}
	os.Args = append([]string{"kubectl"}, args...)
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err)
	}
	return 0
}
