package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// writeUnicode writes what regular expressions and printable text need of Go's tables, as core/src/go/unicode.txt has it:
//
//	category Lu 41:1a ...   the code points of a general category
//	script Greek ...        those of a script that an expression can name
//	alias Letter L          another name of a category
//	fold 41:1a+20 ...       what the next one of the same letter is
//
// Each run is `gap:count/stride`: the gap is from the end of the last run, and a count or stride of 1 is left out. All
// numbers are hexadecimal.
func writeUnicode(to io.Writer) error {
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "unicode %s\n", unicode.Version)
	for _, name := range slices.Sorted(maps.Keys(unicode.Categories)) {
		if isLeaf(name) {
			fmt.Fprintf(out, "category %s%s\n", name, runs(unicode.Categories[name]))
		} else if err := checkUnion(name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unicode.Scripts)) {
		if canonical(name) == name {
			fmt.Fprintf(out, "script %s%s\n", name, runs(unicode.Scripts[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unicode.CategoryAliases)) {
		fmt.Fprintf(out, "alias %s %s\n", canonical(name), unicode.CategoryAliases[name])
	}
	fmt.Fprintf(out, "fold%s\n", folds())
	return out.Flush()
}

// isLeaf reports whether a category is written: not those that are made of others, and not that of the code points that no
// other has.
func isLeaf(name string) bool {
	return len(name) == 2 && name != "LC" && name != "Cn"
}

// checkUnion demands that a category which is not written is what the reader makes of those that are.
func checkUnion(name string) error {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.Is(unicode.Categories[name], r) != inUnion(name, r) {
			return fmt.Errorf("category %s is not the union of its parts at %U", name, r)
		}
	}
	return nil
}

func inUnion(name string, r rune) bool {
	leaf := "Cn"
	for other, table := range unicode.Categories {
		if isLeaf(other) && unicode.Is(table, r) {
			leaf = other
		}
	}
	if name == "LC" {
		return leaf == "Lu" || leaf == "Ll" || leaf == "Lt"
	}
	return strings.HasPrefix(leaf, name)
}

// canonical returns the name as an expression's name is looked up.
func canonical(name string) string {
	name = strings.NewReplacer("_", "", "-", "", " ", "").Replace(name)
	return strings.ToUpper(name[:1]) + strings.ToLower(name[1:])
}

func runs(table *unicode.RangeTable) string {
	var out strings.Builder
	end := uint32(0)
	write := func(lo, hi, stride uint32) {
		fmt.Fprintf(&out, " %x%s", lo-end, counted((hi-lo)/stride+1, stride))
		end = hi + 1
	}
	for _, r := range table.R16 {
		write(uint32(r.Lo), uint32(r.Hi), uint32(r.Stride))
	}
	for _, r := range table.R32 {
		write(r.Lo, r.Hi, r.Stride)
	}
	return out.String()
}

func counted(count, stride uint32) string {
	text := ""
	if count > 1 {
		text += fmt.Sprintf(":%x", count)
	}
	if count > 1 && stride > 1 {
		text += fmt.Sprintf("/%x", stride)
	}
	return text
}

// folds writes runs of code points, neighbours or every other one, whose next one is at the same distance. The gap is from the
// start of the last run.
func folds() string {
	type run struct{ lo, hi, stride, delta rune }
	var all []run
	for r := rune(0); r <= unicode.MaxRune; r++ {
		delta := unicode.SimpleFold(r) - r
		if delta == 0 {
			continue
		}
		joined := false
		for i := len(all) - 1; i >= 0 && i >= len(all)-2 && !joined; i-- {
			last := &all[i]
			distance := r - last.hi
			fits := distance == last.stride || last.lo == last.hi && distance <= 2
			if last.delta == delta && fits {
				last.hi, last.stride, joined = r, distance, true
			}
		}
		if !joined {
			all = append(all, run{r, r, 1, delta})
		}
	}
	var out strings.Builder
	start := rune(0)
	for _, r := range all {
		fmt.Fprintf(&out, " %x%s%+x", r.lo-start, counted(uint32((r.hi-r.lo)/r.stride+1), uint32(r.stride)), r.delta)
		start = r.lo
	}
	return out.String()
}
