"""The jars of a Java server, from Maven Central by the Ivy that PySpark ships; kept in the user's cache folder."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from datastream.errors import JavaError
from datastream.spark.process.java import find_java
from tests.support.servers.installs import install_once
from tests.support.servers.unavailable import UnavailableError

#: How long Ivy may take for one artifact and what it needs. A test's own limit is 300 s, and the server starts in it.
LIMIT_S = 180


@dataclass(frozen=True)
class Artifact:
    """A library on Maven Central.

    Attributes:
        group: Such as ``org.apache.kafka``.
        name: Such as ``kafka_2.13``.
        version: Such as ``4.3.1``.
        transitive: Fetch what it needs, too.
    """

    group: str
    name: str
    version: str
    transitive: bool = True


def java() -> str:
    """The ``java`` command.

    Raises:
        UnavailableError: There is no Java on this machine.
    """
    try:
        return find_java().executable
    except JavaError as error:
        raise UnavailableError(str(error)) from error


def installed(name: str, artifacts: tuple[Artifact, ...], finish: Callable[[Path], None] | None = None) -> Path:
    """The folder that holds a server's jars in ``lib``; filled when it is not there.

    Args:
        name: The server and its version, such as ``kafka-4.3.1``: names the folder.
        artifacts: What to fetch.
        finish: Does the rest of the installation in the folder it is given.

    Raises:
        UnavailableError: Maven Central did not give them.
    """

    def fill(folder: Path) -> None:
        for artifact in artifacts:
            _fetch(artifact, folder)
        shutil.rmtree(folder / "ivy")
        if finish is not None:
            finish(folder)

    return install_once(name, fill)


def _fetch(artifact: Artifact, folder: Path) -> None:
    what = f"{artifact.group}:{artifact.name}:{artifact.version}"
    command = [
        java(),
        # It runs for a few seconds of computing: compiling well costs more than it gains.
        *("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
        f"-Divy.default.ivy.user.dir={folder / 'ivy'}",
        *("-jar", str(ivy())),
        *("-dependency", artifact.group, artifact.name, artifact.version),
        *([] if artifact.transitive else ["-notransitive"]),
        *("-confs", "default"),
        *("-cache", str(folder / "ivy" / "cache")),
        *("-retrieve", str(folder / "lib" / "[artifact]-[revision](-[classifier]).[ext]")),
    ]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"Maven Central did not give {what} within {LIMIT_S} s") from None
    # Ivy may end with 0 and yet lack some of the jars.
    if done.returncode or "UNRESOLVED" in done.stdout:
        said = [line.strip() for line in done.stdout.splitlines() if "UNRESOLVED" in line or "SERVER ERROR" in line]
        reason = said[0] if said else (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise UnavailableError(f"Maven Central did not give {what}: {reason[:200]}")


def ivy() -> Path:
    """The Ivy that PySpark ships, as a program.

    Raises:
        UnavailableError: It is not there.
    """
    pyspark = importlib.util.find_spec("pyspark")
    found = sorted(Path(pyspark.origin).parent.glob("jars/ivy-*.jar")) if pyspark and pyspark.origin else []
    if not found:
        raise UnavailableError("PySpark's Ivy (jars/ivy-*.jar), which fetches the server's jars, is not there")
    return found[0]
