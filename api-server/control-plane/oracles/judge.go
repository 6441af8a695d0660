package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// A question is a line of fields between tabs, of which the first names the judge. Within a field, a tab, an end of line and
// a backslash are escaped by a backslash. The answer is a line of the same form.
var judges = map[string]func(fields []string) []string{
	"admit":    judgeAdmission,
	"costs":    judgeCosts,
	"defaults": judgeDefaults,
	"encode":   judgeEncoding,
	"evaluate": judgeEvaluations,
	"event":    judgeEvent,
	"field":    judgeFieldPath,
	"format":   judgeFormat,
	"jsonpath": judgeJSONPath,
	"kind":     judgeKind,
	"message":  judgeMessage,
	"metrics":  judgeMetrics,
	"objects":  judgeObject,
	"names":    func([]string) []string { return classNames() },
	"print":    func([]string) []string { return printable() },
	"regexp":   judgeRegexp,
	"yaml":     judgeYAML,
}

var (
	escaper   = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	unescaper = strings.NewReplacer(`\\`, "\\", `\t`, "\t", `\n`, "\n", `\r`, "\r")
)

func judge(from io.Reader, to io.Writer) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 64<<20)
	out := bufio.NewWriter(to)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		for i := range fields {
			fields[i] = unescaper.Replace(fields[i])
		}
		ask, ok := judges[fields[0]]
		if !ok {
			return fmt.Errorf("no judge is called %q", fields[0])
		}
		answer := ask(fields[1:])
		for i := range answer {
			answer[i] = escaper.Replace(answer[i])
		}
		fmt.Fprintln(out, strings.Join(answer, "\t"))
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return out.Flush()
}

// classNames lists the names of the classes that a regular expression may have.
func classNames() []string {
	names := slices.Collect(maps.Keys(unicode.Categories))
	names = slices.AppendSeq(names, maps.Keys(unicode.Scripts))
	names = slices.AppendSeq(names, maps.Keys(unicode.CategoryAliases))
	names = append(names, "Any", "Assigned", "ASCII")
	slices.Sort(names)
	return names
}

// printable lists the first and the last code point of each range that is printable.
func printable() []string {
	var ranges []string
	for r := rune(0); r <= unicode.MaxRune; r++ {
		lo := r
		for r <= unicode.MaxRune && unicode.IsPrint(r) {
			r++
		}
		if lo < r {
			ranges = append(ranges, fmt.Sprintf("%x-%x", lo, r-1))
		}
	}
	return ranges
}

// judgeRegexp answers how Go reads an expression, and for each text whether it matches. Without texts, the program that matches
// is not made, which takes long for a large expression and cannot fail.
func judgeRegexp(fields []string) []string {
	parsed, err := syntax.Parse(fields[0], syntax.Perl)
	if err != nil {
		return []string{"error", err.Error()}
	}
	answer := []string{"ok", tree(parsed)}
	if texts := fields[1:]; len(texts) > 0 {
		compiled := regexp.MustCompile(fields[0])
		for _, text := range texts {
			answer = append(answer, fmt.Sprint(compiled.MatchString(text)))
		}
	}
	return answer
}
