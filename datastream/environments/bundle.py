"""A job's needs as one file, for machines that cannot see the driver's files.

It is a program that Python runs as it is (`entering`), with the modules of this package and the job's files in it.
"""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import asdict
from pathlib import Path

from .bundle_parts import NEEDS
from .content import content_of, digest, digest_of
from .needs import Archive, CachedFile, EnvironmentRefused, Needs
from .packages import files_of

_MODULES = (
    "needs",
    "content",
    "store",
    "archives",
    "interpreter",
    "secret_values",
    "packages",
    "environment",
    "enter",
    "bundle_parts",
    "entering",
)
_MAIN = "from environments.entering import main\nmain()\n"


def key_of(needs: Needs) -> str:
    """What distinguishes a bundle from all others."""
    paths = [*needs.files, needs.requirements, needs.wheels]
    paths += [archive.path for archive in needs.archives]
    paths += [file.path for file in needs.cached]
    if needs.requirements is not None:
        paths += [os.path.join(os.path.dirname(needs.requirements), name) for name in files_of(needs.requirements)]
    return digest(asdict(needs), [digest_of(path) for path in paths if path is not None], _code())[:16]


def _code() -> str:
    return digest(*(Path(__file__).with_name(f"{name}.py").read_text() for name in _MODULES))


def write(needs: Needs, key: str, minor: str, mark: str, file: str) -> None:
    """Write a bundle.

    Args:
        needs: What the job brings.
        key: Its `key_of`.
        minor: The driver's version of Python.
        mark: What an error of a worker's machine begins with, so that the driver finds it in what Spark reports. It
            cannot be guessed: what Spark reports also holds what others wrote.
        file: Where it goes.
    """
    new = f"{file}.new"
    with zipfile.ZipFile(new, "w", zipfile.ZIP_STORED) as out:
        out.writestr("__main__.py", _MAIN)
        out.writestr("environments/__init__.py", "")
        for name in _MODULES:
            out.write(Path(__file__).with_name(f"{name}.py"), f"environments/{name}.py")
        moved = Needs(
            files=tuple(_put(out, f"files/{n}", path) for n, path in enumerate(needs.files)),
            requirements=None if needs.requirements is None else _put(out, "requirements", needs.requirements),
            wheels=None if needs.wheels is None else _put(out, "wheels", needs.wheels),
            archives=tuple(
                Archive(_put(out, f"archives/{n}", one.path), one.target) for n, one in enumerate(needs.archives)
            ),
            executable=needs.executable,
            cached=tuple(
                CachedFile(_put(out, f"cached/{n}", one.path), one.name, one.executable)
                for n, one in enumerate(needs.cached)
            ),
            constraints=needs.constraints,
        )
        if needs.requirements is not None:
            _put_named(out, needs.requirements)
        out.writestr(NEEDS, json.dumps({"needs": asdict(moved), "minor": minor, "key": key, "mark": mark}))
    os.replace(new, file)


def _put(out: zipfile.ZipFile, folder: str, path: str) -> str:
    """Put a file or folder into the bundle; its path there."""
    path = os.path.normpath(path)
    inside = f"{folder}/{os.path.basename(path)}"
    if os.path.isdir(path):
        out.mkdir(inside)
        for file in sorted(content_of(path)):
            out.write(os.path.join(path, file), f"{inside}/{file}")
    else:
        out.write(path, inside)
    return inside


def _put_named(out: zipfile.ZipFile, requirements: str) -> None:
    """Put in what a requirements file names, which must lie beside it or below."""
    for name in files_of(requirements):
        if name.startswith(("/", "..")):
            raise EnvironmentRefused(
                f"{requirements} names {name}, which is not beside it or below, so it cannot travel to other machines; "
                "name a directory of wheels after a '#', as the cached directory"
            )
        path = os.path.join(os.path.dirname(requirements), name)
        if os.path.exists(path):
            _put(out, os.path.dirname(f"requirements/{name}"), path)
