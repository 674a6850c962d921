// Follows resources of an API server with client-go's informers, as controllers do, and tells on request what it believes is there.
//
//	informer KUBECONFIG GROUP/VERSION/RESOURCE...
//
// The core group is empty: /v1/configmaps. For each line on stdin it prints one on stdout: JSON, by resource, of the objects'
// resourceVersions by namespace/name, with a count of the events that handlers have seen. It ends with its stdin.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type state struct {
	Events  int64                        `json:"events"`
	Objects map[string]map[string]string `json:"objects"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: informer KUBECONFIG GROUP/VERSION/RESOURCE...")
	}
	config, err := clientcmd.BuildConfigFromFlags("", args[0])
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informers := map[string]cache.SharedIndexInformer{}
	var events atomic.Int64
	count := func(any) { events.Add(1) }
	for _, name := range args[1:] {
		parts := strings.SplitN(name, "/", 3)
		if len(parts) != 3 {
			return fmt.Errorf("%s: want GROUP/VERSION/RESOURCE", name)
		}
		resource := schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]}
		informer := factory.ForResource(resource).Informer()
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    count,
			UpdateFunc: func(_, object any) { count(object) },
			DeleteFunc: count,
		}); err != nil {
			return err
		}
		informers[name] = informer
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())

	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		seen := state{Events: events.Load(), Objects: map[string]map[string]string{}}
		for name, informer := range informers {
			versions := map[string]string{}
			for _, item := range informer.GetStore().List() {
				object := item.(*unstructured.Unstructured)
				versions[object.GetNamespace()+"/"+object.GetName()] = object.GetResourceVersion()
			}
			seen.Objects[name] = versions
		}
		if err := out.Encode(seen); err != nil {
			return err
		}
	}
	return lines.Err()
}
