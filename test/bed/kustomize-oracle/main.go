// Command kustomize-oracle answers what the real kustomize makes of trees: each line of its input is a tree as JSON, each
// line of its output what came of it; a line may ask for a merge of single documents instead, or for a kustomization.yaml as Flux rewrites it. With a directory as its argument it prints what the real kustomize prints of that,
// and ends; with a count after it, it builds it that often in one process, and prints the milliseconds of each.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge3"
	sigs "sigs.k8s.io/yaml"
)

type request struct {
	Files  map[string]string `json:"files"`
	Path   string            `json:"path"`
	Legacy bool              `json:"legacy"`
	Merge  *merge            `json:"merge"`
	File   *string           `json:"file"`
}

// A patch for a document, or, where there is an update, what changed between that and the original.
type merge struct {
	Dest      string  `json:"dest"`
	Patch     string  `json:"patch"`
	Original  string  `json:"original"`
	Update    *string `json:"update"`
	InferKeys bool    `json:"inferKeys"`
	Prepend   bool    `json:"prepend"`
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
		if err := out.Encode(answerTo(req)); err != nil {
			panic(err)
		}
	}
}

func answerTo(req request) (result answer) {
	defer func() {
		if r := recover(); r != nil {
			result = answer{Error: "panic"}
		}
	}()
	if req.Merge != nil {
		text, err := req.Merge.run()
		return toAnswer(text, err)
	}
	if req.File != nil {
		text, err := rewrite(*req.File)
		return toAnswer(text, err)
	}
	return build(req)
}

// The kustomization.yaml that Flux's controller writes in the place of one, before it adds what it wants.
func rewrite(text string) (string, error) {
	file := types.Kustomization{TypeMeta: types.TypeMeta{APIVersion: types.KustomizationVersion, Kind: types.KustomizationKind}}
	if err := sigs.Unmarshal([]byte(text), &file); err != nil {
		return "", err
	}
	written, err := sigs.Marshal(file)
	return string(written), err
}

func toAnswer(output string, err error) answer {
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Output: output}
}

func (m merge) run() (string, error) {
	if m.Update != nil {
		return merge3.MergeStrings(m.Dest, m.Original, *m.Update, m.InferKeys)
	}
	direction := yaml.MergeOptionsListAppend
	if m.Prepend {
		direction = yaml.MergeOptionsListPrepend
	}
	return merge2.MergeStrings(m.Patch, m.Dest, m.InferKeys, yaml.MergeOptions{ListIncreaseDirection: direction})
}

func build(req request) answer {
	fs := filesys.MakeFsInMemory()
	for path, content := range req.Files {
		if strings.Contains(content, "openapi") {
			// A schema would stay for the trees to come.
			defer openapi.ResetOpenAPI()
		}
		if err := fs.WriteFile("/"+path, []byte(content)); err != nil {
			return answer{Error: err.Error()}
		}
	}
	text, err := run(fs, "/"+req.Path, req.Legacy)
	return toAnswer(string(text), err)
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
