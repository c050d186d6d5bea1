"""The class-data archive: Java's classes as they lie in memory after a job, mapped in at the next start.

It saves some seconds of every start on two cores. `warming` makes it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from contextlib import suppress
from pathlib import Path

from datastream.config import machine
from datastream.errors import JavaError

from .java import Java

#: Names the file to which a run is to write its archive when it ends.
DUMP = "DATASTREAM_ARCHIVE_DUMP"

#: Whether archives are made (`warming.wanted`); or the folder of those that are used, where none is made.
VARIABLE = "DATASTREAM_JAVA_ARCHIVE"


#: Jars that no streaming job loads anything from. Spark looks for services in every jar of its class path; and MLlib
#: is one: it registers functions of its own with each session, by way of Scala's reflection (0.5 s of a start).
_NOT_NEEDED = re.compile(
    r"spark-(mllib|graphx|hive|kubernetes|connect|pipelines|repl)|hive-(?!storage-api)|kubernetes-|vertx-|datanucleus-|derby|breeze|spire"
    r"|arpack|lapack|blas|algebra_|cats-kernel|JTransforms|jdo-api|javax.jdo|libthrift|scala-compiler"
)


#: The files of an archive.
_MADE = re.compile(r"classes-[0-9a-f]{16}\.(jsa|base|lock|failed|unfinished-[0-9]+)")


def folder() -> Path:
    """Where archives are kept."""
    named = os.environ.get(VARIABLE, "")
    if os.path.isabs(named):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "datastream"


def jars(whole: bool = False) -> list[str]:
    """Spark's class path, without what only other kinds of jobs need unless the whole of it is wanted.

    Raises:
        JavaError: PySpark is not installed.
    """
    found = importlib.util.find_spec("pyspark")
    if found is None or not found.origin:
        raise JavaError("PySpark is not installed in this Python")
    home = Path(found.origin).parent / "jars"
    return sorted(
        entry.path
        for entry in os.scandir(home)
        if entry.name.endswith(".jar") and (whole or not _NOT_NEEDED.match(entry.name))
    )


def path(java: Java) -> Path:
    """The archive of this Java, these Spark jars and these flags: Java takes it for no others."""
    digest = hashlib.sha256(f"{java.executable} {java.full_version} {flags()}".encode())
    for jar in jars():
        facts = os.stat(jar)
        digest.update(f"{jar} {facts.st_size} {facts.st_mtime_ns}".encode())
    return folder() / f"classes-{digest.hexdigest()[:16]}.jsa"


def is_made(file: Path) -> bool:
    """Whether a file is one of those that are made here; the named folder may hold others, too."""
    return _MADE.fullmatch(file.name) is not None and file.is_file() and not file.is_symlink()


def flags() -> list[str]:
    """The flags that pay on a small machine, where compiling and collecting compete with the job.

    Whole runs of a short job on two cores: 57 s by default, 40 s with these.
    """
    found = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"] if machine.cores() <= 4 else []
    return [*found, "-Xshare:auto"]


def options(java: Java, own: str = "") -> list[str]:
    """Java's command line for its archive: use it, make it, or nothing.

    Args:
        java: The Java.
        own: The user's options. With a collector among them there is neither an archive nor a collector of ours.
    """
    quiet = ["-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    if re.search(r"-XX:\+Use\w+GC\b", own):
        return [flag for flag in flags() if not flag.endswith("GC")]
    below, dump, archive = base(java), os.environ.get(DUMP), path(java)
    if dump:
        under = [] if below is None else [f"-XX:SharedArchiveFile={below}"]
        return [*flags(), *under, f"-XX:ArchiveClassesAtExit={dump}", *quiet]
    with suppress(OSError):  # not ours to touch
        os.utime(archive)  # unused ones are deleted some day
    if not archive.exists():
        return flags()
    files = str(archive) if below is None else f"{below}{os.pathsep}{archive}"
    return [*flags(), f"-XX:SharedArchiveFile={files}", *quiet]


def discard(java: Java) -> bool:
    """Delete the archive, which may be damaged; whether there was one. It is made anew after the next job."""
    found = False
    for file in (path(java), base(java)):
        with suppress(OSError):
            if file is not None:
                file.unlink()
                found = True
    return found


def base(java: Java) -> Path | None:
    """The archive of Java's own classes where it brings none (a jlinked JRE); None: it does, or as good as."""
    home = Path(os.path.realpath(java.executable)).parent.parent
    return None if any(home.glob("lib/*/classes.jsa")) else path(java).with_suffix(".base")
