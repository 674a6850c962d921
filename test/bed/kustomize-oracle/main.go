// Command kustomize-oracle answers what the real kustomize makes of trees: each line of its input is a tree as JSON, each
// line of its output what came of it.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"os"

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
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = types.LoadRestrictionsNone
	options.Reorder = krusty.ReorderOptionNone
	if req.Legacy {
		options.Reorder = krusty.ReorderOptionLegacy
	}
	resources, err := krusty.MakeKustomizer(options).Run(fs, "/"+req.Path)
	if err != nil {
		return answer{Error: err.Error()}
	}
	text, err := resources.AsYaml()
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Output: string(text)}
}
