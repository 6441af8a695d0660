// Answers what kstatus says of objects: of those in its own tests, or of those on standard input, one JSON object in each line.
//
// An answer has the object, its status and the reason of its condition, separated by tabs.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) == 2 {
		published(os.Args[1])
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		answer(lines.Bytes())
	}
}

// published answers for all texts in a Go file that are objects.
func published(path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		log.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		literal, isLiteral := node.(*ast.BasicLit)
		if !isLiteral || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			log.Fatal(err)
		}
		if object, err := yaml.YAMLToJSON([]byte(text)); err == nil && len(object) > 0 && object[0] == '{' {
			answer(object)
		}
		return true
	})
}

func answer(text []byte) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil {
		fmt.Println("\terror\t" + strconv.Quote(err.Error()))
		return
	}
	result, err := status.Compute(object)
	if err != nil {
		fmt.Println("\terror\t" + strconv.Quote(err.Error()))
		return
	}
	reason := ""
	if len(result.Conditions) > 0 {
		reason = result.Conditions[0].Reason
	}
	compact, err := json.Marshal(object.Object)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\t%s\t%s\n", compact, result.Status, reason)
}
