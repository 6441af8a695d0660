"""A suite, and where it runs."""

import dataclasses
import os
import pathlib
from collections.abc import Callable

from outcome import Outcome

HERE = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a suite runs."""

    kubeconfig: pathlib.Path
    # What is fetched and built is kept here for the next run.
    work: pathlib.Path
    # Whether the suite writes down what the server answers, instead of comparing it.
    records: bool

    def environment(self, **more: str) -> dict[str, str]:
        """Returns the environment of a client."""
        return os.environ | {"KUBECONFIG": str(self.kubeconfig)} | more


@dataclasses.dataclass(frozen=True)
class Suite:
    """A suite of others, or steps that use a client of others."""

    name: str
    run: Callable[[Place], Outcome]
    # The options of `crdkit-api-server`.
    arguments: tuple[str, ...] = ()
