"""Runs scripts on this project: ``--local`` each in a fork of its own, ``--spark`` one after another in one process."""

from __future__ import annotations

import gc
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import cast

from serving import named, one_line, ran, serve

from datastream.compat import install
from datastream.config.settings import settings
from datastream.driver.script import run_script
from datastream.errors import DataStreamError, FunctionError

#: Packages whose import does nothing that a script could see.
SHARED = ("datastream",)


def run(script: list[str]) -> str | None:
    path, *arguments = script
    try:
        run_script(Path(path), tuple(arguments))
    except Exception as error:
        return describe(error)
    return None


def describe(error: Exception) -> str:
    """Whether a user's function, the running job or the building of it failed."""
    if isinstance(error, FunctionError):
        said = error.failure.error
        own = {said.partition(":")[0]} & {cls.__name__ for cls in _family(DataStreamError)}
        return one_line("while running" if own else "in a function", said)
    return one_line("while running" if ran(error) else "when built", named(error))


def _family(cls: type) -> set[type]:
    return {cls}.union(*(_family(below) for below in cls.__subclasses__()))


def run_in_fork(script: list[str]) -> str | None:
    """A script sees what a fresh process sees, without waiting for the imports."""
    readable, writable = os.pipe()
    gc.freeze()
    child = os.fork()
    if child == 0:
        os.close(readable)
        before = set(sys.modules)
        error = run(script)
        sys.stdout.flush()
        imported = [name for name in sys.modules if name not in before and name.partition(".")[0] in SHARED]
        with os.fdopen(writable, "w") as pipe:
            json.dump({"error": error, "imported": imported}, pipe)
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if not said or status != 0:
        return f"while running: ended with status {status}"
    answer = json.loads(said)
    for name in answer["imported"]:
        import_module(name)
    return cast("str | None", answer["error"])


def import_all() -> None:
    """What every script imports, so that forks need not; what one imports besides, those after it have."""
    install()
    import_module("datastream.local.executor")


if __name__ == "__main__":
    settings().executor = sys.argv[1].removeprefix("--")
    if settings().executor == "local":
        import_all()
        serve(run_in_fork)
    else:
        serve(run)
