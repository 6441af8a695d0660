"""@kubernetes/client-node, with steps of this repository."""

import shutil

from outcome import Outcome, need, prepare, steps

from .suite import HERE, Place, Suite

FOLDER = HERE / "javascript"


def run(place: Place) -> Outcome:
    need("node", "npm")
    folder = place.work / "javascript"
    # Packages are looked for beside the program.
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    prepare(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=folder)
    return steps(["node", "steps.js", HERE / "boats.json"], 300, cwd=folder, env=place.environment())


SUITES = [Suite("client-node", run)]
