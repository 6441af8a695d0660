// Command oracles answers what Go's own libraries make of texts that crdkit reads too.
//
//	oracles judge     answers a question on each line of standard input, see judge.go
//	oracles unicode   writes core/src/go/unicode.txt:
//	                  go run ./oracles unicode > ../../core/src/go/unicode.txt
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "oracles:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "judge" {
		return judge(os.Stdin, os.Stdout)
	}
	if len(args) == 1 && args[0] == "unicode" {
		return writeUnicode(os.Stdout)
	}
	return fmt.Errorf("usage: oracles judge | unicode")
}
