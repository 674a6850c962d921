package main

import (
	"fmt"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd runs a one-member etcd over dir and returns its URL. It does not fsync: tests outlive a killed process,
// not a power cut.
func startEtcd(dir string) (string, func(), error) {
	listener, port, err := listen(0)
	if err != nil {
		return "", nil, err
	}
	_ = listener.Close() // etcd opens its own; it takes a URL only
	client := url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}

	config := embed.NewConfig()
	config.Dir, config.Name = dir, "testcluster"
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	config.ListenPeerUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}} // a single member: no peer ever dials it
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.UnsafeNoFsync = true
	config.SnapshotCount = 5000 // keeps less of the log in memory than the default of 10,000
	config.LogLevel = "error"

	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return "", nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return client.String(), etcd.Close, nil
	case err := <-etcd.Err():
		return "", nil, err
	case <-time.After(patience):
		etcd.Close()
		return "", nil, fmt.Errorf("not ready in %s", patience)
	}
}
