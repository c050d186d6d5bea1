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
    dump = os.environ.get(_DUMP)
    if dump:
        return [*flags(), f"-XX:ArchiveClassesAtExit={dump}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    archive = path(java)
    if not archive.exists():
        return flags()
    return [*flags(), f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]


def make() -> str:
    """Run a small keyed job once in a process of its own and keep the classes that it loaded."""
    java = find_java()
    target = path(java)
    if target.exists():
        return f"class-data archive is up to date: {target}"
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(f".{os.getpid()}")
    environment = {**os.environ, _DUMP: str(unfinished)}
    run = subprocess.run(
        [sys.executable, "-m", "datastream.spark.warming"], env=environment, capture_output=True, text=True
    )
    if run.returncode or not unfinished.exists():
        said = (run.stderr or run.stdout).strip()[-500:]
        return f"no class-data archive could be made (starts will take a second longer): {said}"
    os.replace(unfinished, target)
    return f"made the class-data archive {target} ({target.stat().st_size >> 20} MiB)"
