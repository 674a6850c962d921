// Command yaml-oracle answers what the YAML libraries of kustomize and of Kubernetes make of texts: each line of its input is
// a text as JSON, each line of its output what came of it.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	sigs "sigs.k8s.io/yaml"
)

type answer struct {
	// The documents as kyaml writes them, and as go-yaml does when left alone, up to the first fault.
	Documents []string `json:"documents"`
	Wide      []string `json:"wide"`
	Fault     string   `json:"fault,omitempty"`
	// The first document as data: kyaml's reading of what it has written, and the one of Kubernetes; also written anew.
	Kyaml           string `json:"kyaml,omitempty"`
	KyamlFault      string `json:"kyamlFault,omitempty"`
	Kubernetes      string `json:"kubernetes,omitempty"`
	KubernetesFault string `json:"kubernetesFault,omitempty"`
	Written         string `json:"written,omitempty"`
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var text string
		if err := json.Unmarshal(line, &text); err != nil {
			panic(err)
		}
		if err := out.Encode(read(text)); err != nil {
			panic(err)
		}
	}
}

func read(text string) answer {
	result := answer{Documents: []string{}, Wide: []string{}}
	decoder := kyaml.NewDecoder(strings.NewReader(text))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); err == io.EOF {
			break
		} else if err != nil {
			result.Fault = err.Error()
			return result
		}
		result.Documents = append(result.Documents, must(kyaml.String(&document)))
		result.Wide = append(result.Wide, wide(&document))
		if kind := document.Content[0].Kind; len(result.Documents) == 1 && (kind == yaml.MappingNode || kind == yaml.SequenceNode) {
			data, err := kyaml.NewRNode(&document).MarshalJSON()
			result.Kyaml, result.KyamlFault = string(data), fault(err)
		}
	}
	data, err := sigs.YAMLToJSON([]byte(text))
	result.Kubernetes, result.KubernetesFault = string(data), fault(err)
	if err == nil {
		result.Written = string(must(sigs.JSONToYAML(data)))
	}
	return result
}

func wide(document *yaml.Node) string {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	must(0, encoder.Encode(document))
	must(0, encoder.Close())
	return out.String()
}

func fault(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
