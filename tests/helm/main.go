// Renders a Helm chart as `helm template --include-crds` does: main CHART RELEASE NAMESPACE [KEY=VALUE...].
package main

import (
	"fmt"
	"log"
	"os"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/strvals"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(arguments []string) error {
	chart, err := loader.Load(arguments[0])
	if err != nil {
		return err
	}
	if err := chart.Validate(); err != nil {
		return err
	}
	values := map[string]any{}
	for _, value := range arguments[3:] {
		if err := strvals.ParseInto(value, values); err != nil {
			return err
		}
	}
	options := chartutil.ReleaseOptions{Name: arguments[1], Namespace: arguments[2], Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, values, options, nil)
	if err != nil {
		return err
	}
	rendered, err := (engine.Engine{Strict: true}).Render(chart, all)
	if err != nil {
		return err
	}
	for _, crd := range chart.CRDObjects() {
		fmt.Printf("---\n# Source: %s\n%s\n", crd.Filename, crd.File.Data)
	}
	names := make([]string, 0, len(rendered))
	for name := range rendered {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if text := strings.TrimSpace(rendered[name]); text != "" && !strings.HasSuffix(name, "NOTES.txt") {
			fmt.Printf("---\n# Source: %s\n%s\n", name, text)
		}
	}
	return nil
}
