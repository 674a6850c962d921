// testcluster is a whole Kubernetes in one binary, for tests: etcd, kube-apiserver, kube-controller-manager, a stand-in
// for scheduler and kubelet, and kubectl, all of one version and all real except the stand-in.
//
//	testcluster up --dir DIR    runs one cluster on 127.0.0.1 until it is told to stop
//	testcluster kubectl ...     is kubectl; so is a link to this binary that is called kubectl
//
// One process is one cluster: client-go admits a single controller manager per process, and a test can stop, freeze or
// lose a process without touching the other clusters.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata" // CronJobs name time zones, and the machine may have no database of them

	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	command, args := filepath.Base(os.Args[0]), os.Args
	if command != "kubectl" && len(os.Args) > 1 {
		command, args = os.Args[1], os.Args[1:]
	}
	switch command {
	case "up":
		stderr := os.Stderr // up gives that name to its log
		if err := up(args[1:]); err != nil {
			fmt.Fprintln(stderr, "testcluster:", err)
			os.Exit(1)
		}
	case "kubectl":
		os.Args = args // kubectl reads its arguments from here
		runKubectl()
	default:
		fmt.Fprintln(os.Stderr, "usage: testcluster up --dir DIR | testcluster kubectl ...")
		os.Exit(2)
	}
}

// runKubectl does what kubectl's own main does.
func runKubectl() {
	_, _ = logs.GlogSetter(kubectl.GetLogVerbosity(os.Args))
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err) // prints as kubectl does, and exits
	}
}
