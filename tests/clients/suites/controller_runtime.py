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
    "manager/internal/integration",
    "internal/controller",
    "internal/recorder",
    "metrics/filters",
]
# As programs in Go are built elsewhere in the repository, so that each compiles what the others need.
BUILD_FLAGS = ["-trimpath", "-buildvcs=false"]


def run(package: str, place: Place) -> Outcome:
    need("go")
    suite = place.work / f"{package.replace('/', '-')}.test"
    full = f"sigs.k8s.io/controller-runtime/pkg/{package}"
    built = ["go", "test", *BUILD_FLAGS, "-c", "-o", str(suite), full]
    prepare(built, cwd=MODULE, env=place.environment(CGO_ENABLED="0"))
    folder = subprocess.run(
        ["go", "list", "-f", "{{.Dir}}", full], cwd=MODULE, capture_output=True, text=True, check=True
    ).stdout.strip()
    report = place.work / "report.json"
    report.unlink(missing_ok=True)
    # With a fixed order of the specs.
    flags = ["--ginkgo.seed=1", "--ginkgo.timeout=15m", f"--ginkgo.json-report={report}"]
    environment = place.environment(USE_EXISTING_CLUSTER="true")
    with open(place.work / "output.log", "wb") as output:
        subprocess.run([suite, *flags], cwd=folder, env=environment, stdout=output, stderr=output, timeout=1200)
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


SUITES = [Suite(f"controller-runtime/{package}", functools.partial(run, package)) for package in PACKAGES]
