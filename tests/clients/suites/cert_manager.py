"""cert-manager's controllers, with steps of this repository."""

import subprocess

from outcome import Outcome, need, prepare, steps

from .controller_runtime import BUILD_FLAGS
from .suite import HERE, Place, Suite

FOLDER = HERE / "cert-manager"


def run(place: Place) -> Outcome:
    need("go")
    program = place.work / "bin" / "cert-manager"
    prepare(["go", "build", *BUILD_FLAGS, "-o", str(program), "."], cwd=FOLDER, env=place.environment(CGO_ENABLED="0"))
    module = ["go", "list", "-m", "-f", "{{.Dir}}", "github.com/cert-manager/cert-manager"]
    sources = subprocess.run(module, cwd=FOLDER, capture_output=True, text=True, check=True).stdout.strip()
    return steps([program, f"{sources}/deploy/crds"], 600, env=place.environment())


SUITES = [Suite("cert-manager", run)]
