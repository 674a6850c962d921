// Command helm-oracle renders charts with Helm's own libraries, as `helm template` does: each line of its input is a chart with
// values, as JSON, each line of its output what came of it. It is how Helm does as a library in a process that runs.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"sort"
	"strings"
	"syscall"
	"time"

	"helm.sh/helm/v4/pkg/action"
	cchart "helm.sh/helm/v4/pkg/chart"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/strvals"
)

type question struct {
	// A folder or an archive; or the files of a chart; or an archive's bytes.
	Path    string            `json:"path"`
	Files   map[string]string `json:"files"`
	Archive []byte            `json:"archive"`
	// YAML; as bytes where they are no UTF-8.
	Values    string `json:"values"`
	RawValues []byte `json:"rawValues"`
	// What --set takes.
	Sets        []string `json:"sets"`
	KubeVersion string   `json:"kubeVersion"`
	IncludeCRDs bool     `json:"includeCRDs"`
	IsUpgrade   bool     `json:"isUpgrade"`
	// How often to render, besides once.
	Times int `json:"times"`
}

type answer struct {
	Output string `json:"output,omitempty"`
	Notes  string `json:"notes,omitempty"`
	Error  string `json:"error,omitempty"`
	// Of all renderings, without loading.
	Nanoseconds int64 `json:"nanoseconds,omitempty"`
	// CPU time of all threads meanwhile, loading included.
	CPUNanoseconds int64 `json:"cpuNanoseconds,omitempty"`
}

func main() {
	// What wants more memory than that ends it, and not the machine.
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 8 << 30, Max: 8 << 30})
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			panic(err)
		}
		// It ends, rather than to keep somebody waiting.
		patience := time.AfterFunc(patienceWith(q), func() { os.Exit(hangs) })
		if err := out.Encode(answerTo(q)); err != nil {
			panic(err)
		}
		patience.Stop()
	}
}

const hangs = 3

func patienceWith(q question) time.Duration {
	return 30*time.Second + time.Duration(q.Times)*10*time.Second
}

func answerTo(q question) answer {
	result, err := renderOnce(q)
	if err != nil {
		return answer{Error: strings.TrimSpace(err.Error())}
	}
	started := time.Now()
	cpu := cpuTime()
	var spent time.Duration
	for i := 0; i < q.Times; i++ {
		ch, vals, err := load(q)
		if err != nil {
			return answer{Error: err.Error()}
		}
		started = time.Now()
		if _, err := render(q, ch, vals); err != nil {
			return answer{Error: err.Error()}
		}
		spent += time.Since(started)
	}
	result.Nanoseconds = spent.Nanoseconds()
	if q.Times > 0 {
		result.CPUNanoseconds = cpuTime() - cpu
	}
	return result
}

func cpuTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func renderOnce(q question) (answer, error) {
	ch, vals, err := load(q)
	if err != nil {
		return answer{}, err
	}
	return render(q, ch, vals)
}

func load(q question) (*chart.Chart, map[string]any, error) {
	raw := q.RawValues
	if raw == nil {
		raw = []byte(q.Values)
	}
	vals, err := loader.LoadValues(bytes.NewReader(raw))
	if err != nil {
		return nil, nil, fmt.Errorf("failed to parse values: %w", err)
	}
	for _, set := range q.Sets {
		if err := strvals.ParseInto(set, vals); err != nil {
			return nil, nil, fmt.Errorf("failed parsing --set data: %w", err)
		}
	}
	if q.Archive != nil {
		ch, err := loader.LoadArchive(bytes.NewReader(q.Archive))
		return ch, vals, err
	}
	if q.Path != "" {
		ch, err := loader.Load(q.Path)
		return ch, vals, err
	}
	names := make([]string, 0, len(q.Files))
	for name := range q.Files {
		names = append(names, name)
	}
	sort.Strings(names)
	files := make([]*archive.BufferedFile, 0, len(names))
	for _, name := range names {
		files = append(files, &archive.BufferedFile{Name: name, Data: []byte(q.Files[name])})
	}
	ch, err := loader.LoadFiles(files)
	return ch, vals, err
}

func render(q question, ch *chart.Chart, vals map[string]any) (answer, error) {
	switch ch.Metadata.Type {
	case "", "application":
	default:
		return answer{}, fmt.Errorf("%s charts are not installable", ch.Metadata.Type)
	}
	if len(ch.Metadata.Dependencies) > 0 {
		dependencies := make([]cchart.Dependency, len(ch.Metadata.Dependencies))
		for i, dependency := range ch.Metadata.Dependencies {
			dependencies[i] = dependency
		}
		if err := action.CheckDependencies(ch, dependencies); err != nil {
			return answer{}, fmt.Errorf("an error occurred while checking for chart dependencies. You may need to run `helm dependency build` to fetch missing dependencies: %w", err)
		}
	}
	client := action.NewInstall(&action.Configuration{})
	client.DryRunStrategy = action.DryRunClient
	client.ReleaseName = "rel"
	client.Namespace = "apps"
	client.Replace = true
	client.IncludeCRDs = q.IncludeCRDs
	client.IsUpgrade = q.IsUpgrade
	if q.KubeVersion != "" {
		version, err := common.ParseKubeVersion(q.KubeVersion)
		if err != nil {
			return answer{}, err
		}
		client.KubeVersion = version
	}
	done, err := client.Run(ch, vals)
	if err != nil {
		return answer{}, err
	}
	rel := done.(*release.Release)
	var out bytes.Buffer
	fmt.Fprintln(&out, strings.TrimSpace(rel.Manifest))
	for _, hook := range rel.Hooks {
		fmt.Fprintf(&out, "---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	return answer{Output: out.String(), Notes: rel.Info.Notes}, nil
}
