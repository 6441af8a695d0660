"""An operator on kopf, in Python."""

from outcome import Outcome, steps

from .python import interpreter
from .suite import HERE, Place, Suite


def run(place: Place) -> Outcome:
    program = HERE / "kopf" / "steps_of_kopf.py"
    environment = place.environment(PYTHONDONTWRITEBYTECODE="1")
    return steps([interpreter(place), program], 400, env=environment, cwd=place.work)


SUITES = [Suite("kopf", run)]
