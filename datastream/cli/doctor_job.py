"""``datastream doctor --job``: what a job brings, what of it is there, and what would be installed."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

from datastream.config import Configuration
from datastream.config.python_settings import needs_of
from datastream.config.settings import PlanCaptured, settings
from datastream.driver.imports import enter_driver
from datastream.driver.script import run_script
from datastream.environments import docker, packages
from datastream.environments.environment import check_paths, packages_folder
from datastream.environments.fetch import fetched
from datastream.environments.interpreter import Interpreter, ask, check
from datastream.environments.needs import EnvironmentRefused, Needs
from datastream.environments.store import Store
from datastream.errors import DataStreamError

from .figures import size
from .finding import Finding


def findings(script: Path, args: tuple[str, ...]) -> Iterator[Finding]:
    """What a job needs, a line each. The script runs up to its first ``execute()``; nothing is installed."""
    captured: list[Needs] = []

    def capture(graph: Any, options: Any) -> Any:
        captured.append(options.needs)
        raise PlanCaptured

    given = settings()
    given.on_options = capture
    try:
        with redirect_stdout(sys.stderr):
            enter_driver(given, install=False)
            run_script(script, args)
    except PlanCaptured:
        pass
    except ModuleNotFoundError as missing:
        asked = needs_of(Configuration.from_dict(given.properties))
        if asked.requirements is not None:
            yield Finding("script", f"{script} imports {missing.name}, which is not installed yet", None)
            yield from _checked(replace(asked, constraints=packages.own_needs()))
            return
        yield Finding(
            "script",
            f"{script} imports {missing.name}, which is not there: install it, name it in a requirements file "
            "(-pyreq), or import it inside of the function that needs it",
            False,
        )
        return
    except DataStreamError as error:
        yield Finding("script", str(error), False)
        return
    except SystemExit:
        pass
    except Exception as error:
        yield Finding("script", f"{script} ended with {type(error).__name__}: {error}", False)
        return
    finally:
        given.on_options = None
    if not captured:
        yield Finding("script", f"{script} has no job: it ended without a call of env.execute()", False)
        return
    yield Finding("script", f"{script}, up to its first job")
    if not captured[0]:
        yield Finding("brings", "nothing: its functions run as the script does")
        return
    yield from _checked(captured[0])


def _checked(asked: Needs) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory(prefix="datastream-doctor-") as folder:
        try:
            needs = fetched(asked, folder)
            check_paths(needs)
        except EnvironmentRefused as error:
            yield Finding("files", str(error), False)
            return
        yield from _of(needs)


def _of(needs: Needs) -> Iterator[Finding]:
    own = ask(sys.executable)
    found: Interpreter | None = own
    for file in needs.files:
        yield Finding("modules", f"{file}, {_size(file)}")
    for archive in needs.archives:
        yield Finding("archive", f"{archive.path}, {_size(archive.path)}, unpacked to {archive.target}/")
    for one in needs.cached:
        yield Finding("cached file", f"{one.name}: {one.path}, {_size(one.path)}")
    if needs.container is not None:
        try:
            docker.check(needs.container)
            yield Finding("container", f"image {needs.container.image}")
        except EnvironmentRefused as error:
            yield Finding("container", str(error), False)
    elif needs.executable is not None:
        finding, found = _interpreter(needs, own)
        yield finding
    if needs.requirements is not None:
        yield from _packages(needs, found or own)


def _interpreter(needs: Needs, own: Interpreter) -> tuple[Finding, Interpreter | None]:
    named = needs.executable or ""
    if any(os.path.normpath(named).startswith(f"{archive.target}/") for archive in needs.archives):
        return Finding("interpreter", f"{named}, which is looked for once the archive is unpacked", None), None
    try:
        found = ask(named)
        check(found, own.minor, named)
    except EnvironmentRefused as error:
        return Finding("interpreter", str(error), False), None
    return Finding("interpreter", f"{'.'.join(map(str, found.version))}, {found.executable}"), found


def _packages(needs: Needs, interpreter: Interpreter) -> Iterator[Finding]:
    assert needs.requirements is not None
    wanted = os.path.abspath(needs.requirements), needs.wheels, interpreter, needs.constraints
    try:
        there = packages_folder(needs, Store(), interpreter)
        if there.is_dir():
            names = sorted(entry.name.removesuffix(".dist-info") for entry in there.glob("*.dist-info"))
            yield Finding("packages", f"installed already, in {there}: {', '.join(names) or 'none'}")
            return
        listed = packages.resolved(*wanted)
    except EnvironmentRefused as error:
        yield Finding("packages", str(error), False)
        return
    if listed is None:
        yield Finding("packages", f"those of {needs.requirements} would be installed with pip", None)
    else:
        yield Finding("packages", f"would be installed: {', '.join(listed) or 'none'}", None)


def _size(path: str) -> str:
    if not os.path.isdir(path):
        return size(os.path.getsize(path))
    return f"a directory of {sum(len(files) for _, _, files in os.walk(path)):,} files"
