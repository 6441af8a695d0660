"""Commands of Helm."""

from outcome import Outcome, prepare

from . import kubectl
from .controller_runtime import BUILD_FLAGS
from .suite import HERE, Place, Suite
from .transcripts import play

FOLDER = HERE / "helm"


def run(place: Place) -> Outcome:
    folder = kubectl.build(place)
    flags = [*BUILD_FLAGS, "-ldflags=-s -w", "-o", str(folder / "helm")]
    environment = place.environment(CGO_ENABLED="0")
    prepare(["go", "build", *flags, "helm.sh/helm/v3/cmd/helm"], cwd=FOLDER, env=environment)
    return play(FOLDER, folder, place)


SUITES = [Suite("helm", run, ("--rbac",))]
