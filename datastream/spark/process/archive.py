"""The class-data archive: Java's classes as they lie in memory after a job, mapped in at the next start.

It saves about a second and a half of every start on two cores. `datastream warm` makes it.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from datastream.errors import JavaError

from .java import Java, find_java

_DUMP = "DATASTREAM_ARCHIVE_DUMP"


def folder() -> Path:
    """Where archives are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "datastream"


def path(java: Java) -> Path:
    """The archive of this Java, these Spark jars and these flags."""
    facts = f"{java.executable} {java.full_version} {importlib.metadata.version('pyspark')} {flags()}"
    found = importlib.util.find_spec("pyspark")
    facts += f" {found.origin if found else None}"
    return folder() / f"classes-{hashlib.sha256(facts.encode()).hexdigest()[:16]}.jsa"


def flags() -> list[str]:
    """The flags that pay on a small machine, where compiling and collecting compete with the job.

    Whole runs of a short job on two cores: 57 s by default, 40 s with these.
    """
    cores = os.cpu_count() or 1
    return ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"] if cores <= 4 else ["-Xshare:auto"]


def options(java: Java) -> list[str]:
    """Java's command line for its archive: use it, make it, or nothing."""
    quiet = ["-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    base, dump, archive = _base(java), os.environ.get(_DUMP), path(java)
    if dump:
        below = [] if base is None else [f"-XX:SharedArchiveFile={base}"]
        return [*flags(), *below, f"-XX:ArchiveClassesAtExit={dump}", *quiet]
    if not archive.exists():
        return flags()
    files = str(archive) if base is None else f"{base}{os.pathsep}{archive}"
    return [*flags(), f"-XX:SharedArchiveFile={files}", *quiet]


def _base(java: Java) -> Path | None:
    """The archive of Java's own classes where it brings none (a jlinked JRE); None: it does, or as good as."""
    home = Path(os.path.realpath(java.executable)).parent.parent
    return None if any(home.glob("lib/*/classes.jsa")) else path(java).with_suffix(".base")


def make() -> str:
    """Run a small keyed job once in a process of its own and keep the classes that it loaded.

    Raises:
        JavaError: it could not be made; later starts take some seconds longer.
    """
    java = find_java()
    target = path(java)
    if target.exists():
        return f"class-data archive is up to date: {target}"
    target.parent.mkdir(parents=True, exist_ok=True)
    base = _base(java)
    if base is not None and not base.exists():
        new = base.with_suffix(f".base{os.getpid()}")
        # the same collector as later: an archive fits only that
        _succeed(
            [java.executable, *flags()[:-1], "-Xshare:dump", f"-XX:SharedArchiveFile={new}"], dict(os.environ), new
        )
        os.replace(new, base)
    unfinished = target.with_suffix(f".{os.getpid()}")
    _succeed(
        [sys.executable, "-P", "-m", "datastream.spark.process.warming"],
        {**os.environ, _DUMP: str(unfinished)},
        unfinished,
    )
    os.replace(unfinished, target)
    return f"made the class-data archive {target} ({target.stat().st_size >> 20} MiB)"


def _succeed(command: list[str], environment: dict[str, str], made: Path) -> None:
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    if run.returncode or not made.exists():
        said = (run.stderr or run.stdout).strip()[-500:] or "nothing"
        raise JavaError(f"no class-data archive could be made (starts take some seconds longer); Java said: {said}")
