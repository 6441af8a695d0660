package main

import (
	"context"
	"encoding/json"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// readSchema makes a schema what the server works with.
func readSchema(from string) (*apiextensions.JSONSchemaProps, *schema.Structural, error) {
	var v1 apiextensionsv1.JSONSchemaProps
	if err := utiljson.Unmarshal([]byte(from), &v1); err != nil {
		return nil, nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		return nil, nil, err
	}
	structural, err := schema.NewStructural(&internal)
	return &internal, structural, err
}

func texts(errs field.ErrorList) []string {
	all := []string{}
	for _, err := range errs {
		all = append(all, err.Error())
	}
	sort.Strings(all)
	return all
}

// judgeAdmission answers what becomes of an object of a schema as JSON: what is unknown, what it is then, unless it has
// metadata that cannot be read, and what is wrong with it.
func judgeAdmission(fields []string) []string {
	internal, structural, err := readSchema(fields[0])
	if err != nil {
		return []string{"error", err.Error()}
	}
	var object map[string]any
	if err := utiljson.Unmarshal([]byte(fields[1]), &object); err != nil {
		return []string{"error", err.Error()}
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return []string{"error", err.Error()}
	}
	unknown := pruning.PruneWithOptions(object, structural, false, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
	// What cannot be coerced is found again below, with all that is.
	coerced := runtime.DeepCopyJSON(object)
	coerceErr, ofMetadata := objectmeta.CoerceWithOptions(nil, coerced, structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	isCoerced := coerceErr == nil
	if isCoerced {
		object = coerced
		unknown = append(unknown, ofMetadata...)
	}
	defaulting.Default(object, structural)
	errs := validation.ValidateCustomResource(nil, object, validator)
	errs = append(errs, objectmeta.Validate(context.Background(), nil, object, structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, structural, object)...)
	if !isCoerced {
		object = nil
	}
	return answer(map[string]any{"unknown": append([]string{}, unknown...), "object": object, "errors": texts(errs)})
}

// judgeDefaults answers what is wrong with the defaults of the schema of a root, which the server calls s.
func judgeDefaults(fields []string) []string {
	_, structural, err := readSchema(fields[0])
	if err != nil {
		return []string{"error", err.Error()}
	}
	errs, err := defaulting.ValidateDefaults(context.Background(), field.NewPath("s"), structural, true, true)
	if err != nil {
		return []string{"error", err.Error()}
	}
	return answer(texts(errs))
}

func answer(value any) []string {
	text, err := json.Marshal(value)
	if err != nil {
		return []string{"error", err.Error()}
	}
	return []string{string(text)}
}
