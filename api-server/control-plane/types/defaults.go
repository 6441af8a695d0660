package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"

	extensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
)

// defaults has what the defaulting functions of kube-apiserver set, by types and the names of fields in JSON.
type defaults map[reflect.Type]map[string]*fieldDefault

// fieldDefault is what defaulting makes of a field that is not set, if it is the same wherever the type is.
type fieldDefault struct {
	value   string
	differs bool
}

var stable = regexp.MustCompile(`^v\d+$`)

// newDefaults runs the functions on objects of all kinds of stable versions.
func newDefaults() defaults {
	found := defaults{}
	for _, scheme := range []*runtime.Scheme{legacyscheme.Scheme, extensions.Scheme, aggregatorscheme.Scheme} {
		for kind, type_ := range scheme.AllKnownTypes() {
			meta, hasMeta := type_.FieldByName("ObjectMeta")
			if !stable.MatchString(kind.Version) || !hasMeta || !meta.Anonymous {
				continue
			}
			object := reflect.New(type_)
			populate(object.Elem(), map[reflect.Type]int{})
			scheme.Default(object.Interface().(runtime.Object))
			found.observe(object.Elem())
		}
	}
	found.settle()
	return found
}

// of returns the default of a field; nothing if it has none.
func (all defaults) of(type_ reflect.Type, name string) string {
	if known := all[type_][name]; known != nil {
		return known.value
	}
	return ""
}

// settle forgets the defaults that differ between two places of a type.
//
// They are printed, since code has to set them.
func (all defaults) settle() {
	for type_, fields := range all {
		for name, value := range fields {
			if value.differs {
				fmt.Fprintln(os.Stderr, "depends on its place:", typeName(type_), name)
			}
			if value.differs || value.value == "" {
				delete(fields, name)
			}
		}
	}
}

// isOpaque returns whether a type reads itself.
func isOpaque(type_ reflect.Type) bool {
	return reflect.PointerTo(type_).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// populate sets what is empty but for scalars: a default can be set in a struct only if it is there.
func populate(value reflect.Value, parents map[reflect.Type]int) {
	type_ := value.Type()
	if isOpaque(type_) {
		return
	}
	switch type_.Kind() {
	case reflect.Struct:
		if parents[type_] > 0 {
			return
		}
		parents[type_]++
		for index := range type_.NumField() {
			if type_.Field(index).Name != "ObjectMeta" && type_.Field(index).IsExported() {
				populate(value.Field(index), parents)
			}
		}
		parents[type_]--
	case reflect.Pointer:
		if type_.Elem().Kind() == reflect.Struct && !isOpaque(type_.Elem()) && parents[type_.Elem()] == 0 {
			value.Set(reflect.New(type_.Elem()))
			populate(value.Elem(), parents)
		}
	case reflect.Slice:
		if type_.Elem().Kind() == reflect.Struct && !isOpaque(type_.Elem()) && parents[type_.Elem()] == 0 {
			value.Set(reflect.MakeSlice(type_, 1, 1))
			populate(value.Index(0), parents)
		}
	}
}

// observe notes what is set in a populated object after defaulting.
func (all defaults) observe(value reflect.Value) {
	type_ := value.Type()
	if isOpaque(type_) {
		return
	}
	switch type_.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			all.observe(value.Elem())
		}
	case reflect.Slice:
		for index := range value.Len() {
			all.observe(value.Index(index))
		}
	case reflect.Struct:
		for index := range type_.NumField() {
			name, _, isWritten := jsonName(type_.Field(index))
			if !isWritten {
				continue
			}
			if name != inline {
				all.note(type_, name, value.Field(index))
			}
			all.observe(value.Field(index))
		}
	}
}

// conditional has the fields whose defaults depend on fields that are empty in a populated object.
var conditional = map[string]bool{
	"apps/v1.RollingUpdateStatefulSetStrategy maxUnavailable": true,
	"apps/v1.RollingUpdateStatefulSetStrategy partition":      true,
	"core/v1.Container imagePullPolicy":                       true,
	"core/v1.EphemeralContainerCommon imagePullPolicy":        true,
	"core/v1.ImageVolumeSource pullPolicy":                    true,
	"core/v1.ServiceSpec internalTrafficPolicy":               true,
}

func (all defaults) note(type_ reflect.Type, name string, value reflect.Value) {
	if conditional[typeName(type_)+" "+name] {
		return
	}
	elem := value
	if elem.Kind() == reflect.Pointer && !elem.IsNil() {
		elem = elem.Elem()
	}
	text := ""
	isScalar := elem.Kind() != reflect.Struct && elem.Kind() != reflect.Slice && elem.Kind() != reflect.Map
	_, isTime := elem.Interface().(metav1.Time) // of defaults, only the present
	if (isScalar || isOpaque(elem.Type())) && !isTime && !value.IsZero() {
		encoded, err := json.Marshal(value.Interface())
		if err != nil {
			panic(err)
		}
		text = string(encoded)
	}
	if all[type_] == nil {
		all[type_] = map[string]*fieldDefault{}
	}
	known, isKnown := all[type_][name]
	if !isKnown {
		all[type_][name] = &fieldDefault{value: text}
	} else if known.value != text {
		known.differs = true
	}
}
