"""An environment: everything that a job needs, made ready on this machine."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import archives, packages
from .archives import target_of
from .content import digest, digest_of
from .interpreter import Interpreter, ask, check
from .needs import Archive, CachedFile, EnvironmentRefused, Needs, is_remote
from .store import Store

_PACKAGES = "packages"
_IMPORTED_AS_THEY_ARE = (".zip", ".egg", ".whl", ".jar")


@dataclass(frozen=True)
class Environment:
    """What processes enter; see `enter`.

    Attributes:
        python: The interpreter.
        minor: Its version, such as 3.11.
        path: Folders and archives of modules that come before the interpreter's own packages.
        behind: Folders of packages that come after them: what the project needs, for an interpreter without it.
        packages: The folder of the packages of the requirements file, one of `path`; None: there is none.
        work: The folder that functions run in; None: where they ran without an environment.
        cache: The folder of the distributed cache; None: it is empty.
        same: Whether the interpreter is the driver's.
    """

    python: str
    minor: str
    path: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    packages: str | None = None
    work: str | None = None
    cache: str | None = None
    same: bool = True

    def as_dict(self) -> dict[str, Any]:
        """The same, for `enter`."""
        return asdict(self)

    def write(self, file: str) -> str:
        """Write it to a file, for `enter`; returns the file."""
        new = f"{file}.{os.getpid()}"
        Path(new).write_text(json.dumps(self.as_dict()))
        os.replace(new, file)
        return file


def modules_of(environment: Environment) -> set[str]:
    """The top-level names that its folders hold."""
    names: list[str] = []
    for entry in environment.path:
        if os.path.isdir(entry):
            names += os.listdir(entry)
        elif zipfile.is_zipfile(entry):
            with zipfile.ZipFile(entry) as archive:
                names += archive.namelist()
    return {name.partition("/")[0].partition(".")[0] for name in names}


def make(needs: Needs, store: Store, folder: str, own: Interpreter) -> Environment:
    """Make ready what a job needs. What was made before, by whichever job, is taken as it is.

    Args:
        needs: What it brings.
        store: Where it is kept.
        folder: The job's own folder; its links to the store go there.
        own: The interpreter of the driver, or of a worker's machine without the job's environment.

    Raises:
        EnvironmentRefused: Something is missing, damaged or does not fit.
    """
    check_paths(needs)
    work, cache = os.path.join(folder, "work"), os.path.join(folder, "cache")
    _link_archives(needs.archives, store, work)
    interpreter = _interpreter(needs, work, own)
    path = [_stored(store, file) for file in needs.files]
    installed = None
    if needs.requirements is not None:
        installed = installed_packages(needs, store, interpreter)
        path.append(installed)
    _link_cached(needs.cached, store, cache)
    return Environment(
        python=interpreter.executable,
        minor=own.minor,
        path=tuple(dict.fromkeys(path)),
        behind=() if interpreter.executable == own.executable else own.packages,
        packages=installed,
        work=work if needs.archives else None,
        cache=cache if needs.cached else None,
        same=interpreter.executable == own.executable,
    )


def driver_path(needs: Needs, store: Store, own: Interpreter, install: bool = True) -> tuple[list[str], list[str]]:
    """What to put on the driver's own path: for its modules, and for its packages.

    Args:
        needs: What the job brings.
        store: Where it is kept.
        own: The driver's interpreter.
        install: Whether packages are installed; else they count only where they are.

    Raises:
        EnvironmentRefused: Something is missing or does not fit.
    """
    check_paths(needs)
    files = [_stored(store, file) for file in needs.files]
    there = needs.requirements is not None and (install or packages_folder(needs, store, own).is_dir())
    return files, [installed_packages(needs, store, own)] if there else []


def check_paths(needs: Needs) -> None:
    """Look whether all files of this machine are there, before anything is made.

    Raises:
        EnvironmentRefused: One is not, or two would be at the same place.
    """
    named: list[tuple[str, str | None]] = [("Python file", file) for file in needs.files]
    named += [("requirements file", needs.requirements), ("archive", None)]
    named += [("archive", archive.path) for archive in needs.archives]
    named += [("cached file", file.path) for file in needs.cached]
    for what, path in named:
        if path is not None and not is_remote(path) and not os.path.exists(path):
            raise EnvironmentRefused(f"the {what} {path} does not exist")
    if needs.requirements is not None and os.path.isdir(needs.requirements):
        raise EnvironmentRefused(f"the requirements file {needs.requirements} is a folder")
    if needs.wheels is not None and not is_remote(needs.wheels) and not os.path.isdir(needs.wheels):
        is_ = "is no folder" if os.path.exists(needs.wheels) else "does not exist"
        raise EnvironmentRefused(f"the cached directory {needs.wheels} {is_}")
    targets = sorted(target_of(archive.target) for archive in needs.archives)
    for one, other in zip(targets, targets[1:], strict=False):
        if one == other:
            raise EnvironmentRefused(f"two archives are to be unpacked to the target directory '{one}'")
        if other.startswith(f"{one}/"):
            raise EnvironmentRefused(f"an archive is to be unpacked to '{other}', inside of that of another, '{one}'")
    names = sorted(file.name for file in needs.cached)
    for name in names:
        if names.count(name) > 1:
            raise EnvironmentRefused(f"two cached files are called '{name}'")
        if not name or "/" in name or name in (".", "..") or "\0" in name:
            raise EnvironmentRefused(f"a cached file cannot be called {name!r}: give it a name without slashes")


def _link_archives(wanted: tuple[Archive, ...], store: Store, work: str) -> None:
    for archive in wanted:
        key = digest_of(archive.path)
        # The name tells the kind of archive.
        kind = digest(key, Path(archive.path).suffix.lower())

        def unpack(folder: Path, path: str = archive.path) -> None:
            archives.unpack(path, folder)

        unpacked = store.get("archives", kind, unpack)
        _link(unpacked, os.path.join(work, target_of(archive.target)))


def _link_cached(wanted: tuple[CachedFile, ...], store: Store, cache: str) -> None:
    for file in wanted:

        def copy(folder: Path, file: CachedFile = file) -> None:
            archives.copy(file.path, folder)
            if file.executable and not os.path.isdir(file.path):
                folder.joinpath(os.path.basename(file.path)).chmod(0o755)

        path = os.path.normpath(file.path)
        stored = store.get("files", digest(digest_of(path), os.path.basename(path), file.executable), copy)
        _link(stored / os.path.basename(path), os.path.join(cache, file.name))


def _link(target: Path, place: str) -> None:
    """Make a link, which another process may be making too."""
    os.makedirs(os.path.dirname(place), exist_ok=True)
    new = f"{place}.{os.getpid()}"
    os.symlink(target, new)
    os.replace(new, place)


def _stored(store: Store, path: str) -> str:
    """A copy of a file or folder of modules; what to put on Python's path for it."""
    path = os.path.normpath(path)

    def copy(folder: Path) -> None:
        archives.copy(path, folder)

    kept = store.get("files", digest(digest_of(path), os.path.basename(path)), copy)
    if os.path.isdir(path) or path.lower().endswith(_IMPORTED_AS_THEY_ARE):
        return str(kept / os.path.basename(path))
    return str(kept)


def _interpreter(needs: Needs, work: str, own: Interpreter) -> Interpreter:
    if needs.executable is None:
        return own
    named = needs.executable
    within = os.path.join(work, named)
    inside = [target_of(archive.target) for archive in needs.archives]
    of_archive = any(os.path.normpath(named).startswith(f"{target}/") for target in inside)
    if of_archive and not os.path.exists(within):
        raise EnvironmentRefused(f"there is no interpreter {named}: the archive has no such file")
    if not of_archive and "/" in named and not os.path.exists(named) and not os.path.isabs(named):
        there = f" (there are {', '.join(inside)})" if inside else ""
        raise EnvironmentRefused(f"the interpreter {named} does not exist, and no archive is unpacked there{there}")
    found = ask(within if of_archive else shutil.which(named) or named)
    check(found, own.minor, named)
    return found


def packages_folder(needs: Needs, store: Store, interpreter: Interpreter) -> Path:
    """Where the packages of a requirements file are, once they are installed."""
    assert needs.requirements is not None
    key = packages.key_of(os.path.abspath(needs.requirements), needs.wheels, interpreter, needs.constraints)
    return store.root / _PACKAGES / key


def installed_packages(needs: Needs, store: Store, interpreter: Interpreter) -> str:
    """The folder of the packages of a requirements file, which are installed if they are not there."""
    assert needs.requirements is not None
    wanted = os.path.abspath(needs.requirements), needs.wheels, interpreter, needs.constraints

    def install(folder: Path) -> None:
        packages.install(*wanted, folder)

    return str(store.get(_PACKAGES, packages_folder(needs, store, interpreter).name, install))
