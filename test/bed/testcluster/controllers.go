package main

import (
	"context"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
)

// visibleControllers are those whose work a test can see; the others cost memory and stay off.
const visibleControllers = "namespace-controller,serviceaccount-controller,serviceaccount-token-controller," +
	"root-ca-certificate-publisher-controller,garbage-collector-controller,clusterrole-aggregation-controller," +
	"deployment-controller,replicaset-controller,statefulset-controller,daemonset-controller,job-controller," +
	"cronjob-controller,endpointslice-controller,endpoints-controller,disruption-controller," +
	"resourcequota-controller,pod-garbage-collector-controller,ttl-after-finished-controller"

// startControllerManager runs kube-controller-manager against the API server that the kubeconfig names. If it ever
// returns, `failed` gets the error.
func startControllerManager(
	ctx context.Context, keys *keys, kubeconfig, controllers string, failed chan<- error,
) error {
	settings, err := options.NewKubeControllerManagerOptions()
	if err != nil {
		return err
	}
	known, disabled, aliases := app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases()
	sets := settings.Flags(known, disabled, aliases)
	settings.ParsedFlags = &sets
	flags := pflag.NewFlagSet("kube-controller-manager", pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse([]string{
		"--kubeconfig=" + kubeconfig,
		"--secure-port=0",
		"--leader-elect=false",
		"--controllers=" + controllers,
		"--service-account-private-key-file=" + keys.serviceAccounts,
		"--root-ca-file=" + keys.ca,
		"--kube-api-qps=1000",
		"--kube-api-burst=2000",
		"--min-resync-period=12h",
		"--profiling=false",
	}); err != nil {
		return err
	}
	if err := settings.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	config, err := settings.Config(ctx, known, disabled, aliases)
	if err != nil {
		return err
	}
	go func() { failed <- app.Run(ctx, config.Complete()) }()
	return nil
}
