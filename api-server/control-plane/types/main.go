// Command types writes api-server/src/types.txt, the Go types of Kubernetes' kinds:
//
//	go run ./types > ../src/types.txt
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"sort"
	"strings"

	extensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

func main() {
	if err := writeTypes(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "types:", err)
		os.Exit(1)
	}
}

// writeTypes writes the types, one a line, and what their defaulting functions set. Columns are separated by tabs. A line of a type has its form, its name in Go's messages, and
//
//	list, map, pointer   the number of the line of the type inside, from zero
//	struct               its package, such as `apps/v1`, the number of fields, and its merging; a line for each of them follows
//
// A line of a field has its name, its flags, the number of its type, its default, its merging, and the Go fields that it is
// inlined from; empty columns at the end are left out. The flags are `e` for `omitempty` and `z` for `omitzero`. The merging is
// `atomic`, `granular` or `set`, or the keys of a list after `map:`. The lines of kinds, which are last, have the group, the version, the kind and the type.
func writeTypes(output io.Writer) error {
	schemas := openapi.GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef(path) })
	types := &typeTable{numbers: map[reflect.Type]int{}, defaults: map[reflect.Type]map[string]*fieldDefault{}, schemas: schemas}
	kinds := types.addKinds()
	types.settle()
	buffer := bufio.NewWriter(output)
	for _, type_ := range types.all {
		fmt.Fprintln(buffer, types.line(type_))
	}
	for _, kind := range kinds {
		fmt.Fprintln(buffer, kind)
	}
	return buffer.Flush()
}

type typeTable struct {
	all      []reflect.Type
	numbers  map[reflect.Type]int
	defaults map[reflect.Type]map[string]*fieldDefault
	schemas  map[string]common.OpenAPIDefinition
}

// fieldDefault is what defaulting makes of a field that is not set, if it is the same wherever the type is.
type fieldDefault struct {
	value   string
	differs bool
}

var stable = regexp.MustCompile(`^v\d+$`)

// addKinds adds the kinds of stable versions that have metadata, and returns their lines.
func (types *typeTable) addKinds() []string {
	var lines []string
	seen := map[schema.GroupVersionKind]bool{}
	for _, scheme := range []*runtime.Scheme{legacyscheme.Scheme, extensions.Scheme, aggregatorscheme.Scheme} {
		for kind, type_ := range scheme.AllKnownTypes() {
			meta, hasMeta := type_.FieldByName("ObjectMeta")
			if seen[kind] || !stable.MatchString(kind.Version) || !hasMeta || !meta.Anonymous {
				continue
			}
			seen[kind] = true
			lines = append(lines, fmt.Sprintf("kind\t%s\t%s\t%s\t", kind.Group, kind.Version, kind.Kind))
			object := reflect.New(type_)
			populate(object.Elem(), map[reflect.Type]int{})
			scheme.Default(object.Interface().(runtime.Object))
			types.observe(object.Elem())
		}
	}
	sort.Strings(lines)
	for index, line := range lines {
		parts := strings.Split(line, "\t")
		kind := schema.GroupVersionKind{Group: parts[1], Version: parts[2], Kind: parts[3]}
		for _, scheme := range []*runtime.Scheme{legacyscheme.Scheme, extensions.Scheme, aggregatorscheme.Scheme} {
			if type_, found := scheme.AllKnownTypes()[kind]; found {
				lines[index] = fmt.Sprintf("%s%d", line, types.add(type_))
				break
			}
		}
	}
	return lines
}

// settle forgets the defaults that differ between two places of a type.
//
// They are printed, since code has to set them.
func (types *typeTable) settle() {
	for type_, fields := range types.defaults {
		for name, value := range fields {
			if value.differs {
				fmt.Fprintln(os.Stderr, "depends on its place:", group(type_), type_.Name(), name)
			}
			if value.differs || value.value == "" {
				delete(fields, name)
			}
		}
	}
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// isOpaque returns whether a type reads itself.
func isOpaque(type_ reflect.Type) bool {
	return reflect.PointerTo(type_).Implements(unmarshaler)
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
func (types *typeTable) observe(value reflect.Value) {
	type_ := value.Type()
	if isOpaque(type_) {
		return
	}
	switch type_.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			types.observe(value.Elem())
		}
	case reflect.Slice:
		for index := range value.Len() {
			types.observe(value.Index(index))
		}
	case reflect.Struct:
		for _, field := range fieldsOf(type_) {
			found := value.FieldByIndex(field.index)
			types.note(type_, field.name, found)
			types.observe(found)
		}
	}
}

// conditional has the fields whose defaults depend on fields that are empty in a populated object.
var conditional = map[string]bool{
	"apps/v1 RollingUpdateStatefulSetStrategy maxUnavailable": true,
	"apps/v1 RollingUpdateStatefulSetStrategy partition":      true,
	"core/v1 Container imagePullPolicy":                       true,
	"core/v1 EphemeralContainer imagePullPolicy":              true,
	"core/v1 ImageVolumeSource pullPolicy":                    true,
	"core/v1 ServiceSpec internalTrafficPolicy":               true,
}

func (types *typeTable) note(type_ reflect.Type, name string, value reflect.Value) {
	if conditional[group(type_)+" "+type_.Name()+" "+name] {
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
	if types.defaults[type_] == nil {
		types.defaults[type_] = map[string]*fieldDefault{}
	}
	known, isKnown := types.defaults[type_][name]
	if !isKnown {
		types.defaults[type_][name] = &fieldDefault{value: text}
	} else if known.value != text {
		known.differs = true
	}
}

// add returns the number of a type.
func (types *typeTable) add(type_ reflect.Type) int {
	if number, found := types.numbers[type_]; found {
		return number
	}
	number := len(types.all)
	types.numbers[type_] = number
	types.all = append(types.all, type_)
	if isOpaque(type_) || type_.Kind() == reflect.Slice && type_.Elem().Kind() == reflect.Uint8 {
		return number
	}
	switch type_.Kind() {
	case reflect.Struct:
		for _, field := range fieldsOf(type_) {
			types.add(field.type_)
		}
	case reflect.Slice, reflect.Map, reflect.Pointer:
		types.add(type_.Elem())
	}
	return number
}

// merging returns how server-side apply merges what has these extensions.
func merging(extensions spec.Extensions) string {
	if keys, found := extensions.GetStringSlice("x-kubernetes-list-map-keys"); found {
		return "map:" + strings.Join(keys, ",")
	}
	if listType, found := extensions.GetString("x-kubernetes-list-type"); found {
		return listType
	}
	mapType, _ := extensions.GetString("x-kubernetes-map-type")
	return mapType
}

// schemaOf returns the OpenAPI schema of a struct.
func (types *typeTable) schemaOf(type_ reflect.Type) spec.Schema {
	named, isNamed := reflect.Zero(type_).Interface().(interface{ OpenAPIModelName() string })
	if !isNamed {
		return spec.Schema{}
	}
	return types.schemas[named.OpenAPIModelName()].Schema
}

func (types *typeTable) line(type_ reflect.Type) string {
	name := strings.ReplaceAll(type_.String(), "\t", " ")
	kind := type_.Kind()
	switch {
	case isOpaque(type_):
		return "opaque\t" + name
	case kind == reflect.Slice && type_.Elem().Kind() == reflect.Uint8:
		return "bytes\t" + name
	case kind == reflect.Slice:
		return fmt.Sprintf("list\t%s\t%d", name, types.add(type_.Elem()))
	case kind == reflect.Map:
		return fmt.Sprintf("map\t%s\t%d", name, types.add(type_.Elem()))
	case kind == reflect.Pointer:
		return fmt.Sprintf("pointer\t%s\t%d", name, types.add(type_.Elem()))
	case kind == reflect.Struct:
		fields := fieldsOf(type_)
		schema := types.schemaOf(type_)
		line := fmt.Sprintf("struct\t%s\t%s\t%d\t%s", name, group(type_), len(fields), merging(schema.Extensions))
		lines := []string{strings.TrimRight(line, "\t")}
		for _, field := range fields {
			value := ""
			if known := types.defaults[type_][field.name]; known != nil {
				value = known.value
			}
			merging := merging(schema.Properties[field.name].Extensions)
			number := types.add(field.type_)
			line := fmt.Sprintf("%s\t%s\t%d\t%s\t%s\t%s", field.name, field.flags, number, value, merging, field.inlined)
			lines = append(lines, strings.TrimRight(line, "\t"))
		}
		return strings.Join(lines, "\n")
	default:
		return kind.String() + "\t" + name
	}
}

// group returns the last two parts of the package of a type.
func group(type_ reflect.Type) string {
	parts := strings.Split(type_.PkgPath(), "/")
	return strings.Join(parts[max(len(parts)-2, 0):], "/")
}

// structField is a field of a struct or of one that is inlined in it.
type structField struct {
	name  string
	flags string
	type_ reflect.Type
	index []int
	// inlined has the names of the Go fields that it is inlined from, each with a dot.
	inlined string
}

// fieldsOf returns the fields of a struct in JSON, by their names.
func fieldsOf(type_ reflect.Type) []structField {
	var fields []structField
	for index := range type_.NumField() {
		field := type_.Field(index)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			for _, inner := range fieldsOf(field.Type) {
				inner.index = append([]int{index}, inner.index...)
				inner.inlined = field.Name + "." + inner.inlined
				fields = append(fields, inner)
			}
			continue
		}
		if name == "-" || !field.IsExported() {
			continue
		}
		flags := ""
		for _, option := range strings.Split(options, ",") {
			switch option {
			case "omitempty":
				flags += "e"
			case "omitzero":
				flags += "z"
			}
		}
		fields = append(fields, structField{name, flags, field.Type, []int{index}, ""})
	}
	sort.Slice(fields, func(i, j int) bool { return fields[i].name < fields[j].name })
	return fields
}
