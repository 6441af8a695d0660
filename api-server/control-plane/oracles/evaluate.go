package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// evaluations are rules of one schema, and the values on which they are evaluated.
type evaluations struct {
	Schema json.RawMessage `json:"schema"`
	IsRoot bool            `json:"isRoot"`
	Limit  uint64          `json:"limit"`
	// Repeats is how often each rule is evaluated on each value: the order of a map is another one each time.
	Repeats int `json:"repeats"`
	Rules   []struct {
		Rule              string `json:"rule"`
		MessageExpression string `json:"messageExpression"`
		OptionalOldSelf   bool   `json:"optionalOldSelf"`
	} `json:"rules"`
	Values []valuePair `json:"values"`
}

// valuePair is a value of a schema, and the one that it replaces.
type valuePair struct {
	Self    json.RawMessage `json:"self"`
	OldSelf json.RawMessage `json:"oldSelf"`
}

// outcome is a result of a rule, or its error, and the cost of the evaluation.
type outcome struct {
	Result string `json:"result"`
	Cost   uint64 `json:"cost"`
	// Message is that of the message expression of a rule that is false.
	HasMessage  bool   `json:"hasMessage,omitempty"`
	Message     string `json:"message,omitempty"`
	MessageCost uint64 `json:"messageCost,omitempty"`
}

// judgeEvaluations answers for each rule why it does not compile, if it does not, and for each value all outcomes of each rule.
func judgeEvaluations(fields []string) []string {
	var asked evaluations
	if err := json.Unmarshal([]byte(fields[0]), &asked); err != nil {
		return []string{"error", err.Error()}
	}
	_, structural, err := readSchema(string(asked.Schema))
	if err != nil {
		return []string{"error", err.Error()}
	}
	compiled, err := compileRules(&asked, structural)
	if err != nil {
		return []string{"error", err.Error()}
	}
	refused := make([]string, len(compiled))
	for i, rule := range compiled {
		if rule.Error != nil {
			refused[i] = rule.Error.Error()
		}
	}
	self := structural
	if asked.IsRoot {
		self = model.WithTypeAndObjectMeta(self)
	}
	all := make([][][]outcome, len(asked.Values))
	for i, value := range asked.Values {
		if all[i], err = outcomesOf(&asked, compiled, self, value); err != nil {
			return []string{"error", err.Error()}
		}
	}
	return answer(map[string]any{"refused": refused, "outcomes": all})
}

// compileRules compiles all rules, and each of them alone if the compiler panics, as it does on keys of a map that cannot be hashed.
func compileRules(asked *evaluations, structural *schema.Structural) ([]cel.CompilationResult, error) {
	var rules []apiextensionsv1.ValidationRule
	for _, rule := range asked.Rules {
		rules = append(rules, apiextensionsv1.ValidationRule{
			Rule: rule.Rule, MessageExpression: rule.MessageExpression, OptionalOldSelf: &rule.OptionalOldSelf,
		})
	}
	compiled, err, panicked := tryCompile(asked, structural, rules)
	if panicked == "" {
		return compiled, err
	}
	compiled = nil
	for i := range rules {
		alone, err, panicked := tryCompile(asked, structural, rules[i:i+1])
		if err != nil {
			return nil, err
		}
		if panicked != "" {
			alone = []cel.CompilationResult{{Error: &apiservercel.Error{Type: apiservercel.ErrorTypeInternal, Detail: panicked}}}
		}
		compiled = append(compiled, alone...)
	}
	return compiled, nil
}

func tryCompile(asked *evaluations, structural *schema.Structural, rules []apiextensionsv1.ValidationRule) (compiled []cel.CompilationResult, err error, panicked string) {
	defer func() {
		if caught := recover(); caught != nil {
			panicked = fmt.Sprintf("panic: %v", caught)
		}
	}()
	structural.XValidations = rules
	limit := asked.Limit
	if limit == 0 {
		limit = math.MaxInt64
	}
	environments := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	declared := model.SchemaDeclType(structural, asked.IsRoot)
	compiled, err = cel.Compile(structural, declared, limit, environments, cel.StoredExpressionsEnvLoader())
	return compiled, err, ""
}

func outcomesOf(asked *evaluations, rules []cel.CompilationResult, structural *schema.Structural, pair valuePair) ([][]outcome, error) {
	plain, optional, err := variables(pair, structural)
	if err != nil {
		return nil, err
	}
	outcomes := make([][]outcome, len(rules))
	for i, rule := range rules {
		outcomes[i] = []outcome{}
		if rule.Program == nil {
			continue
		}
		given := plain
		if asked.Rules[i].OptionalOldSelf {
			given = optional
		}
		known := map[outcome]bool{}
		for range max(1, asked.Repeats) {
			next := evaluated(&rule, given, plain)
			if !known[next] {
				outcomes[i] = append(outcomes[i], next)
			}
			known[next] = true
		}
	}
	return outcomes, nil
}

// variables returns what rules see, and what those with an optional oldSelf see.
func variables(pair valuePair, structural *schema.Structural) (plain, optional map[string]any, err error) {
	var value, old any
	if err := utiljson.Unmarshal(pair.Self, &value); err != nil {
		return nil, nil, err
	}
	self := cel.UnstructuredToVal(value, structural)
	plain = map[string]any{"self": self}
	optional = map[string]any{"self": self, "oldSelf": types.OptionalNone}
	if len(pair.OldSelf) > 0 {
		if err := utiljson.Unmarshal(pair.OldSelf, &old); err != nil {
			return nil, nil, err
		}
		oldSelf := cel.UnstructuredToVal(old, structural)
		plain["oldSelf"] = oldSelf
		optional["oldSelf"] = types.OptionalOf(oldSelf)
	}
	return plain, optional, nil
}

// evaluated evaluates a rule, and if it is false its message as the server does, which never gives it an optional oldSelf.
func evaluated(rule *cel.CompilationResult, given, plain map[string]any) outcome {
	result, cost := runProgram(rule.Program, given)
	if result != "true" && !strings.HasPrefix(result, "error: ") {
		// Such as a null item of a list of booleans: what is not true, is a failure for the server.
		result = "false"
	}
	next := outcome{Result: result, Cost: cost}
	if result == "false" && rule.MessageExpression != nil {
		next.HasMessage = true
		next.Message, next.MessageCost = runMessage(rule.MessageExpression, plain)
	}
	return next
}

func runProgram(program celgo.Program, given map[string]any) (string, uint64) {
	value, cost, err := valueOf(program, given)
	if err != nil {
		return "error: " + err.Error(), cost
	}
	return fmt.Sprint(value), cost
}

// runMessage evaluates a message, for which the server takes only strings: null is none.
func runMessage(program celgo.Program, given map[string]any) (string, uint64) {
	value, cost, err := valueOf(program, given)
	if err != nil {
		return "error: " + err.Error(), cost
	}
	message, ok := value.(string)
	if !ok {
		return "error: messageExpression failed to convert to string", cost
	}
	return message, cost
}

func valueOf(program celgo.Program, given map[string]any) (any, uint64, error) {
	result, details, err := program.ContextEval(context.Background(), given)
	cost := uint64(0)
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	if err != nil {
		return nil, cost, err
	}
	return result.Value(), cost, nil
}
