"""Deletes from an environment what no job uses, and reports what each step saves.

python slim.py SITE_PACKAGES LIBRARIES

Each entry of `STEPS` has its reason. Who needs one of these installs the package again in an image that is built on
this one (docs/containers.md).
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: Java's and the libraries' names of the machine that the image is for.
MACHINES = {"x86_64": ("x86_64", "amd64", "linux64"), "aarch64": ("aarch64", "aarch_64", "linux-aarch64")}
#: The modification time of all jars: whole seconds survive a registry, and Java compares it with its class archive.
JAR_TIME = 1_700_000_000


@dataclass(frozen=True)
class Step:
    """Files that go.

    Attributes:
        name: What they are.
        reason: Why no job misses them.
        patterns: Globs below the folder of the packages.
    """

    name: str
    reason: str
    patterns: tuple[str, ...]


def _jars(*names: str) -> tuple[str, ...]:
    return tuple(f"pyspark/jars/{name}" for name in names)


STEPS = (
    Step(
        "MLlib and GraphX",
        "functions of streams are Python; with MLlib's jar each session registers its functions (0.5 s)",
        _jars(
            "spark-mllib_*", "spark-graphx_*", "breeze*", "spire*", "algebra_*", "cats-kernel_*", "arpack*", "lapack-*",
            "blas-*", "JTransforms-*", "JLargeArrays-*",
        ),
    ),
    Step(
        "Hive",
        "the catalog is Spark's in-memory one; hive-storage-api stays, ORC reads with it",
        _jars(
            "spark-hive*", "hive-[!s]*", "hive-se*", "hive-sh*", "datanucleus-*", "derby*", "jdo-api-*", "javax.jdo-*",
            "libthrift-*", "libfb303-*", "HikariCP-*", "commons-dbcp-*", "jpam-*", "super-csv-*", "javolution-*",
            "opencsv-*", "antlr-runtime-3*", "ST4-*", "json-1.8*", "stax-api-*", "transaction-api-*", "jta-*",
        ),
    ),
    Step(
        "Spark Connect, pipelines and shells",
        "the driver is a classic session; nobody types Scala into a container",
        _jars("connect-repl", "spark-connect_*", "spark-pipelines_*", "spark-repl_*", "scala-compiler-*", "jline-*"),
    ),
    Step(
        "network libraries of other systems",
        "Netty's native parts for macOS, Windows and other processors",
        _jars("netty-*-osx-*", "netty-*-windows-*", "netty-*-riscv64.jar"),
    ),
    Step(
        "PySpark's modules for other uses",
        "machine learning, pandas on Spark, examples and test data; imported by nothing that a job imports",
        (
            "pyspark/ml", "pyspark/mllib", "pyspark/pandas", "pyspark/examples", "pyspark/data", "pyspark/pipelines",
            "pyspark/testing/mlutils.py", "pyspark/testing/pandasutils.py", "pyspark/bin/*.cmd",
            "pyspark/python/pyspark",
        ),
    ),
    Step(
        "Arrow Flight",
        "the protocol of a server; pyarrow imports it on demand only",
        (
            "pyarrow/libarrow_flight.so*", "pyarrow/libarrow_python_flight.so*", "pyarrow/_flight.*",
            "pyarrow/flight.py",
        ),
    ),
    Step(
        "sources and headers to compile against",
        "the image has no compiler",
        (
            "pyarrow/include", "pyarrow/src", "pyarrow/*.pxi", "pyarrow/*.pyx", "pyarrow/*.pxd", "pyarrow/includes",
            "numpy/_core/include", "numpy/_core/lib", "numpy/random/lib", "numpy/f2py", "numpy/distutils",
            "pandas/_libs/**/*.pyi", "pandas/_libs/**/*.pyx", "pandas/_libs/**/*.pxd",
        ),
    ),
    Step(
        "tests of packages",
        "nothing imports them",
        ("pyarrow/tests", "pyarrow/_pyarrow_cpp_tests.*", "pandas/tests", "numpy/**/tests", "psutil/tests"),
    ),
)  # fmt: skip


def size_of(path: Path) -> int:
    """Bytes of a file or folder, not of what links lead to."""
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(size_of(entry) for entry in path.iterdir())


def remove(packages: Path, step: Step) -> int:
    """Delete a step's files; the bytes."""
    saved = 0
    for pattern in step.patterns:
        for path in sorted(packages.glob(pattern)):
            if not path.exists():
                continue  # went with its folder
            saved += size_of(path)
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
    return saved


def drop_other_machines(packages: Path) -> int:
    """Delete jars and entries of jars that are libraries of other systems and processors; the bytes saved."""
    ours = MACHINES[platform.machine()]
    saved = 0
    for jar in sorted((packages / "pyspark" / "jars").glob("*.jar")):
        before = jar.stat().st_size
        named = re.search(r"-linux-(x86_64|aarch_64)\.jar$", jar.name)
        if named and named.group(1) not in ours:
            jar.unlink()
            saved += before
        elif rewrite(jar, lambda name: _is_library(name) and not _fits(name, ours)):
            saved += before - jar.stat().st_size
    return saved


def _is_library(name: str) -> bool:
    return re.search(r"\.(so|dll|dylib|jnilib)$", name) is not None


def _fits(name: str, ours: tuple[str, ...]) -> bool:
    """Whether a library is for glibc and this processor: its path names a system and a processor."""
    lower = name.lower()
    if re.search(r"musl|android|freebsd|sunos|mac|darwin|osx|windows|win\d|aix", lower):
        return False
    parts = re.split(r"[/.]|-(?=linux)", lower)
    return any(part in ours or part.removeprefix("linux-") in ours for part in parts)


def rewrite(jar: Path, drop: Callable[[str], bool]) -> bool:
    """Write a jar again without some entries; whether it had any."""
    with zipfile.ZipFile(jar) as old:
        if not any(drop(name) for name in old.namelist()):
            return False
        partial = jar.with_suffix(".partial")
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
            for entry in old.infolist():
                if not drop(entry.filename):
                    new.writestr(entry, old.read(entry))
    partial.replace(jar)
    return True


def unpack_rocksdb(packages: Path, libraries: Path) -> int:
    """Put RocksDB's library where Java looks for libraries; the bytes saved, less than none.

    In its jar each start would write it to /tmp, which is memory where /tmp is a tmpfs.
    """
    (jar,) = (packages / "pyspark" / "jars").glob("rocksdbjni-*.jar")
    before = jar.stat().st_size
    libraries.mkdir(parents=True, exist_ok=True)
    target = libraries / "librocksdbjni.so"
    with zipfile.ZipFile(jar) as archive:
        (name,) = (name for name in archive.namelist() if _is_library(name))
        target.write_bytes(archive.read(name))
    target.chmod(0o755)
    rewrite(jar, _is_library)
    return before - jar.stat().st_size - target.stat().st_size


def drop_duplicates(packages: Path) -> int:
    """Delete the second and third copy of a library under other names: programs load it by the name it declares."""
    saved = 0
    for library in sorted((packages / "pyarrow").glob("*.so")):
        copies = [path for path in library.parent.glob(f"{library.name}.*") if re.search(r"\.so\.\d+$", path.name)]
        if copies:
            for path in (library, *library.parent.glob(f"{library.name}.*.*")):
                saved += path.stat().st_size
                path.unlink()
    return saved


def fix_times(packages: Path) -> None:
    """Give all jars the same modification time."""
    for jar in (packages / "pyspark" / "jars").glob("*.jar"):
        os.utime(jar, (JAR_TIME, JAR_TIME))


def run(packages: Path, libraries: Path) -> Iterator[tuple[str, int, str]]:
    """Do all steps; name, bytes saved and reason of each.

    Raises:
        SystemExit: A step found nothing: the packages have changed, and its patterns must follow.
    """
    for step in STEPS:
        saved = remove(packages, step)
        if not saved:
            sys.exit(f"slim: {step.name}: nothing matches {', '.join(step.patterns)} in {packages}")
        yield step.name, saved, step.reason
    reason = "Java's libraries for other systems and processors in the jars that stay"
    yield "libraries of other systems in jars", drop_other_machines(packages), reason
    reason = "in its jar each start would unpack it to /tmp, which may be memory"
    yield "RocksDB's library beside its jar", unpack_rocksdb(packages, libraries), reason
    reason = "a wheel has no links, so it holds the library three times"
    yield "copies of Arrow's Python library", drop_duplicates(packages), reason
    fix_times(packages)


def main() -> None:
    parser = argparse.ArgumentParser(description="Deletes from an environment what no job uses.")
    parser.add_argument("packages", type=Path, help="the folder site-packages")
    parser.add_argument("libraries", type=Path, help="a folder of Java's library path")
    args = parser.parse_args()
    before = size_of(args.packages)
    for name, saved, reason in run(args.packages, args.libraries):
        print(f"{saved / 1e6:8.1f} MB  {name}: {reason}")
    print(f"{before / 1e6:8.1f} MB before, {size_of(args.packages) / 1e6:.1f} MB after")


if __name__ == "__main__":
    main()
