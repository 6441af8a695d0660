"""Clients in Python, with steps of this repository."""

import functools
import venv

from outcome import Outcome, Skipped, prepare, steps

from .suite import HERE, Place, Suite

FOLDER = HERE / "python"
PROGRAMS = {
    "kubernetes": "official.py",
    "kubernetes_asyncio": "with_asyncio.py",
    "kr8s": "with_kr8s.py",
    "lightkube": "with_lightkube.py",
    "pykube-ng": "with_pykube.py",
}


def interpreter(place: Place) -> str:
    """Returns a Python that has the clients."""
    folder = place.work / "python"
    if not folder.exists():
        try:
            venv.create(folder, with_pip=True)
        except Exception as error:
            raise Skipped(f"there is no environment of Python: {error}") from error
    program = str(folder / "bin" / "python")
    prepare([program, "-m", "pip", "install", "--quiet", "--requirement", FOLDER / "requirements.txt"])
    return program


def run(program: str, place: Place) -> Outcome:
    return steps([interpreter(place), FOLDER / program], 240, env=place.environment(PYTHONDONTWRITEBYTECODE="1"))


SUITES = [Suite(f"python/{name}", functools.partial(run, program)) for name, program in PROGRAMS.items()]
