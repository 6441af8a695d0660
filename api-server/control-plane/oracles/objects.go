package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"
)

// objectRules is an object of a schema with rules, and the one that it replaces.
type objectRules struct {
	Schema json.RawMessage `json:"schema"`
	Object json.RawMessage `json:"object"`
	// OldObject is missing when the object is created.
	OldObject json.RawMessage `json:"oldObject"`
	// Ratchets is whether errors of what is unchanged are warnings, as in an update.
	Ratchets bool   `json:"ratchets"`
	Limit    uint64 `json:"limit"`
	Budget   int64  `json:"budget"`
}

type fieldError struct {
	Type   string `json:"type"`
	Field  string `json:"field"`
	Detail string `json:"detail"`
	Text   string `json:"text"`
}

// judgeObject answers what the rules of a schema find in an object: errors, warnings and the budget that remains.
func judgeObject(fields []string) []string {
	var asked objectRules
	if err := json.Unmarshal([]byte(fields[0]), &asked); err != nil {
		return []string{"error", err.Error()}
	}
	_, structural, err := readSchema(string(asked.Schema))
	if err != nil {
		return []string{"error", err.Error()}
	}
	var object, old map[string]any
	if err := utiljson.Unmarshal(asked.Object, &object); err != nil {
		return []string{"error", err.Error()}
	}
	var options []cel.Option
	var oldObject any
	if len(asked.OldObject) > 0 {
		if err := utiljson.Unmarshal(asked.OldObject, &old); err != nil {
			return []string{"error", err.Error()}
		}
		oldObject = old
	}
	if asked.Ratchets {
		correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})
		options = append(options, cel.WithRatcheting(correlated))
	}
	warned := &warnings{all: []string{}}
	ctx := warning.WithWarningRecorder(context.Background(), warned)
	validator := cel.NewValidator(structural, true, asked.Limit)
	errs, remaining := validator.Validate(ctx, nil, structural, object, oldObject, asked.Budget, options...)
	slices.Sort(warned.all)
	return answer(map[string]any{"errors": fieldErrors(errs), "warnings": warned.all, "remaining": remaining})
}

// warnings collects warnings.
type warnings struct{ all []string }

func (w *warnings) AddWarning(_, text string) {
	w.all = append(w.all, text)
}

// fieldErrors returns errors in the order of their texts, as the server visits maps in any order.
func fieldErrors(errs field.ErrorList) []fieldError {
	all := []fieldError{}
	for _, err := range errs {
		all = append(all, fieldError{string(err.Type), err.Field, err.Detail, err.Error()})
	}
	slices.SortFunc(all, func(one, other fieldError) int { return strings.Compare(one.Text, other.Text) })
	return all
}
