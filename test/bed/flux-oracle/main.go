// Command flux-oracle answers what the small libraries of Flux make of texts: a line of JSON in, a line of JSON out.
//
// A question is one of
//   - a text whose variables are to be substituted, as kustomize-controller does (fluxcd/pkg/envsubst)
//   - the lines of a .sourceignore file, and paths (go-git's gitignore, as source-controller uses it)
//   - a constraint, and versions (Masterminds/semver)
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/fluxcd/pkg/envsubst"
	"github.com/fluxcd/pkg/sourceignore"
)

type question struct {
	Substitute *string           `json:"substitute"`
	Variables  map[string]string `json:"variables"`
	// Whether a variable that is not there is an error.
	Strict bool `json:"strict"`

	Ignore *string  `json:"ignore"`
	Domain []string `json:"domain"`
	// Those of directories end with a slash.
	Paths []string `json:"paths"`

	Constraint *string  `json:"constraint"`
	Versions   []string `json:"versions"`
}

type answer struct {
	Text  *string `json:"text,omitempty"`
	Error string  `json:"error,omitempty"`
	// For each path or version.
	Verdicts []string `json:"verdicts,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked question
		if err := json.Unmarshal(line, &asked); err != nil {
			out.Flush()
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.Encode(respond(asked))
		out.Flush()
	}
}

func respond(asked question) (given answer) {
	defer func() {
		if fault := recover(); fault != nil {
			given = answer{Error: fmt.Sprintf("panic: %v", fault)}
		}
	}()
	switch {
	case asked.Substitute != nil:
		text, err := envsubst.Eval(*asked.Substitute, func(name string) (string, bool) {
			value, found := asked.Variables[name]
			if asked.Strict {
				return value, found
			}
			return value, true
		})
		if err != nil {
			return answer{Error: err.Error()}
		}
		return answer{Text: &text}
	case asked.Ignore != nil:
		patterns := sourceignore.ReadPatterns(strings.NewReader(*asked.Ignore), asked.Domain)
		matcher := sourceignore.NewMatcher(patterns)
		for _, path := range asked.Paths {
			isDirectory := strings.HasSuffix(path, "/")
			parts := strings.Split(strings.TrimSuffix(path, "/"), "/")
			given.Verdicts = append(given.Verdicts, fmt.Sprint(matcher.Match(parts, isDirectory)))
		}
		return given
	default:
		constraint, err := semver.NewConstraint(*asked.Constraint)
		if err != nil {
			return answer{Error: err.Error()}
		}
		for _, text := range asked.Versions {
			version, err := semver.NewVersion(text)
			if err != nil {
				given.Verdicts = append(given.Verdicts, err.Error())
				continue
			}
			given.Verdicts = append(given.Verdicts, fmt.Sprint(constraint.Check(version)))
		}
		return given
	}
}
