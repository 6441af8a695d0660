package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// judgeMetrics answers how Prometheus reads metrics in its text format: the type, the name and the labels of each family that has
// samples, and then what promtool reports about them.
func judgeMetrics(fields []string) []string {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(fields[0]))
	if err != nil {
		return []string{"error", err.Error()}
	}
	answer := []string{"ok"}
	for name, family := range families {
		for _, metric := range family.Metric {
			answer = append(answer, fmt.Sprintf("%s %s %s", strings.ToLower(family.GetType().String()), name, labels(metric)))
		}
	}
	slices.Sort(answer[1:])
	answer = slices.Compact(answer)
	problems, err := promlint.New(strings.NewReader(fields[0])).Lint()
	if err != nil {
		return []string{"error", err.Error()}
	}
	for _, problem := range problems {
		answer = append(answer, fmt.Sprintf("problem: %s: %s", problem.Metric, problem.Text))
	}
	return answer
}

func labels(metric *dto.Metric) string {
	var names []string
	for _, label := range metric.Label {
		names = append(names, label.GetName())
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}
