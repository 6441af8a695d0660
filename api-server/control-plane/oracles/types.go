package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// metaPackage has types that each version of a group has as its own.
const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// wireTypes are the encodings of numbers that Kubernetes uses; the others are bytes.
var wireTypes = map[string]reflect.Kind{"varint": reflect.Invalid, "bytes": reflect.Invalid, "fixed64": reflect.Float64}

// newScheme has the external types of all kinds that kube-apiserver serves.
func newScheme() (*runtime.Scheme, error) {
	kinds := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme, apidiscovery.AddToScheme,
		metav1.AddMetaToScheme, metav1beta1.AddMetaToScheme,
	} {
		if err := add(kinds); err != nil {
			return nil, err
		}
	}
	metav1.AddToGroupVersion(kinds, schema.GroupVersion{Version: "v1"})
	return kinds, nil
}

// goTypes describes Go's types of kinds, for their order in JSON and their fields in protobuf.
type goTypes struct {
	kinds []reflect.Type
	seen  map[reflect.Type]bool
	// lines are those of a kind or a type by their first line, in whose order they are written.
	lines map[string]string
}

func (t *goTypes) addKind(kind, version string, kindType reflect.Type) {
	t.kinds = append(t.kinds, kindType)
	t.lines[fmt.Sprintf("kind %s %s", kind, version)] = fmt.Sprintf(" %s\n", typeName(kindType))
}

// writeTypes writes the kinds of all versions of groups that the lines of builtin.jsonl name, each with a line that has its type,
// and the types, each with a line for each field as encoding/json orders them: its name, its number in protobuf and its type. A
// field whose name is a dot has the fields of its type in its place.
func writeTypes(input io.Reader, output io.Writer) error {
	versions, err := readVersions(input)
	if err != nil {
		return err
	}
	known, err := newScheme()
	if err != nil {
		return err
	}
	all := goTypes{seen: map[reflect.Type]bool{}, lines: map[string]string{}}
	for kind, kindType := range known.AllKnownTypes() {
		if slices.Contains(versions, kind.GroupVersion()) && isOwn(kind, kindType) {
			all.addKind(kind.Kind, kind.GroupVersion().String(), kindType)
		}
	}
	// Requests name it with the version of their kind.
	all.addKind("DeleteOptions", "*", reflect.TypeFor[metav1.DeleteOptions]())
	for _, kindType := range all.kinds {
		if err := all.add(kindType); err != nil {
			return err
		}
	}
	buffered := bufio.NewWriter(output)
	for _, name := range slices.Sorted(maps.Keys(all.lines)) {
		buffered.WriteString(name + "\n" + all.lines[name])
	}
	return buffered.Flush()
}

// readVersions returns the versions of groups of resources, and those of what only answers have.
func readVersions(input io.Reader) ([]schema.GroupVersion, error) {
	versions := []schema.GroupVersion{apidiscovery.SchemeGroupVersion, metav1.SchemeGroupVersion, metav1beta1.SchemeGroupVersion}
	lines := json.NewDecoder(input)
	for {
		var line struct{ Group, Version string }
		if err := lines.Decode(&line); err == io.EOF {
			return versions, nil
		} else if err != nil {
			return nil, err
		}
		versions = append(versions, schema.GroupVersion{Group: line.Group, Version: line.Version})
	}
}

// isOwn is whether a kind is one of its version, and not of all versions.
func isOwn(kind schema.GroupVersionKind, kindType reflect.Type) bool {
	if kindType.PkgPath() != metaPackage {
		return true
	}
	switch kind.Kind {
	case "Table", "PartialObjectMetadata", "PartialObjectMetadataList":
		return kind.Group == metav1.GroupName
	case "Status", "APIVersions", "APIGroupList", "APIGroup", "APIResourceList":
		return kind.GroupVersion() == schema.GroupVersion{Version: "v1"}
	}
	return false
}

// add describes a struct, and the types of its fields.
func (t *goTypes) add(structType reflect.Type) error {
	if t.seen[structType] || isScalar(structType) {
		return nil
	}
	t.seen[structType] = true
	var lines strings.Builder
	for index := range structType.NumField() {
		field := structType.Field(index)
		line, err := t.field(field)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", structType, field.Name, err)
		}
		lines.WriteString(line)
	}
	t.lines["type "+typeName(structType)] = lines.String()
	return nil
}

func (t *goTypes) field(field reflect.StructField) (string, error) {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "-" || !field.IsExported() {
		return "", nil
	}
	if name == "" {
		if !field.Anonymous {
			return "", fmt.Errorf("has no name in JSON")
		}
		name = "."
	}
	number := "-"
	if tag := field.Tag.Get("protobuf"); tag != "" && tag != "-" {
		parts := strings.Split(tag, ",")
		kind, isKnown := wireTypes[parts[0]]
		if !isKnown || (kind != reflect.Invalid && elementOf(field.Type).Kind() != kind) {
			return "", fmt.Errorf("unknown encoding %s", tag)
		}
		number = parts[1]
	}
	description, err := t.describe(field.Type)
	if err != nil {
		return "", err
	}
	line := fmt.Sprintf(" %s %s %s", name, number, description)
	for _, option := range strings.Split(options, ",") {
		if option == "omitempty" || option == "omitzero" {
			line += " " + option
		}
	}
	return line + "\n", nil
}

func elementOf(fieldType reflect.Type) reflect.Type {
	if fieldType.Kind() == reflect.Pointer {
		return fieldType.Elem()
	}
	return fieldType
}

// describe returns a type as it is written in Go, without the names of types that add nothing to basic ones.
func (t *goTypes) describe(fieldType reflect.Type) (string, error) {
	if isScalar(fieldType) {
		return typeName(fieldType), nil
	}
	prefix := ""
	switch fieldType.Kind() {
	case reflect.Pointer:
		prefix = "*"
	case reflect.Slice:
		if fieldType.Elem().Kind() == reflect.Uint8 {
			return "bytes", nil
		}
		prefix = "[]"
		if isMessage(fieldType) {
			// It is a message with one field in protobuf.
			prefix = "items[]"
		}
	case reflect.Map:
		if fieldType.Key().Kind() != reflect.String {
			return "", fmt.Errorf("keys are not text")
		}
		prefix = "map[string]"
	case reflect.Struct:
		return typeName(fieldType), t.add(fieldType)
	case reflect.Interface:
		return "any", nil
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64:
		return fieldType.Kind().String(), nil
	default:
		return "", fmt.Errorf("unknown type %s", fieldType)
	}
	element, err := t.describe(fieldType.Elem())
	return prefix + element, err
}

// isMessage is whether a type that is no struct is a message in protobuf.
func isMessage(fieldType reflect.Type) bool {
	_, has := reflect.PointerTo(fieldType).MethodByName("MarshalToSizedBuffer")
	return has
}

// isScalar is whether a type writes its JSON itself, so that its fields do not matter.
func isScalar(fieldType reflect.Type) bool {
	return fieldType.Kind() == reflect.Struct && fieldType.Implements(reflect.TypeFor[json.Marshaler]())
}

// typeName returns a name such as core/v1.Pod.
func typeName(structType reflect.Type) string {
	parts := strings.Split(structType.PkgPath(), "/")
	last := parts[len(parts)-1]
	if strings.HasPrefix(last, "v") && len(parts) > 1 {
		last = parts[len(parts)-2] + "/" + last
	}
	return last + "." + structType.Name()
}
