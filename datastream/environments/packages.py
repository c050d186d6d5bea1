"""The packages of a requirements file, installed into a folder of their own."""

from __future__ import annotations

import configparser
import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from .content import digest, digest_of
from .interpreter import Interpreter
from .needs import EnvironmentRefused
from .secret_values import hide

_LIMIT_S = 1800
_LIBC = ctypes.CDLL(None)
_INCLUDED = re.compile(r"^\s*(?:-r|--requirement|-c|--constraint)[\s=]+(.+)")
_EDITABLE = re.compile(r"^\s*(?:-e|--editable)[\s=]")
_FOLDER = re.compile(r"^\s*(?:-f|--find-links)[\s=]+(.+)")
_PACKED = (".whl", ".zip", ".gz")
_VARIABLE = re.compile(r"\$\{([A-Z0-9_]+)\}")
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")
#: The name that an installer begins its lines with tells nothing.
_NOISE = re.compile(r"^\s*(x |×|ERROR:|error:|warning:|WARNING:|\[notice\]|Looking in |Using Python|help:|hint:)\s*")


def own_needs(root: str = "spark-datastream") -> tuple[str, ...]:
    """What this project and its packages need, a requirement a line: no package of a job may break that.

    Args:
        root: The distribution to begin with.
    """
    found: dict[str, str] = {}
    seen, waiting = set(), [root]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            required = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        for line in required:
            requirement, _, marker = line.partition(";")
            if "extra" in marker:
                continue
            bare = re.sub(r"\[.*?\]", "", requirement).strip()
            match = _NAME.match(bare)
            if match is None or "@" in bare:
                continue
            waiting.append(match.group())
            if bare != match.group():
                written = f"{bare} ;{marker}" if marker else bare
                found[written] = name
    return tuple(f"{line}  # of {name}" for line, name in sorted(found.items()))


def key_of(requirements: str, wheels: str | None, interpreter: Interpreter, constraints: tuple[str, ...]) -> str:
    """What distinguishes these packages from all others, as a digest.

    Args:
        requirements: The file; what it includes counts too.
        wheels: The folder that they are installed from.
        interpreter: Which they are for.
        constraints: See `own_needs`.

    Raises:
        EnvironmentRefused: A file cannot be read.
    """
    wheels_there: tuple[str, ...] | None = None
    if wheels is not None:
        wheels_there = tuple(sorted(f"{f.name} {f.stat().st_size}" for f in os.scandir(wheels) if f.is_file()))
    return digest(_whole(requirements), wheels_there, interpreter.kind, constraints)


def _whole(requirements: str) -> str:
    """A requirements file with all that it names."""
    folder = os.path.dirname(requirements)
    parts = [_text(requirements)]
    for name in files_of(requirements):
        path = os.path.join(folder, name)
        parts.append(digest_of(path))
    return "\n".join(parts)


def _text(requirements: str) -> str:
    try:
        return Path(requirements).read_text("utf-8-sig", "surrogateescape")
    except OSError as error:
        raise EnvironmentRefused(f"the requirements file {requirements} cannot be read: {error}") from error


def files_of(requirements: str) -> list[str]:
    """What a requirements file includes, and the packages that it names by a path; seen from its folder, as by pip.

    Raises:
        EnvironmentRefused: One that it includes cannot be read, or it names a package to be edited.
    """
    folder, found = os.path.dirname(requirements), list[str]()
    unread = [""]
    while unread:
        file = unread.pop()
        for line in _text(os.path.join(folder, file) if file else requirements).splitlines():
            line = _VARIABLE.sub(lambda name: os.environ.get(name[1], name[0]), re.sub(r"(^|\s)#.*", "", line)).strip()
            if _EDITABLE.match(line):
                raise EnvironmentRefused(
                    f"{requirements} names a package to be edited in its place ({line}), which workers elsewhere and "
                    "in containers do not see: leave out -e"
                )
            included = _INCLUDED.match(line)
            if included and "://" not in included[1]:
                name = os.path.normpath(os.path.join(os.path.dirname(file), included[1].strip("'\" ")))
                unread += [] if name in found else [name]
            else:
                name = _local(line)
                if not name or not os.path.exists(os.path.join(folder, name)):
                    continue
                name = os.path.normpath(name)
            if name not in found:
                found.append(name)
    return found


def _local(line: str) -> str:
    """The path that a line of a requirements file names; empty: it names none."""
    folder = _FOLDER.match(line)
    name = folder[1] if folder else line.partition(" ;")[0].partition(" --")[0]
    name = name.rpartition(" @ ")[2].strip().removeprefix("file://").removeprefix("file:")
    name = re.sub(r"\[[^\]]*\]$", "", name)
    is_path = folder is not None or "/" in name or name.endswith(_PACKED)
    return name.strip("'\" ") if is_path and "://" not in name and not name.startswith("-") else ""


def named(requirements: str) -> Iterator[str]:
    """The names of the packages that a requirements file asks for, and its files include."""
    folder = os.path.dirname(requirements)
    named_there = (os.path.join(folder, name) for name in files_of(requirements))
    files = [requirements, *(path for path in named_there if os.path.isfile(path) and not path.endswith(_PACKED))]
    for line in (line for file in files for line in _text(file).splitlines()):
        match = _NAME.match(line.strip())
        if match:
            yield match.group()


def install(
    requirements: str, wheels: str | None, interpreter: Interpreter, constraints: tuple[str, ...], folder: Path
) -> None:
    """Install packages into an empty folder.

    Args:
        requirements: The file.
        wheels: Install from this folder, and ask no index.
        interpreter: Which they are for.
        constraints: See `own_needs`.
        folder: Where they go.

    Raises:
        EnvironmentRefused: They cannot be had, do not fit each other, or do not fit what the project needs.
    """
    limits = folder / "constraints.txt"
    limits.write_text("\n".join(constraints) + "\n")
    command = [*_installer(interpreter), "--target", str(folder), "-c", str(limits), "-r", requirements]
    _run(command, requirements, wheels, interpreter, constraints)
    limits.unlink()


def _run(
    command: list[str], requirements: str, wheels: str | None, interpreter: Interpreter, constraints: tuple[str, ...]
) -> str:
    """Run an installer, whose relative paths are those of the requirements file; what it printed."""
    offline = [] if wheels is None else ["--no-index", "--find-links", os.path.abspath(wheels)]
    try:
        done = subprocess.run(
            [*command, *offline],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            env=_variables(offline=wheels is not None),
            cwd=os.path.dirname(os.path.abspath(requirements)),
            preexec_fn=_end_with_parent,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = hide(str(error))
        raise EnvironmentRefused(f"the packages of {requirements} could not be installed: {why}") from error
    if done.returncode:
        raise EnvironmentRefused(_why(requirements, wheels, interpreter, constraints, done.stderr or done.stdout))
    return done.stdout


def _end_with_parent() -> None:
    """Have the system end this process when the one that started it ends, however that is."""
    with contextlib.suppress(AttributeError):
        _LIBC.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG, of Linux


def resolved(
    requirements: str, wheels: str | None, interpreter: Interpreter, constraints: tuple[str, ...]
) -> list[str] | None:
    """The packages that `install` would install, such as ``humanize==4.9.0``; None: there is no uv to find out.

    Raises:
        EnvironmentRefused: As of `install`.
    """
    uv = _uv()
    if not uv:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as limits:
        limits.write("\n".join(constraints) + "\n")
        limits.flush()
        shown = ["--no-config", "--quiet", "--no-header", "--no-annotate", "--python", interpreter.executable]
        command = [*uv, "pip", "compile", *shown, "-c", limits.name, requirements]
        listed = _run(command, requirements, wheels, interpreter, constraints)
    return [line.strip() for line in listed.splitlines() if _NAME.match(line)]


def _installer(interpreter: Interpreter) -> list[str]:
    """The command that installs packages: of uv, or else of pip, which takes longer.

    Raises:
        EnvironmentRefused: There is neither.
    """
    uv = _uv()
    if uv:
        # Its settings' file may be of another project.
        own = ["--no-config", "--quiet", "--compile-bytecode", "--python", interpreter.executable]
        return [*uv, "pip", "install", *own]
    for python in dict.fromkeys((interpreter.executable, sys.executable)):
        if _runs(python, "-I", "-m", "pip", "--version"):
            same = [] if python == interpreter.executable else ["--python", interpreter.executable]
            return [python, "-I", "-m", "pip", *same, "--disable-pip-version-check", "--quiet", "install"]
    raise EnvironmentRefused(
        f"there is neither uv nor pip to install packages with, for {interpreter.executable}; install one of them "
        "(python -m ensurepip), or bring the packages in an archive"
    )


def _uv() -> list[str]:
    """How uv is run: from this interpreter's packages, or else on ``PATH``; empty: it is nowhere."""
    try:
        from uv import find_uv_bin

        return [str(find_uv_bin())]
    except (ImportError, FileNotFoundError):
        found = shutil.which("uv")
        if found is not None:
            return [found]
        module = [sys.executable, "-I", "-m", "uv"]  # this process may not see its own interpreter's packages
        return module if _runs(*module, "--version") else []


def _runs(*command: str) -> bool:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


def _variables(offline: bool) -> dict[str, str]:
    """The environment of an installer. uv does not read pip's settings, which people have: it gets them."""
    dropped = ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_REQUIRE_VIRTUALENV")
    found = {name: value for name, value in os.environ.items() if name not in dropped}
    found.setdefault("UV_HTTP_TIMEOUT", "300")
    found["UV_NO_PROGRESS"] = found["NO_COLOR"] = "1"
    if offline:
        for name in ("PIP_FIND_LINKS", "UV_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
            found.pop(name, None)
        return {**found, "UV_OFFLINE": "1", "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    for ours, theirs in (
        ("UV_DEFAULT_INDEX", "index-url"),
        ("UV_INDEX", "extra-index-url"),
        ("UV_FIND_LINKS", "find-links"),
        ("SSL_CERT_FILE", "cert"),
        ("UV_INSECURE_HOST", "trusted-host"),
        ("UV_NO_INDEX", "no-index"),
    ):
        value = _pip_setting(theirs)
        if value and ours not in found:
            found[ours] = ",".join(value.split()) if ours == "UV_FIND_LINKS" else " ".join(value.split())
    if found.get("UV_NO_INDEX", "").lower() in ("0", "false", "no"):
        del found["UV_NO_INDEX"]
    return found


def _pip_setting(name: str) -> str | None:
    """A setting of pip's: of its variable, or its files."""
    variable = os.environ.get(f"PIP_{name.replace('-', '_').upper()}")
    if variable:
        return variable
    home = os.path.expanduser("~")
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    files = ["/etc/pip.conf", f"{home}/.pip/pip.conf", f"{config}/pip/pip.conf", f"{sys.prefix}/pip.conf"]
    files.append(os.environ.get("PIP_CONFIG_FILE") or "")
    parser = configparser.RawConfigParser()
    try:
        parser.read([file for file in files if file])
    except configparser.Error:
        return None
    for section in ("install", "global"):
        if parser.has_option(section, name):
            return parser.get(section, name)
    return None


def _why(
    requirements: str, wheels: str | None, interpreter: Interpreter, constraints: tuple[str, ...], said: str
) -> str:
    """What the installer said, and what to do about it."""
    lines = [_NOISE.sub("", line).rstrip() for line in hide(said).replace("╰─▶", "").replace("│", "").splitlines()]
    text = "\n".join(f"  {line.strip()}" for line in lines if line.strip())
    message = f"the packages of {requirements} cannot be installed for Python {interpreter.minor}"
    if wheels is not None:
        message += f" from {wheels}, which is used in place of an index"
    parts = [message + ":", text or "  the installer said nothing"]
    if wheels is not None and re.search(r"setuptools|build[ -]|requires build", said, re.IGNORECASE):
        parts.append(
            "  a source archive is built with packages that must be in the directory too, such as setuptools and "
            "wheel; wheels need no building: pip download without --no-binary"
        )
    for line in constraints:
        wanted, _, owner = line.partition("  # of ")
        match = _NAME.match(wanted)
        if match and _mentions(said, match.group()) and _mentions("\n".join(named(requirements)), match.group()):
            parts.append(f"  {owner} needs {wanted.strip()}, which a package of the job's cannot change")
    return "\n".join(parts)


def _mentions(text: str, name: str) -> bool:
    wanted = re.sub(r"[-_.]+", "[-_.]+", re.escape(name).replace(r"\-", "-").replace(r"\.", "."))
    return re.search(rf"(?i)(?<![\w.-]){wanted}(?![\w-])", text) is not None
