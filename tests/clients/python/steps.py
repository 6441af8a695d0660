"""Runs the steps of a client, and prints a line for each, as `outcome.steps` reads them."""

import asyncio
import inspect
import traceback


def run(client) -> None:
    """Calls the public methods of an object in the order in which they are written."""
    asyncio.run(run_all(client))


async def run_all(client) -> None:
    for name, method in list(vars(type(client)).items()):
        if name.startswith("_") or not callable(method):
            continue
        step = name.replace("_", " ")
        try:
            result = method(client)
            if inspect.isawaitable(result):
                await asyncio.wait_for(result, 30)
            print(f"pass {step}", flush=True)
        except Exception as error:  # A client may raise anything.
            where = traceback.extract_tb(error.__traceback__)[-1]
            reason = " ".join(f"{type(error).__name__} in line {where.lineno}: {error}".split())
            print(f"fail {step}: {reason}", flush=True)


class refused:
    """Expects an error of a client, and holds it."""

    def __init__(self, kind, *words: str):
        self.kind, self.words = kind, words

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if error is None:
            raise AssertionError("it is not refused")
        if not isinstance(error, self.kind):
            return False
        text = f"{error} {getattr(error, 'body', '')} {getattr(getattr(error, 'response', None), 'text', '')}"
        missing = [word for word in self.words if word not in text]
        if missing:
            raise AssertionError(f"{missing} not in {text}")
        return True
