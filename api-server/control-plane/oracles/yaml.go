package main

import (
	"sigs.k8s.io/yaml"
)

// judgeYAML answers the JSON that kubectl reads from a document.
func judgeYAML(fields []string) []string {
	json, err := yaml.YAMLToJSON([]byte(fields[0]))
	if err != nil {
		return []string{"error", err.Error()}
	}
	return []string{"json", string(json)}
}
