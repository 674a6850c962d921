package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// startAPIServer runs kube-apiserver with RBAC, service account tokens and its default admission plugins, and returns
// its URL. It may not serve yet; if it ever returns, `failed` gets the error.
func startAPIServer(
	ctx context.Context, keys *keys, etcd string, port int, further []string, failed chan<- error,
) (string, error) {
	listener, port, err := listen(port)
	if err != nil {
		return "", err
	}
	settings := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range settings.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(append([]string{
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none",
		"--tls-cert-file=" + keys.serverCert,
		"--tls-private-key-file=" + keys.serverKey,
		"--client-ca-file=" + keys.ca,
		"--token-auth-file=" + keys.tokens,
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + keys.serviceAccounts,
		"--service-account-key-file=" + keys.serviceAccounts,
		"--service-cluster-ip-range=10.0.0.0/16",
		"--allow-privileged=true",
		"--profiling=false",
	}, further...)); err != nil {
		return "", err
	}
	settings.SecureServing.Listener, settings.SecureServing.BindPort = listener, port

	if err := settings.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return "", err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	completed, err := settings.Complete(ctx)
	if err != nil {
		return "", err
	}
	if err := errors.Join(completed.Validate()...); err != nil {
		return "", err
	}
	go func() { failed <- app.Run(ctx, completed) }()
	return fmt.Sprintf("https://127.0.0.1:%d", port), nil
}

// listen opens a loopback port; 0 means any that is free. A port that is given was ours before a restart: somebody's
// passing connection may use it for a moment.
func listen(port int) (net.Listener, int, error) {
	for attempt := 1; ; attempt++ {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return listener, listener.Addr().(*net.TCPAddr).Port, nil
		}
		if port == 0 || attempt == 10 {
			return nil, 0, err
		}
		time.Sleep(500 * time.Millisecond)
	}
}
