package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"
)

// Go's own 100 makes collecting garbage half of all that a cluster does in the minute of its life; with 400 it takes 450 MB
// in place of 310.
const garbagePercent = 400

const patience = 3 * time.Minute // for each part to become ready, on a loaded machine

// up starts the parts in order, says `ready` on stdout, and runs until a signal comes or a part fails.
//
// Everything lives in --dir: started again there, it is the same cluster (same objects, keys, tokens; give the same
// --port for the same address). With --until-stdin-closes it belongs to whoever holds the other end of stdin: when that
// process is gone, however it ended, the cluster goes too and takes its directory with it.
func up(args []string) error {
	flags := flag.NewFlagSet("up", flag.ExitOnError)
	dir := flags.String("dir", "", "where state, keys, the log and admin.kubeconfig are kept (required)")
	name := flags.String("name", "testcluster", "the cluster's name in its kubeconfig")
	port := flags.Int("port", 0, "the API server's port on 127.0.0.1 (0: any free one)")
	nodes := flags.Int("nodes", 1, "stand-in nodes (0: none, so pods stay Pending)")
	controllers := flags.String("controllers", visibleControllers, "controllers to run ('': no controller manager)")
	apiserverFlags := flags.String("apiserver-flags", "", "further kube-apiserver flags, separated by spaces")
	owned := flags.Bool("until-stdin-closes", false, "end, and remove --dir, when stdin closes")
	_ = flags.Parse(args)
	if *dir == "" {
		return fmt.Errorf("--dir is required")
	}
	if err := os.MkdirAll(*dir, 0o700); err != nil {
		return err
	}
	if absolute, err := filepath.Abs(*dir); err == nil {
		*dir = absolute // for the URL of etcd's socket
	}

	debug.SetGCPercent(garbagePercent)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if *owned {
		go endWithOwner(*dir)
	}
	if err := logTo(filepath.Join(*dir, "log")); err != nil {
		return err
	}

	keys, err := loadOrCreateKeys(filepath.Join(*dir, "pki"))
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	etcd, closeEtcd, err := startEtcd(filepath.Join(*dir, "etcd"))
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer closeEtcd()

	failed := make(chan error, 2) // an API server or controller manager that returned
	server, err := startAPIServer(ctx, keys, etcd, *port, strings.Fields(*apiserverFlags), failed)
	if err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	kubeconfig, err := keys.writeKubeconfigs(*dir, *name, server)
	if err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	client, err := clientFor(kubeconfig)
	if err != nil {
		return err
	}
	if err := waitUntilServing(ctx, client); err != nil {
		return err
	}
	if *controllers != "" {
		if err := startControllerManager(ctx, keys, kubeconfig, *controllers, failed); err != nil {
			return fmt.Errorf("kube-controller-manager: %w", err)
		}
	}
	if *nodes > 0 {
		if err := startNodes(ctx, client, *nodes); err != nil {
			return fmt.Errorf("nodes: %w", err)
		}
	}
	if *controllers != "" {
		if err := waitForDefaultServiceAccount(ctx, client); err != nil {
			return err
		}
	}

	fmt.Println("ready", server)
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

// endWithOwner blocks until stdin closes. There is nothing to save then, so there is no graceful shutdown.
func endWithOwner(dir string) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = os.RemoveAll(dir)
	os.Exit(0)
}

// logTo sends the parts' logs to a file: stdout is for `ready`, stderr for what stopped us.
func logTo(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	// Both Kubernetes parts configure logging for their process; the second may, unless the two differ.
	logsapi.ReapplyHandling = logsapi.ReapplyHandlingIgnoreUnchanged
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("logtostderr", "false")
	klog.SetOutput(file)
	// Configuring points klog at os.Stderr again, so that name must mean the file. The descriptor 2 stays as it is:
	// a panic still reaches whoever started us.
	os.Stderr = file
	return nil
}

// clientFor reads a kubeconfig into a client without client-side rate limits.
func clientFor(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	return kubernetes.NewForConfig(config)
}

func waitUntilServing(ctx context.Context, client kubernetes.Interface) error {
	return waitFor(ctx, "/readyz of the API server", func() error {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

// Pods of a namespace without it are refused, and the controller manager makes it: the last thing to become ready.
func waitForDefaultServiceAccount(ctx context.Context, client kubernetes.Interface) error {
	return waitFor(ctx, "the service account default/default", func() error {
		_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

func waitFor(ctx context.Context, what string, attempt func() error) error {
	giveUp := time.Now().Add(patience)
	for {
		err := attempt()
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(giveUp) {
			return fmt.Errorf("%s: not ready in %s: %w", what, patience, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
