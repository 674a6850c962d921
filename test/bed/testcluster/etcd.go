package main

import (
	"fmt"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd runs a one-member etcd over dir and returns its URL: a socket in dir, which nobody else can take, as they
// can a port that was free a moment ago. It does not fsync: tests outlive a killed process, not a power cut.
func startEtcd(dir string) (string, func(), error) {
	client := url.URL{Scheme: "unix", Path: dir + ".sock"}

	config := embed.NewConfig()
	config.Dir, config.Name = dir, "testcluster"
	config.ListenClientUrls = []url.URL{client}
	// Addresses for other members, of which there are none; they must be host:port all the same.
	nobody := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config.AdvertiseClientUrls, config.ListenPeerUrls = nobody, nobody
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
