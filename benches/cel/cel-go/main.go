// Evaluates the rules of a file as the API server does, and prints the nanoseconds of one evaluation of each.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/cel/environment"
)

type rule struct {
	Name   string
	Schema apiextensionsv1.JSONSchemaProps
	Value  json.RawMessage
	Rule   string
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var work struct {
		Rules      []rule
		Iterations int
	}
	if err := json.Unmarshal(text, &work); err != nil {
		return err
	}
	nanoseconds := map[string]float64{}
	for _, rule := range work.Rules {
		evaluate, err := rule.prepare()
		if err != nil {
			return fmt.Errorf("%s: %w", rule.Name, err)
		}
		start := time.Now()
		for range work.Iterations {
			if err := evaluate(); err != nil {
				return fmt.Errorf("%s: %w", rule.Name, err)
			}
		}
		nanoseconds[rule.Name] = float64(time.Since(start).Nanoseconds()) / float64(work.Iterations)
	}
	return json.NewEncoder(os.Stdout).Encode(nanoseconds)
}

// prepare compiles the rule, and returns its evaluation on the value.
func (r rule) prepare() (func() error, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&r.Schema, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	structural.XValidations = apiextensionsv1.ValidationRules{{Rule: r.Rule}}
	environments := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	declared := model.SchemaDeclType(structural, false)
	compiled, err := cel.Compile(structural, declared, math.MaxInt64, environments, cel.StoredExpressionsEnvLoader())
	if err != nil {
		return nil, err
	}
	if compiled[0].Error != nil {
		return nil, compiled[0].Error
	}
	var value any
	if err := utiljson.Unmarshal(r.Value, &value); err != nil {
		return nil, err
	}
	program := compiled[0].Program
	return func() error {
		self := cel.UnstructuredToVal(value, structural)
		variables := map[string]any{"self": self, "oldSelf": self}
		result, _, err := program.ContextEval(context.Background(), variables)
		if err != nil {
			return err
		}
		if result.Value() != true {
			return fmt.Errorf("%v", result)
		}
		return nil
	}, nil
}
