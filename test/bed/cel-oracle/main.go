// Command cel-oracle answers what the original evaluators of CEL make of expressions: a line of JSON in, a line out.
//
// A question is one of
//   - an expression over data, as Flux evaluates it (fluxcd/pkg/runtime/cel); with `variables`, checked over objects of these names
//   - expressions that tell the health of an object, as Flux has them
//   - a rule of a schema, as Kubernetes has it: what it may cost by its estimate, and what it did cost for `self`
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type question struct {
	Expression *string         `json:"expression"`
	Variables  []string        `json:"variables"`
	Health     json.RawMessage `json:"health"`
	Rule       *string         `json:"rule"`
	Schema     json.RawMessage `json:"schema"`
	IsRoot     bool            `json:"isRoot"`
	Data       json.RawMessage `json:"data"`
}

type answer struct {
	// The value as text (describe.go), or the status.
	Value *string `json:"value,omitempty"`
	// Why there is none: the expression can't be read, or not be evaluated for these data.
	ParseError string `json:"parseError,omitempty"`
	Error      string `json:"error,omitempty"`
	// What a rule may cost, and what it did cost.
	Estimate *uint64 `json:"estimate,omitempty"`
	Actual   *uint64 `json:"actual,omitempty"`
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
		if err := encoder.Encode(respond(asked)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func respond(asked question) (given answer) {
	// cel-go does so for some of what it works out beforehand.
	defer func() {
		if fault := recover(); fault != nil {
			given = answer{Error: fmt.Sprintf("panic: %v", fault)}
		}
	}()
	switch {
	case asked.Rule != nil:
		return ruleCost(asked)
	case asked.Health != nil:
		return health(asked)
	default:
		return evaluate(asked)
	}
}
