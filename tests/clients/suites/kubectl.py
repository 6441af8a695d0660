"""Commands of kubectl."""

import pathlib

from outcome import Outcome, need, prepare

from .controller_runtime import BUILD_FLAGS
from .suite import HERE, Place, Suite
from .transcripts import play

# The module that builds kubectl elsewhere in the repository.
MODULE = HERE.parent / "kubectl"


def build(place: Place) -> pathlib.Path:
    """Builds kubectl in the version of the real server, and returns its folder."""
    need("go", "bash", "diff", "sed", "timeout")
    folder = place.work / "bin"
    flags = [*BUILD_FLAGS, "-ldflags=-s -w", "-o", str(folder / "kubectl")]
    environment = place.environment(CGO_ENABLED="0")
    prepare(["go", "build", *flags, "k8s.io/kubernetes/cmd/kubectl"], cwd=MODULE, env=environment)
    return folder


def run(place: Place) -> Outcome:
    return play(HERE / "kubectl", build(place), place)


SUITES = [Suite("kubectl", run, ("--rbac",))]
