"""What a suite returns: the names of its specs, and what is wrong with those that fail."""

import dataclasses
import shutil
import subprocess


class Skipped(Exception):
    """A suite cannot run here, for a reason."""


@dataclasses.dataclass
class Outcome:
    """The specs of a suite that ran."""

    passed: list[str] = dataclasses.field(default_factory=list)
    failed: dict[str, str] = dataclasses.field(default_factory=dict)

    def of(self) -> int:
        """Returns how many specs ran."""
        return len(self.passed) + len(self.failed)


def need(*tools: str) -> None:
    """Skips the suite unless all tools are on the path."""
    for tool in tools:
        if shutil.which(tool) is None:
            raise Skipped(f"there is no {tool}")


def prepare(command: list, **options) -> None:
    """Fetches or builds what a suite needs, and skips the suite if that is not to be had."""
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        last = (result.stderr.strip() or result.stdout.strip()).splitlines()[-1:]
        raise Skipped(f"`{' '.join(map(str, command))}` fails: {''.join(last)}")


def steps(command: list, timeout: int, **options) -> Outcome:
    """Runs a program that prints a line for each of its steps: `pass NAME`, or `fail NAME: REASON`."""
    outcome = Outcome()
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)
        printed, ending = result.stdout, result.stderr if result.returncode else ""
    except subprocess.TimeoutExpired as expired:
        printed, ending = (expired.stdout or b"").decode(), f"it does not end within {timeout} s"
    for line in printed.splitlines():
        word, _, rest = line.partition(" ")
        if word == "pass":
            outcome.passed.append(rest)
        elif word == "fail":
            name, _, reason = rest.partition(": ")
            outcome.failed[name] = reason
    if ending:
        outcome.failed["the program ends well"] = ending.strip()[-1000:]
    return outcome
