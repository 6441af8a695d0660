#!/usr/bin/env python3
"""Runs the suites of others' clients against `crdkit-api-server`, and compares the numbers with `expected.tsv`.

A suite fails if fewer of its specs pass than there, or if one fails that `differences.tsv` does not have.
"""

import argparse
import csv
import pathlib
import sys
import time

import servers
import suites
from outcome import Outcome, Skipped

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = servers.target(ROOT) / "clients"
# Where users read the numbers, and what differs.
README = ROOT / "api-server" / "README.md"
DIFFERENCES = ROOT / "api-server" / "src" / "differences.md"


def main() -> int:
    arguments = arguments_of_the_command_line()
    selected = [suite for suite in suites.ALL if suite.name.startswith(tuple(arguments.suites or [""]))]
    if not selected:
        sys.exit(f"no suite begins like that: {', '.join(suite.name for suite in suites.ALL)}")
    WORK.mkdir(parents=True, exist_ok=True)
    program = arguments.real or arguments.server or servers.build(ROOT)
    expected = rows("expected.tsv")
    problems = [] if arguments.real else problems_of_the_documents(expected)
    for suite in selected:
        started = time.monotonic()
        try:
            outcome = run(suite, program, arguments)
        except Skipped as reason:
            print(f"{suite.name}: SKIPPED, since {reason}", flush=True)
            continue
        print(f"{suite.name}: {len(outcome.passed)} of {outcome.of()} ({time.monotonic() - started:.0f} s)", flush=True)
        write_log(suite, outcome)
        found = [] if arguments.real else compare(suite.name, outcome, expected)
        problems += [f"{suite.name}: {problem}" for problem in found]
    print("\n" + table(expected))
    for problem in problems:
        print(f"PROBLEM: {problem}")
    return 1 if problems else 0


def arguments_of_the_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="the beginning of the name of a suite; all by default")
    parser.add_argument("--server", type=pathlib.Path, metavar="PROGRAM", help="use this crdkit-api-server, and build none")
    parser.add_argument("--real", type=pathlib.Path, metavar="PROGRAM", help="use the control plane that this program is")
    parser.add_argument("--record", action="store_true", help="with --real, write down what kubectl prints")
    return parser.parse_args()


def run(suite: suites.Suite, program: pathlib.Path, arguments: argparse.Namespace) -> Outcome:
    server = servers.real(program) if arguments.real else servers.in_process(program, suite.arguments)
    with server as kubeconfig:
        return suite.run(suites.Place(kubeconfig, WORK, arguments.record))


def rows(name: str) -> list[dict[str, str]]:
    """Returns the rows of a table."""
    with open(HERE / name, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def compare(name: str, outcome: Outcome, expected: list[dict[str, str]]) -> list[str]:
    """Returns in what a suite is worse than expected."""
    numbers = next((row for row in expected if row["suite"] == name), None)
    if numbers is None:
        return ["expected.tsv has no row of it"]
    known = {row["spec"] for row in rows("differences.tsv") if row["suite"] == name}
    problems = [f"{spec} fails: {reason}" for spec, reason in outcome.failed.items() if spec not in known]
    if outcome.of() != int(numbers["of"]):
        problems.append(f"{outcome.of()} specs ran, instead of {numbers['of']}")
    if len(outcome.passed) < int(numbers["passed"]):
        problems.append(f"{len(outcome.passed)} specs pass, instead of {numbers['passed']}")
    if len(outcome.passed) > int(numbers["passed"]):
        print(f"  more pass than expected.tsv has: {', '.join(known - set(outcome.failed))}")
    return problems


def table(expected: list[dict[str, str]]) -> str:
    """Returns the table of the README."""
    lines = ["| suite | here | real server |", "|---|---|---|"]
    lines += [f"| {row['suite']} | {row['passed']} of {row['of']} | {row['real']} |" for row in expected]
    return "\n".join(lines) + "\n"


def problems_of_the_documents(expected: list[dict[str, str]]) -> list[str]:
    """Returns what the documentation does not have of the two tables."""
    problems = []
    if table(expected) not in README.read_text():
        problems.append(f"{README.name} has not the table above")
    subjects = {line.split("|")[1].strip() for line in DIFFERENCES.read_text().splitlines()}
    for row in rows("differences.tsv"):
        if row["subject"] not in subjects:
            problems.append(f"{DIFFERENCES.name} has no row {row['subject']!r}")
    return problems


def write_log(suite: suites.Suite, outcome: Outcome) -> None:
    """Keeps what is wrong with the specs that fail, and prints their names."""
    log = WORK / (suite.name.replace("/", "-") + ".log")
    log.write_text("".join(f"== {spec}\n{reason}\n" for spec, reason in outcome.failed.items()))
    for spec, reason in outcome.failed.items():
        print(f"  {spec}: {reason.splitlines()[0][:160] if reason else ''}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
