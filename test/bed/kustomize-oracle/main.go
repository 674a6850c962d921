// Command kustomize-oracle answers what the real kustomize makes of trees: each line of its input is a tree as JSON, each
// line of its output what came of it. With a directory as its argument it prints what the real kustomize prints of that,
// and ends; with a count after it, it builds it that often in one process, and prints the milliseconds of each.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"os"
	"strconv"
	"time"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

type request struct {
	Files  map[string]string `json:"files"`
	Path   string            `json:"path"`
	Legacy bool              `json:"legacy"`
}

type answer struct {
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

func main() {
	if len(os.Args) > 1 {
		fromDisk(os.Args[1:])
		return
	}
	log.SetOutput(io.Discard)
	os.Stderr, _ = os.Open(os.DevNull)
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var req request
		if err := json.Unmarshal(line, &req); err != nil {
			panic(err)
		}
		if err := out.Encode(build(req)); err != nil {
			panic(err)
		}
	}
}

func build(req request) (result answer) {
	defer func() {
		if r := recover(); r != nil {
			result = answer{Error: "panic"}
		}
	}()
	fs := filesys.MakeFsInMemory()
	for path, content := range req.Files {
		if err := fs.WriteFile("/"+path, []byte(content)); err != nil {
			return answer{Error: err.Error()}
		}
	}
	text, err := run(fs, "/"+req.Path, req.Legacy)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Output: string(text)}
}

func run(fs filesys.FileSystem, path string, legacy bool) ([]byte, error) {
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = types.LoadRestrictionsNone
	options.Reorder = krusty.ReorderOptionNone
	if legacy {
		options.Reorder = krusty.ReorderOptionLegacy
	}
	resources, err := krusty.MakeKustomizer(options).Run(fs, path)
	if err != nil {
		return nil, err
	}
	return resources.AsYaml()
}

func fromDisk(args []string) {
	times := 1
	if len(args) > 1 {
		times, _ = strconv.Atoi(args[1])
	}
	for range times {
		start := time.Now()
		text, err := run(filesys.MakeFsOnDisk(), args[0], false)
		if err != nil {
			log.Fatal(err)
		}
		if len(args) > 1 {
			os.Stdout.WriteString(strconv.FormatFloat(float64(time.Since(start).Microseconds())/1000, 'f', 2, 64) + "\n")
		} else {
			os.Stdout.Write(text)
		}
	}
}
