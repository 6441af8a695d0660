"""Transcripts of commands, with the output that they have on the real server but for what no two servers have in common."""

import dataclasses
import difflib
import os
import pathlib
import re
import subprocess
import tempfile

from outcome import Outcome

from .suite import Place

# How long a command may take.
LIMIT = "60s"
# What differs between any two servers, and what stands for it.
REPLACED = [
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uid>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
    (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000", "<time>"),
    (r"(resourceVersion\"?|Resource Version): *\"?\d+\"?", r"\1: <version>"),
    (r"\b10(\.\d+){3}\b", "<address>"),
    (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} +\d+ \d\d:\d\d:\d\d \d{4}", "<time>"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC", "<time>"),
    (r"^W\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ", "W <time> "),
    (r"debugger-\w{5}", "debugger-<name>"),
    (r"https?://127\.0\.0\.1:\d+", "<server>"),
    (r"127\.0\.0\.1:\d+", "<server>"),
    # An age in minutes has at most two digits here, unlike quantities such as `500m`.
    (r"(?<=\s)(?=\d)(\d+d)?(\d+h)?(\d{1,2}m)?(\d+m?s)?(?=\s|$)", "<age>"),
    (r"/tmp/[^ \t]*?(LIVE|MERGED)-\d+", r"\1"),
    (r"/tmp/kubectl-edit-\d+\.yaml", "<file>"),
    (r"(LIVE|MERGED)(/\S+)\t.*", r"\1\2"),
    # The object in a message about a patch has versions and times.
    (r"Invalid value: \"\{.*\}\": ", "Invalid value: <object>: "),
    (r" +\t", "\t"),
    (r" {2,}(?=\S)", "  "),
]
# The errors of an object, which the real server has in random order.
ERRORS = re.compile(r"(?<= is invalid: \[).*(?=\]$)", re.MULTILINE)
NEXT_ERROR = re.compile(r", (?=(?:<nil>|[\w.\[\]-]+): (?:[A-Z][a-z]+ value|Too long|Too many|Forbidden|Not found))")


@dataclasses.dataclass
class Command:
    """A command of a transcript, and what it prints."""

    line: str
    output: str


def play(folder: pathlib.Path, binaries: pathlib.Path, place: Place) -> Outcome:
    """Runs the transcripts of a folder. The commands have the folder as theirs."""
    outcome = Outcome()
    for transcript in sorted((folder / "transcripts").glob("*.txt")):
        play_one(transcript, binaries, place, outcome)
    return outcome


def play_one(transcript: pathlib.Path, binaries: pathlib.Path, place: Place, outcome: Outcome) -> None:
    """Runs the commands of a transcript in a namespace of its own."""
    folder = transcript.parent.parent
    commands = read(transcript.read_text())
    namespace = f"{folder.name}-{transcript.stem}"
    with tempfile.TemporaryDirectory() as home:
        kubeconfig = pathlib.Path(home, "kubeconfig")
        kubeconfig.write_bytes(place.kubeconfig.read_bytes())
        path = f"{binaries}{os.pathsep}{os.environ['PATH']}"
        environment = place.environment(KUBECONFIG=str(kubeconfig), HOME=home, PATH=path, TZ="UTC", KUBE_EDITOR="true")
        shell(f"kubectl create namespace {namespace}", folder, environment)
        shell(f"kubectl config set-context --current --namespace={namespace}", folder, environment)
        answers = [shell(command.line, folder, environment) for command in commands]
    if place.records:
        transcript.write_text("".join(f"$ {it.line}\n{answer}" for it, answer in zip(commands, answers)))
    for number, (command, answer) in enumerate(zip(commands, answers), start=1):
        name = f"{transcript.stem} {number} {command.line}"
        if answer == command.output:
            outcome.passed.append(name)
        else:
            outcome.failed[name] = difference(command.output, answer)


def read(text: str) -> list[Command]:
    """Returns the commands of a transcript, each of which begins with a dollar."""
    commands: list[Command] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append(Command(line[2:].rstrip("\n"), ""))
        else:
            commands[-1].output += line
    return commands


def shell(line: str, folder: pathlib.Path, environment: dict[str, str]) -> str:
    """Runs a command, and returns its output, its errors and its exit code, without what differs between servers."""
    result = subprocess.run(
        ["timeout", LIMIT, "bash", "-c", line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    ending = f"exit code {result.returncode}\n" if result.returncode else ""
    text = "".join(part if not part or part.endswith("\n") else part + "\n" for part in (result.stdout, result.stderr))
    for pattern, instead in REPLACED:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    text = ERRORS.sub(lambda errors: ", ".join(sorted(NEXT_ERROR.split(errors[0]))), text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines()) + ending


def difference(theirs: str, ours: str) -> str:
    lines = difflib.unified_diff(theirs.splitlines(), ours.splitlines(), "real server", "here", lineterm="", n=0)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))

