package main

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/client-go/util/jsonpath"
)

// judgeJSONPath answers whether the path of a printer column can be read, and its steps: the name of a field behind a dot, or
// `[]`, up to the first step that no schema can follow, which is `?`.
func judgeJSONPath(fields []string) (answer []string) {
	defer func() {
		if cause := recover(); cause != nil {
			answer = []string{"panic", fmt.Sprint(cause)}
		}
	}()
	parser, err := jsonpath.Parse("column", "{"+fields[0]+"}")
	if err != nil {
		return []string{"error", err.Error()}
	}
	if len(parser.Root.Nodes) != 1 {
		return []string{"ok", "?"}
	}
	return append([]string{"ok"}, steps(parser.Root.Nodes[0])...)
}

func steps(action jsonpath.Node) []string {
	list, ok := action.(*jsonpath.ListNode)
	if !ok {
		return []string{"?"}
	}
	var all []string
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *jsonpath.FieldNode:
			all = append(all, "."+node.Value)
		case *jsonpath.ArrayNode, *jsonpath.FilterNode:
			all = append(all, "[]")
		default:
			return append(all, "?")
		}
	}
	return all
}

// pathSchema has fields a, b and 'a.b' that are objects like itself down to some depth, a map m of such and a list l.
func pathSchema(depth int) schema.Structural {
	node := schema.Structural{Generic: schema.Generic{Type: "object"}}
	if depth == 0 {
		return node
	}
	inner := pathSchema(depth - 1)
	node.Properties = map[string]schema.Structural{
		"a": inner, "b": inner, "a.b": inner, "it's": inner,
		"m": {
			Generic:              schema.Generic{Type: "object"},
			AdditionalProperties: &schema.StructuralOrBool{Structural: &inner},
		},
		"l": {Generic: schema.Generic{Type: "array"}, Items: &inner},
	}
	return node
}

var fieldPathSchema = pathSchema(5)

// judgeFieldPath answers where a path leads in the schema, with or without array notation.
func judgeFieldPath(fields []string) []string {
	path, _, err := cel.ValidFieldPath(fields[1], &fieldPathSchema, cel.WithFieldPathAllowArrayNotation(fields[0] == "true"))
	if err != nil {
		return []string{"error", err.Error()}
	}
	return []string{"ok", path.String()}
}
