package main

import (
	"context"
	"fmt"
	"math"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/cel/environment"
)

// judgeCosts answers for a schema and a value, both JSON, what it costs to evaluate each of the rules that follow, and the result.
func judgeCosts(fields []string) []string {
	_, structural, err := readSchema(fields[0])
	if err != nil {
		return []string{"error", err.Error()}
	}
	var value any
	if err := utiljson.Unmarshal([]byte(fields[1]), &value); err != nil {
		return []string{"error", err.Error()}
	}
	structural.XValidations = nil
	for _, rule := range fields[2:] {
		structural.XValidations = append(structural.XValidations, apiextensionsv1.ValidationRule{Rule: rule})
	}
	environments := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	declared := model.SchemaDeclType(structural, false)
	compiled, err := cel.Compile(structural, declared, math.MaxInt64, environments, cel.StoredExpressionsEnvLoader())
	if err != nil {
		return []string{"error", err.Error()}
	}
	self := cel.UnstructuredToVal(value, structural)
	var answer []string
	for _, rule := range compiled {
		if rule.Error != nil {
			return []string{"error", rule.Error.Error()}
		}
		result, details, err := rule.Program.ContextEval(context.Background(), map[string]any{"self": self, "oldSelf": self})
		if err != nil {
			answer = append(answer, fmt.Sprint(*details.ActualCost()), "error")
			continue
		}
		answer = append(answer, fmt.Sprint(*details.ActualCost()), fmt.Sprint(result.Value()))
	}
	return answer
}
