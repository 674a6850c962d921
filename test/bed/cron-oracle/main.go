// Command cron-oracle answers when robfig/cron, which Kubernetes' CronJobs and flux-operator use, runs next: each line of its input is a
// question as JSON, each line of its output the next times in milliseconds since the epoch.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

type question struct {
	Schedule string `json:"schedule"`
	Zone     string `json:"zone"`
	// Milliseconds since the epoch.
	After int64 `json:"after"`
	// How many times to answer, at most.
	Times int `json:"times"`
}

func answer(q question) []int64 {
	schedule, err := cron.ParseStandard("TZ=" + q.Zone + " " + q.Schedule)
	if err != nil {
		panic(err)
	}
	times := []int64{}
	for at := time.UnixMilli(q.After).UTC(); len(times) < q.Times; {
		at = schedule.Next(at)
		if at.IsZero() {
			break
		}
		times = append(times, at.UnixMilli())
	}
	return times
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			panic(err)
		}
		out.Encode(answer(q))
	}
}
