package main

import (
	"fmt"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// judgeFormat answers whether a text has a format.
func judgeFormat(fields []string) []string {
	return []string{fmt.Sprint(strfmt.Default.Validates(fields[0], fields[1]))}
}
