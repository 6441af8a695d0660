// Command types writes api-server/src/go_types.txt, the Go types of Kubernetes' kinds:
//
//	go run ./types < ../src/builtin.jsonl > ../src/go_types.txt
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/generated/openapi"

	"crdkit/control-plane/internal/kinds"
)

func main() {
	if err := writeTypes(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "types:", err)
		os.Exit(1)
	}
}

// metaPackage has types that each version of a group has as its own.
const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// wireTypes are the encodings of numbers that Kubernetes uses; the others are bytes.
var wireTypes = map[string]reflect.Kind{"varint": reflect.Invalid, "bytes": reflect.Invalid, "fixed64": reflect.Float64}

// goTypes describes Go's types of kinds.
type goTypes struct {
	kinds    []reflect.Type
	seen     map[reflect.Type]bool
	defaults defaults
	schemas  map[string]common.OpenAPIDefinition
	// lines are those of a kind or a type by their first line, in whose order they are written.
	lines map[string]string
	// merging is how types are merged, by their first line.
	merging map[string]string
}

func (t *goTypes) addKind(kind, version string, kindType reflect.Type) {
	t.kinds = append(t.kinds, kindType)
	t.lines[fmt.Sprintf("kind %s %s", kind, version)] = fmt.Sprintf(" %s\n", typeName(kindType))
}

// writeTypes writes the kinds of all versions of groups that the lines of builtin.jsonl name, each with a line that has its type,
// and the types, each with a line for each field as encoding/json orders them: its name, its number in protobuf and its type, and
//
//	omitempty, omitzero     the options of its tag
//	default=JSON            what the defaulting functions set, if that depends on no other field
//	atomic, granular, set,
//	map:KEYS                how server-side apply merges it
//
// A field whose name is a dot has the fields of its type in its place. How a type is merged follows its name after a tab. A name
// in Go before `=` is that of messages, where the type after it is another one.
func writeTypes(input io.Reader, output io.Writer) error {
	versions, err := readVersions(input)
	if err != nil {
		return err
	}
	known, err := kinds.Scheme()
	if err != nil {
		return err
	}
	schemas := openapi.GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef(path) })
	all := goTypes{seen: map[reflect.Type]bool{}, defaults: newDefaults(), schemas: schemas, lines: map[string]string{}, merging: map[string]string{}}
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
		header := name
		if merging := all.merging[name]; merging != "" {
			header += "\t" + merging
		}
		buffered.WriteString(header + "\n" + all.lines[name])
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
	schema := t.schemaOf(structType)
	var lines strings.Builder
	for index := range structType.NumField() {
		field := structType.Field(index)
		line, err := t.field(structType, field, schema)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", structType, field.Name, err)
		}
		lines.WriteString(line)
	}
	name := "type " + typeName(structType)
	t.lines[name] = lines.String()
	t.merging[name] = merging(schema.Extensions)
	return nil
}

// inline is the name of a field whose own fields are in its place.
const inline = "."

// jsonName returns the name and the options of a field in JSON, and whether it is there.
func jsonName(field reflect.StructField) (name, options string, isWritten bool) {
	name, options, _ = strings.Cut(field.Tag.Get("json"), ",")
	if name == "" && field.Anonymous {
		name = inline
	}
	return name, options, name != "-" && field.IsExported()
}

func (t *goTypes) field(structType reflect.Type, field reflect.StructField, schema spec.Schema) (string, error) {
	name, options, isWritten := jsonName(field)
	if !isWritten {
		return "", nil
	}
	if name == "" {
		return "", fmt.Errorf("has no name in JSON")
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
	if value := t.defaults.of(structType, name); value != "" {
		line += " default=" + value
	}
	if merging := merging(schema.Properties[name].Extensions); merging != "" {
		line += " " + merging
	}
	return line + "\n", nil
}

func elementOf(fieldType reflect.Type) reflect.Type {
	if fieldType.Kind() == reflect.Pointer {
		return fieldType.Elem()
	}
	return fieldType
}

// describe returns a type as it is written in Go, and before it the name of one that is no struct.
func (t *goTypes) describe(fieldType reflect.Type) (string, error) {
	description, err := t.describeUnnamed(fieldType)
	kind := fieldType.Kind()
	isNamed := fieldType.PkgPath() != "" && kind != reflect.Struct || kind == reflect.Map && fieldType.Key().PkgPath() != ""
	if isNamed {
		description = fieldType.String() + "=" + description
	}
	return description, err
}

func (t *goTypes) describeUnnamed(fieldType reflect.Type) (string, error) {
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
func (t *goTypes) schemaOf(type_ reflect.Type) spec.Schema {
	named, isNamed := reflect.Zero(type_).Interface().(interface{ OpenAPIModelName() string })
	if !isNamed {
		return spec.Schema{}
	}
	return t.schemas[named.OpenAPIModelName()].Schema
}
