package main

import (
	"context"
	"encoding/json"

	"github.com/google/cel-go/interpreter"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// ruleCost compiles a rule for a schema as kube-apiserver does, and evaluates it when there are data.
func ruleCost(asked question) answer {
	structural, err := structuralSchema(asked)
	if err != nil {
		return answer{ParseError: err.Error()}
	}
	compiled, err := schemacel.Compile(structural, model.SchemaDeclType(structural, asked.IsRoot), celconfig.PerCallLimit,
		environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), schemacel.StoredExpressionsEnvLoader())
	if err != nil {
		return answer{ParseError: err.Error()}
	}
	rule := compiled[0]
	if rule.Error != nil {
		return answer{ParseError: rule.Error.Detail}
	}
	answered := answer{Estimate: &rule.MaxCost}
	if asked.Data == nil {
		return answered
	}
	var data any
	if err := k8sjson.Unmarshal(asked.Data, &data); err != nil {
		return answer{Error: err.Error()}
	}
	self := schemacel.UnstructuredToVal(data, structural)
	activation, err := interpreter.NewActivation(map[string]any{"self": self, "oldSelf": self})
	if err != nil {
		return answer{Error: err.Error()}
	}
	value, details, err := rule.Program.ContextEval(context.Background(), activation)
	if details != nil {
		answered.Actual = details.ActualCost()
	}
	if err != nil {
		answered.Error = err.Error()
		return answered
	}
	text := describe(value)
	answered.Value = &text
	return answered
}

func structuralSchema(asked question) (*schema.Structural, error) {
	var external apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(asked.Schema, &external); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		return nil, err
	}
	internal.XValidations = apiextensions.ValidationRules{{Rule: *asked.Rule}}
	return schema.NewStructural(&internal)
}
