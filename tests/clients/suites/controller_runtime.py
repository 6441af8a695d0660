"""The Ginkgo suites of controller-runtime, whose envtest uses the server as an existing cluster."""

import functools
import json
import subprocess

from outcome import Outcome, need, prepare

from .suite import HERE, Place, Suite

MODULE = HERE / "controller-runtime"
# Those of the packages that start a server. `client/apiutil` starts servers of its own with flags, so it is not there.
PACKAGES = [
    "client",
    "cache",
    "controller",
    "manager",
    "builder",
    "source",
    "handler",
    "reconcile",
    "cluster",
    "controller/controllerutil",
    "webhook",
    "envtest",
    "internal/controller",
    "internal/recorder",
    "metrics/filters",
]
# The two specs of this suite create the same object, so each has a server of its own.
INTEGRATION = "manager/internal/integration"
# As programs in Go are built elsewhere in the repository, so that each compiles what the others need.
BUILD_FLAGS = ["-trimpath", "-buildvcs=false"]


def run(package: str, focus: str, place: Place) -> Outcome:
    """Runs the specs of a package whose names match a regular expression."""
    need("go")
    program = place.work / f"{package.replace('/', '-')}.test"
    full = f"sigs.k8s.io/controller-runtime/pkg/{package}"
    build = ["go", "test", *BUILD_FLAGS, "-c", "-o", str(program), full]
    prepare(build, cwd=MODULE, env=place.environment(CGO_ENABLED="0"))
    folder = subprocess.run(
        ["go", "list", "-f", "{{.Dir}}", full], cwd=MODULE, capture_output=True, text=True, check=True
    ).stdout.strip()
    report = place.work / "report.json"
    report.unlink(missing_ok=True)
    # The specs have a fixed order. Some have a second for what takes longer on a busy machine.
    flags = ["--ginkgo.seed=1", "--ginkgo.flake-attempts=3", "--ginkgo.timeout=15m"]
    flags += [f"--ginkgo.json-report={report}", f"--ginkgo.focus={focus}"]
    environment = place.environment(USE_EXISTING_CLUSTER="true")
    with open(place.work / "output.log", "wb") as output:
        subprocess.run([program, *flags], cwd=folder, env=environment, stdout=output, stderr=output, timeout=1200)
    return read(json.loads(report.read_text()))


def read(report: list[dict]) -> Outcome:
    """Returns the specs of a report of Ginkgo. Those that skip themselves do not count."""
    outcome = Outcome()
    for spec in (spec for suite in report for spec in suite["SpecReports"] or []):
        kind, state = spec["LeafNodeType"], spec["State"]
        words = [*(spec["ContainerHierarchyTexts"] or []), spec["LeafNodeText"]]
        name = " ".join(words) if kind == "It" else f"[{kind}]"
        if state == "passed" and kind == "It":
            outcome.passed.append(name)
        elif state not in ("passed", "skipped", "pending"):
            failure = spec.get("Failure", {})
            outcome.failed[name] = failure.get("Message", state) + failure.get("ForwardedPanic", "")
    return outcome


def suite(package: str, focus: str = "", part: str = "") -> Suite:
    # Tokens of service accounts have the rights of their roles.
    arguments = ("--rbac",) if package == "metrics/filters" else ()
    return Suite(f"controller-runtime/{package}{part}", functools.partial(run, package, focus), arguments)


SUITES = [suite(package) for package in PACKAGES]
SUITES += [suite(INTEGRATION, "warmup enabled$", "/warmup"), suite(INTEGRATION, "warmup not enabled$", "/no-warmup")]
