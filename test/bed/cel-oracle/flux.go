package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fluxcd/pkg/apis/kustomize"
	fluxcel "github.com/fluxcd/pkg/runtime/cel"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
)

// fluxEnvironment has the options of fluxcd/pkg/runtime/cel, which does not give out values of CEL, but those of Go.
var fluxEnvironment = func() *cel.Env {
	env, err := cel.NewEnv(
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		ext.Strings(),
		ext.Sets(),
		ext.Encoders(),
	)
	if err != nil {
		panic(err)
	}
	return env
}()

func evaluate(asked question) answer {
	data, err := decode(asked.Data)
	if err != nil {
		return answer{Error: err.Error()}
	}
	if asked.Variables != nil {
		expression, err := fluxcel.NewExpression(*asked.Expression,
			fluxcel.WithCompile(), fluxcel.WithOutputType(cel.BoolType), fluxcel.WithStructVariables(asked.Variables...))
		if err != nil {
			return answer{ParseError: err.Error()}
		}
		result, err := expression.EvaluateBoolean(context.Background(), data)
		if err != nil {
			return answer{Error: err.Error()}
		}
		return described(fmt.Sprint(result))
	}
	if _, err := fluxcel.NewExpression(*asked.Expression); err != nil {
		return answer{ParseError: err.Error()}
	}
	parsed, issues := fluxEnvironment.Parse(*asked.Expression)
	if issues != nil {
		return answer{ParseError: issues.String()}
	}
	program, err := fluxEnvironment.Program(parsed, cel.EvalOptions(cel.OptOptimize), cel.InterruptCheckFrequency(100))
	if err != nil {
		return answer{ParseError: err.Error()}
	}
	value, _, err := program.ContextEval(context.Background(), data)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return described(describe(value))
}

func health(asked question) answer {
	var expressions kustomize.HealthCheckExpressions
	if err := json.Unmarshal(asked.Health, &expressions); err != nil {
		return answer{Error: err.Error()}
	}
	evaluator, err := fluxcel.NewStatusEvaluator(&expressions)
	if err != nil {
		return answer{ParseError: err.Error()}
	}
	data, err := decode(asked.Data)
	if err != nil {
		return answer{Error: err.Error()}
	}
	result, err := evaluator.Evaluate(context.Background(), &unstructured.Unstructured{Object: data})
	if err != nil {
		return answer{Error: err.Error()}
	}
	return described(result.Status.String())
}

// decode reads numbers as Kubernetes does: those without a fraction are int64.
func decode(raw json.RawMessage) (map[string]any, error) {
	data := map[string]any{}
	if raw == nil {
		return data, nil
	}
	return data, k8sjson.Unmarshal(raw, &data)
}

func described(text string) answer { return answer{Value: &text} }
