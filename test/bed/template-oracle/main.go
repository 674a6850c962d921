// Command template-oracle answers with Go's own text/template: a line of JSON in, a line of JSON out.
//
// A question is a template and its data, and which functions it may call: those of a ResourceSet (slim-sprig without what
// differs from run to run, slugify, toYaml, and inputs, which returns the data) between << and >>, sprig's between {{ and }}, or
// none but Go's own there.
// With `times`, the template is run so often, and the answer says how long that took.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/template"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/Masterminds/sprig/v3"
	slim "github.com/go-task/slim-sprig/v3"
	"github.com/gosimple/slug"
	"sigs.k8s.io/yaml"
)

type question struct {
	Functions string          `json:"functions"`
	Template  string          `json:"template"`
	Data      json.RawMessage `json:"data"`
	Times     int             `json:"times"`
}

type answer struct {
	Output *string `json:"output,omitempty"`
	Error  string  `json:"error,omitempty"`
	// Nanoseconds for all runs; parsing is not counted.
	Nanoseconds int64 `json:"nanoseconds,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		encoded, err := json.Marshal(respond(q))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		out.Write(encoded)
		out.WriteByte('\n')
		out.Flush()
	}
}

func respond(q question) (result answer) {
	defer func() {
		if r := recover(); r != nil {
			result = answer{Error: fmt.Sprintf("panic: %v", r)}
		}
	}()
	data, err := decode(q.Data, q.Functions == "resourceset")
	if err != nil {
		return answer{Error: err.Error()}
	}
	parsed, dot, err := parse(q, data)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var buffer bytes.Buffer
	if err := parsed.Execute(&buffer, dot); err != nil {
		return answer{Error: err.Error()}
	}
	text := buffer.String()
	if q.Times == 0 {
		return answer{Output: &text}
	}
	start := time.Now()
	for i := 0; i < q.Times; i++ {
		buffer.Reset()
		if err := parsed.Execute(&buffer, dot); err != nil {
			return answer{Error: err.Error()}
		}
		_ = buffer.String()
	}
	return answer{Output: &text, Nanoseconds: time.Since(start).Nanoseconds()}
}

func parse(q question, data any) (*template.Template, any, error) {
	if q.Functions == "resourceset" {
		functions := template.FuncMap(slim.HermeticTxtFuncMap())
		slug.MaxLength, slug.EnableSmartTruncate = 63, true
		functions["slugify"] = slug.Make
		functions["toYaml"] = func(value any) string { text, _ := toYaml(value); return text }
		functions["mustToYaml"] = toYaml
		functions["inputs"] = func() any { return data }
		parsed, err := template.New("resourceset").Funcs(functions).Delims("<<", ">>").Option("missingkey=error").Parse(q.Template)
		return parsed, nil, err
	}
	if q.Functions == "builtins" {
		parsed, err := template.New("test").Option("missingkey=zero").Parse(q.Template)
		return parsed, data, err
	}
	functions := sprig.TxtFuncMap()
	functions["toToml"] = toToml
	parsed, err := template.New("test").Funcs(functions).Option("missingkey=zero").Parse(q.Template)
	return parsed, data, err
}

// In Helm too a failure is the result.
func toToml(value any) string {
	var buffer bytes.Buffer
	if err := toml.NewEncoder(&buffer).Encode(value); err != nil {
		return err.Error()
	}
	return buffer.String()
}

func toYaml(value any) (string, error) {
	out, err := yaml.Marshal(value)
	return string(out), err
}

// Integers of a ResourceSet's inputs are int64; elsewhere all numbers are float64.
func decode(raw json.RawMessage, integers bool) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	if integers {
		decoder.UseNumber()
	}
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return numbers(value), nil
}

func numbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		float, _ := v.Float64()
		return float
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return value
}
