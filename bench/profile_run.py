"""Where the time of a job of four records goes: imports, Java's classes, processes.

Each of them slows the job down in its own way, so each is recorded in a run of its own.
"""

from __future__ import annotations

import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from bench.processes import Tree, launch
from bench.short import JOBS, check, command, read_marks, run
from bench.table import number

_POLL_S = 0.01
_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \| ( *)(\S+)")


def profile(tell: Callable[[str], None]) -> dict[str, Any]:
    """Record everything; the first run is not counted."""
    tell("a run that is not counted")
    run()
    tell("imports")
    found: dict[str, Any] = {"imports": imports()}
    tell("Java's classes")
    found["classes"] = classes()
    tell("processes")
    found["processes"] = processes()
    return found


def imports(top: int = 25) -> dict[str, Any]:
    """The driver's imports: the slowest modules with all they import, and each package's own time, in ms."""
    options = ["-X", "importtime", "-m", "datastream.cli", "run", "--no-progress"]
    done = launch([sys.executable, *options, str(JOBS / "four_records.py")])
    check(done)
    modules = [m.groups() for m in map(_IMPORT.match, done.errors.splitlines()) if m]
    packages: Counter[str] = Counter()
    for own, _, _, name in modules:
        packages[name.partition(".")[0]] += int(own) / 1000
    slowest = sorted(modules, key=lambda m: -int(m[1]))[:top]
    return {
        "modules": len(modules),
        "total_ms": sum(packages.values()),
        "packages": dict(packages.most_common(15)),
        "slowest": [
            {"module": name, "with_imports_ms": int(every) / 1000, "own_ms": int(own) / 1000}
            for own, every, _, name in slowest
        ],
    }


def classes() -> dict[str, int]:
    """Number of classes that Java loads, by where they come from."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        log = Path(folder, "classes")
        option = f"spark.driver.extraJavaOptions=-Xlog:class+load:file={log}:tags:filecount=0"
        check(launch(command("four_records.py", "--no-progress", "-D", option)))
        sources: Counter[str] = Counter()
        for line in log.read_text(errors="replace").splitlines():
            _, found, source = line.partition(" source: ")
            if found:
                sources[_kind(source)] += 1
    return {"all": sum(sources.values()), **dict(sources.most_common())}


def _kind(source: str) -> str:
    if source.startswith("shared objects file"):
        return "class-data archive, ours" if "(top)" in source else "class-data archive, Java's own"
    if source.startswith("jrt:"):
        return "Java's modules"
    if source.startswith("file:"):
        return "jar files"
    return "made at run time"


def processes() -> dict[str, Any]:
    """Every process of a run: when it was first seen, its end, its CPU time; and the marks of the job."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        marks = Path(folder, "marks")
        poll = _Poll()
        poll.start()
        try:
            done = launch(
                command("marked.py", "--no-progress"), extra_environment={"DATASTREAM_BENCH_MARKS": str(marks)}
            )
        finally:
            poll.stop()
        check(done)
        return {
            "wall_ms": 1000 * done.wall_s,
            "marks": read_marks(marks, done.started),
            "processes": poll.timeline(done.started),
        }


class _Poll(threading.Thread):
    """Looks every 10 ms which processes there are below this one."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._tree = Tree(psutil.Process().pid)
        self._seen: dict[int, dict[str, Any]] = {}
        self._ended = threading.Event()

    def run(self) -> None:
        own = psutil.Process().pid
        while not self._ended.wait(_POLL_S):
            now = time.monotonic()
            for process in self._tree.processes():
                if process.pid != own:
                    self._note(process, now)

    def stop(self) -> None:
        self._ended.set()
        self.join()

    def timeline(self, started: float) -> list[dict[str, Any]]:
        """In the order of their starts, with times in ms since the shell's start."""
        return [
            {**seen, "from": 1000 * (seen["from"] - started), "to": 1000 * (seen["to"] - started)}
            for seen in self._seen.values()
        ]

    def _note(self, process: psutil.Process, now: float) -> None:
        try:
            with process.oneshot():
                words = process.cmdline()
                times = process.cpu_times()
                parent = process.ppid()
        except psutil.Error:
            return  # it ended while we looked
        if not words:
            return  # it has ended, and nobody has asked for its exit code yet
        seen = self._seen.setdefault(process.pid, {"pid": process.pid, "parent": parent, "from": now})
        seen.update(what=_short(words), to=now, cpu_s=round(times.user + times.system, 2))


def _short(words: list[str]) -> str:
    """A command line as a few words, without folders."""
    program = Path(words[0]).name
    if program == "java":
        return f"java {words[-1].rpartition('.')[2]}"
    for i, word in enumerate(words[1:], 1):
        if word == "-m" and i + 1 < len(words):
            return f"{program} -m {words[i + 1]}"
        if word == "-c":
            return f"{program} -c"
        if not word.startswith("-"):
            return f"{program} {Path(word).name} {' '.join(Path(w).name for w in words[i + 1 : i + 5])}".strip()
    return program


def show(console: Console, report: dict[str, Any]) -> None:
    """Print what was recorded."""
    found = report["imports"]
    title = f"The driver's imports: {found['modules']} modules, {number(found['total_ms'])} ms (importtime's)"
    table = Table("module", title=title, title_justify="left")
    for name in ("ms, with its imports", "ms, its own"):
        table.add_column(name, justify="right")
    for row in found["slowest"]:
        table.add_row(row["module"], number(row["with_imports_ms"]), number(row["own_ms"]))
    console.print(table)
    _pairs(console, "Own time of packages, ms", found["packages"])
    _pairs(console, "Classes that Java loads, by where they come from", report["classes"])
    ran = report["processes"]
    _pairs(console, "Steps, ms since the shell's start", {**ran["marks"], "exit": ran["wall_ms"]})
    table = Table("what", title="Processes, ms since the shell's start", title_justify="left")
    for name in ("pid", "parent", "from", "to", "CPU, s"):
        table.add_column(name, justify="right")
    for row in ran["processes"]:
        cells = (row["pid"], row["parent"], number(row["from"]), number(row["to"]), row["cpu_s"])
        table.add_row(row["what"], *map(str, cells))
    console.print(table)


def _pairs(console: Console, title: str, values: dict[str, float]) -> None:
    console.print(title, highlight=False)
    table = Table("", show_header=False)
    table.add_column(justify="right")
    for name, value in values.items():
        table.add_row(name, number(value))
    console.print(table)
