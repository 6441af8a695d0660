package main

import (
	"fmt"
	"regexp/syntax"
	"strings"
)

// tree writes an expression as Go has it when it is parsed.
func tree(parsed *syntax.Regexp) string {
	var out strings.Builder
	writeTree(&out, parsed)
	return out.String()
}

var leaves = map[syntax.Op]string{
	syntax.OpNoMatch:        "none",
	syntax.OpEmptyMatch:     "empty",
	syntax.OpLiteral:        "text",
	syntax.OpCharClass:      "class",
	syntax.OpAnyCharNotNL:   "line",
	syntax.OpAnyChar:        "any",
	syntax.OpBeginLine:      "^",
	syntax.OpEndLine:        "$",
	syntax.OpBeginText:      "A",
	syntax.OpEndText:        "z",
	syntax.OpWordBoundary:   "b",
	syntax.OpNoWordBoundary: "B",
	syntax.OpCapture:        "group",
	syntax.OpConcat:         "all",
	syntax.OpAlternate:      "either",
}

func writeTree(out *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpStar:
		out.WriteString("repeat 0 -1")
	case syntax.OpPlus:
		out.WriteString("repeat 1 -1")
	case syntax.OpQuest:
		out.WriteString("repeat 0 1")
	case syntax.OpRepeat:
		fmt.Fprintf(out, "repeat %d %d", re.Min, re.Max)
	default:
		out.WriteString(leaves[re.Op])
	}
	if re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0 {
		out.WriteString("~")
	}
	for _, r := range re.Rune {
		fmt.Fprintf(out, " %x", r)
	}
	if len(re.Sub) == 0 {
		return
	}
	out.WriteString("(")
	for i, sub := range re.Sub {
		if i > 0 {
			out.WriteString(",")
		}
		writeTree(out, sub)
	}
	out.WriteString(")")
}
