// testcluster is a whole Kubernetes in one binary, for tests: etcd, kube-apiserver, kube-controller-manager and a stand-in
// for scheduler and kubelet, all of one version and all real except the stand-in.
//
//	testcluster up --dir DIR    runs one cluster on 127.0.0.1 until it is told to stop
//
// One process is one cluster: client-go admits a single controller manager per process, and a test can stop, freeze or
// lose a process without touching the other clusters.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata" // CronJobs name time zones, and the machine may have no database of them
)

func main() {
	if len(os.Args) < 2 || os.Args[1] != "up" {
		fmt.Fprintln(os.Stderr, "usage: testcluster up --dir DIR")
		os.Exit(2)
	}
	stderr := os.Stderr // up gives that name to its log
	if err := up(os.Args[2:]); err != nil {
		fmt.Fprintln(stderr, "testcluster:", err)
		os.Exit(1)
	}
}
